// What the scheduler may ask of this machine, answered by the platform. Safe from any thread.
#pragma once

#include "daemon/scheduler/machine_probe.h"

namespace iobenchd {

[[nodiscard]] scheduler::MachineProbe machine_probe();

}  // namespace iobenchd
