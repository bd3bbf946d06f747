// What the machine did while one run was measured: CPU, load, the devices' own counters, how late
// sleeps woke up. Follows the run's ticks. One owner, one thread (the probe's own apart).
#pragma once

#include <string>
#include <vector>

#include "daemon/model/frame.h"
#include "daemon/model/run.h"
#include "daemon/scheduler/machine_probe.h"
#include "daemon/scheduler/wakeup_probe.h"

namespace iobenchd::scheduler {

class Vitals {
 public:
  // `leaves`: the physical devices under the target.
  Vitals(const MachineProbe& machine, std::vector<std::string> leaves);

  // Called with every tick. The span that counts begins with the last tick of the ramp (a quarter
  // second early rather than late: a device that seems to have moved too little would be called
  // cached) and ends with the first tick after the measurement.
  void notice(Phase phase);
  void fill(Measurement& measurement);

 private:
  struct Reading {
    CpuTime cpu;
    DeviceCounters device;
  };
  [[nodiscard]] Reading read() const;

  const MachineProbe& machine_;
  std::vector<std::string> leaves_;
  WakeupProbe wakeups_;
  WakeupDelay delays_;
  Reading begin_, end_;
  bool ended_ = false;
};

}  // namespace iobenchd::scheduler
