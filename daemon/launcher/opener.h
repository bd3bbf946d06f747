// Opens a target for one engine: judged on the descriptor, leased with flock, one open file per
// job. Runs in a forked child of the launcher (or of `iobench run`) that may hang with the disk;
// single-threaded there.
#pragma once

#include <string>

#include "daemon/launcher/launcher.h"
#include "daemon/model/control.h"

namespace iobenchd::launcher {

// Forks. The child opens, judges, drops privileges and execs the engine, or sends one failure frame
// to `engine_side` and exits 1. Returns the child's pid, or -errno. Closes `engine_side` in the
// parent.
[[nodiscard]] int start_engine(const OpenRun& request, const Settings& settings,
                               const Identity& identity, const std::string& engine,
                               int engine_side);

}  // namespace iobenchd::launcher
