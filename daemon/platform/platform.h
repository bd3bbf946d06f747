// What the operating system knows of this machine and its disks. One header, one file per system.
// Functions throw nothing: what can't be known is empty, 0 or -1. Safe from any thread. `facts_of`
// opens the target read-only and may hang with a broken disk: only the probe and the opener call
// it, never launcher or service.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/target.h"

namespace iobenchd::platform {

// --- disks (probe and opener) ---
[[nodiscard]] TargetFacts facts_of(const std::string& path);
// The same for an open descriptor, so that what is judged is what is used. `path` is for the
// report.
[[nodiscard]] TargetFacts facts_of(int descriptor, const std::string& path);
[[nodiscard]] std::vector<std::string> disk_paths();  // every whole disk, partitions left out
// open(2) with direct I/O where the system has it (`direct` says on return whether it was granted),
// O_NOATIME with a retry without. `extra_flags`: O_EXCL, O_NOFOLLOW, O_CREAT (mode 0600). Returns
// the descriptor or -errno.
[[nodiscard]] int open_target(const char* path, bool write, bool& direct, int extra_flags = 0);

// --- the machine (service; cheap) ---
// The service's cage keeps device_counters() and governor() from it, on pain of death: a probe asks
// them (pledge(2) on OpenBSD).
[[nodiscard]] bool only_a_probe_may_ask();
// Where this system keeps a service's state and its sockets.
struct Places {
  std::string state_dir, run_dir;
};
[[nodiscard]] Places service_places();  // "/var/lib/iobenchd", "/run/iobenchd"
[[nodiscard]] Circumstances machine();  // host, os, cpu, memory, cpus, virtual_machine
struct CpuTimes {
  std::uint64_t busy = 0, total = 0;  // ticks over all CPUs
};
[[nodiscard]] CpuTimes cpu_times();
[[nodiscard]] double load_average();  // one minute; -1 unknown
struct DeviceCounters {
  bool known = false;
  std::uint64_t read_ios = 0, write_ios = 0, read_bytes = 0, write_bytes = 0;
};
[[nodiscard]] DeviceCounters device_counters(const std::string& leaf);
// Temperature and its threshold, as the device itself tells them; NaN where it doesn't.
[[nodiscard]] DeviceHealth device_health(const std::string& leaf);
[[nodiscard]] std::string governor();   // of the CPUs' frequency: "performance"; empty: unknown
[[nodiscard]] std::string container();  // "docker", "lxc", "jail"; empty: none
[[nodiscard]] bool io_uring_available(std::string& why_not);

}  // namespace iobenchd::platform
