// The service's log: every line goes up a pipe to the launcher, which alone knows syslog, journal
// and stderr. Set up once, before any thread starts; spdlog's functions are safe from any thread.
#pragma once

#include "daemon/model/settings.h"

namespace iobenchd {

void start_service_log(int descriptor, LogLevel level);
void set_service_log_level(LogLevel level);

}  // namespace iobenchd
