// What the runner asks of the machine it runs on. Functions, so that this room needs no operating
// system and tests fake one; an empty function means "unknown". Each is safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "daemon/model/run.h"

namespace iobenchd::scheduler {

struct CpuTime {
  std::uint64_t busy = 0, total = 0;  // ticks over all CPUs
};

struct DeviceCounters {
  bool known = false;
  std::uint64_t read_ios = 0, write_ios = 0, read_bytes = 0, write_bytes = 0;
};

struct MachineProbe {
  std::function<Circumstances()> machine;  // host, os, cpu, memory, build; nothing of a target
  std::function<CpuTime()> cpu_time;
  std::function<double()> load_average;  // one minute; -1 unknown
  std::function<DeviceCounters(const std::string& leaf)> device_counters;
  bool counters_while_measuring = true;  // false: asking them is a process of its own (OpenBSD)
  std::function<DeviceHealth(const std::string& leaf)> device_health;  // temperature
  std::function<std::string()> governor;                               // empty: unknown
  std::string container;                                               // empty: none
  std::function<bool(std::string& why_not)> io_uring;                  // may engines use it here?
  bool layout_per_job = false;  // a file serialises on its lock here (OpenBSD)
};

}  // namespace iobenchd::scheduler
