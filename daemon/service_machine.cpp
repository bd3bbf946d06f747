#include "daemon/service_machine.h"

#include <string>

#include "daemon/platform/platform.h"
#include "daemon/version.h"

namespace iobenchd {

scheduler::MachineProbe machine_probe() {
  // What doesn't change while the daemon lives is asked once.
  Circumstances about = platform::machine();
  about.program_version = std::string(program_version);
  about.build_type = std::string(build_type);
  about.compiler = std::string(compiler);
  std::string why_not;
  const bool io_uring = platform::io_uring_available(why_not);

  scheduler::MachineProbe probe;
  probe.layout_per_job = about.os.rfind("OpenBSD", 0) == 0;
  probe.machine = [about] { return about; };
  probe.cpu_time = [] {
    const platform::CpuTimes times = platform::cpu_times();
    return scheduler::CpuTime{times.busy, times.total};
  };
  probe.load_average = [] { return platform::load_average(); };
  probe.device_counters = [](const std::string& leaf) {
    const platform::DeviceCounters counters = platform::device_counters(leaf);
    return scheduler::DeviceCounters{counters.known, counters.read_ios, counters.write_ios,
                                     counters.read_bytes, counters.write_bytes};
  };
  probe.device_health = [](const std::string& leaf) { return platform::device_health(leaf); };
  probe.governor = [] { return platform::governor(); };
  probe.container = platform::container();
  probe.io_uring = [io_uring, why_not](std::string& why) {
    if (!io_uring) why = why_not;
    return io_uring;
  };
  return probe;
}

void let_a_probe_ask(scheduler::MachineProbe& machine, ServiceHost& host) {
  machine.counters_while_measuring = false;
  machine.device_counters = [&host](const std::string& leaf) {
    const TargetFacts facts = host.counters(leaf);
    return scheduler::DeviceCounters{facts.counters_known != 0, facts.read_ios, facts.write_ios,
                                     facts.read_bytes, facts.write_bytes};
  };
  machine.governor = [&host] { return text_of(host.counters("").governor); };
}

}  // namespace iobenchd
