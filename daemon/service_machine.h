// What the scheduler may ask of this machine, answered by the platform. Safe from any thread.
#pragma once

#include "daemon/scheduler/machine_probe.h"
#include "daemon/service_host.h"

namespace iobenchd {

[[nodiscard]] scheduler::MachineProbe machine_probe();

// For a service in its cage: what it may not ask by itself a probe does. `host` outlives `machine`.
void let_a_probe_ask(scheduler::MachineProbe& machine, ServiceHost& host);

}  // namespace iobenchd
