// The engine: one load in, frames out. Called once by engine_main, from the only thread.
#pragma once

#include "daemon/engine/outbox.h"
#include "daemon/model/load.h"

namespace iobenchd::engine {

// Reads the load from `control_fd`, does its task on the descriptors from `first_target_fd` on and
// returns the exit status: 0 after a final frame (or when the service went away), 1 after a failure
// frame. Threads that hang with their disk may still be there: end with _exit.
[[nodiscard]] int serve(int control_fd, int first_target_fd);

// The tasks. Each throws FailureBody for what ends a run; false: the service went away.
[[nodiscard]] bool measure(Outbox& outbox, const Load& load, int first_target_fd);
[[nodiscard]] bool lay_out(Outbox& outbox, const Load& load, int first_target_fd);

}  // namespace iobenchd::engine
