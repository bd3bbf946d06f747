// The probe: a process that asks one disk (or each) for its facts and may hang with it, so that
// nobody else does. Runs with the launcher's rights, reads only.
#pragma once

#include <string>
#include <vector>

#include "daemon/launcher/process.h"
#include "daemon/model/target.h"

namespace iobenchd::launcher {

inline constexpr const char* probe_title = "iobenchd: probe";
inline constexpr int probe_patience_ms = 4000;  // then the disks that did not answer are named
inline constexpr int probe_limit_ms = 5000;     // then the launcher kills it

// The probe's main: reads one Probe message from control_fd, answers with TargetFacts structs.
// Returns the exit status.
[[nodiscard]] int run_probe();
// Facts of every path, each asked by a child of its own; who doesn't answer in time is there with
// its name and ETIMEDOUT. Children that hang are killed and not waited for.
[[nodiscard]] std::vector<TargetFacts> ask_all(const std::vector<std::string>& paths,
                                               int patience_ms,
                                               TargetFacts (*ask)(const std::string& path));

}  // namespace iobenchd::launcher
