// The service's cage: what it will never need is taken from it before it opens a port. Called once,
// before any thread starts: the cage is the thread's and its children's.
#pragma once

#include <string>

#include "daemon/model/settings.h"

namespace iobenchd {

// Database, scratch directory, socket directories and what /proc, /sys and /etc tell of the machine
// stay reachable; nothing else of the file system does. Returns what this system can't take away,
// for the log; empty when all is in place.
[[nodiscard]] std::string confine_service(const Settings& settings);

}  // namespace iobenchd
