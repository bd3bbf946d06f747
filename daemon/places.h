// Users, directories and programs that the daemon needs before it can start. Throws Error with the
// path and the cure. Single-threaded, once at start.
#pragma once

#include <string>

#include "daemon/config.h"
#include "daemon/launcher/launcher.h"

namespace iobenchd {

// Started as root: the unprivileged user that service and engines run as.
[[nodiscard]] launcher::Identity find_identity(const Config& config);
// Makes what is missing (private to that user) and makes sure that it can be written.
void prepare_directories(const Config& config, const launcher::Identity& identity);
// Absolute path of this program, from argv[0]; of the engine: beside it or in libexec.
[[nodiscard]] std::string find_program(const std::string& argv0);
[[nodiscard]] std::string find_engine(const std::string& program);
[[nodiscard]] std::string absolute_path(const std::string& path);

}  // namespace iobenchd
