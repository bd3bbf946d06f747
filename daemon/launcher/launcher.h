// The parent process, the only one that may hold privileges: starts and restarts the service, opens
// targets for engines in short-lived children, reaps them, stops everything. Single-threaded; no
// network, no SQL, no HTTP; never touches a disk itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/model/settings.h"

namespace iobenchd::launcher {

struct Identity {
  bool change = false;  // started as root
  std::uint32_t uid = 0, gid = 0;
  std::string user;
};

struct Options {
  Settings settings;
  Identity identity;        // who service and engines run as
  std::string program;      // absolute path of iobenchd, for exec
  std::string engine;       // absolute path of iobenchd-engine
  std::string pid_file;     // empty: none
  bool foreground = false;  // -d
  // SIGHUP: parses the file again; keys that only a restart changes keep their old value and are
  // named in `needs_restart`. Throws Error; the old settings are then kept.
  std::function<Settings(std::vector<std::string>& needs_restart)> reparse;
};

// Runs until told to stop. Returns the exit status.
[[nodiscard]] int run(const Options& options);

}  // namespace iobenchd::launcher
