// The child that serves: owns Store, Hub, Scheduler, Server, in that order. Speaks to the launcher
// over control_fd.
#pragma once

namespace iobenchd {

// Runs until the launcher says stop or goes away. Returns the exit status.
[[nodiscard]] int run_service();

}  // namespace iobenchd
