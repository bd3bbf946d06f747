// sys/param.h before the rest: the headers of this system lean on it.
#include <sys/param.h>
//
#include <sys/disk.h>
#include <sys/sched.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "daemon/platform/platform.h"

namespace iobenchd::platform {
namespace {

std::string text_by_sysctl(int group, int item) {
  const std::array<int, 2> name{group, item};
  std::array<char, 256> text{};
  std::size_t length = text.size() - 1;
  if (sysctl(name.data(), name.size(), text.data(), &length, nullptr, 0) != 0) return {};
  return text.data();
}

template <typename Number>
Number number_by_sysctl(int group, int item) {
  const std::array<int, 2> name{group, item};
  Number number{};
  std::size_t length = sizeof number;
  if (sysctl(name.data(), name.size(), &number, &length, nullptr, 0) != 0) return Number{};
  return number;
}

std::vector<struct diskstats> all_counters() {
  const int count = number_by_sysctl<int>(CTL_HW, HW_DISKCOUNT);
  std::vector<struct diskstats> disks(count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::array<int, 2> name{CTL_HW, HW_DISKSTATS};
  std::size_t length = disks.size() * sizeof(struct diskstats);
  if (sysctl(name.data(), name.size(), disks.data(), &length, nullptr, 0) != 0) return {};
  disks.resize(length / sizeof(struct diskstats));
  return disks;
}

}  // namespace

Places service_places() {
  return {"/var/db/iobenchd", "/var/run/iobenchd"};
}

Circumstances machine() {
  Circumstances here;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) here.host = host.data();
  struct utsname names {};
  if (uname(&names) == 0)
    here.os = std::string(names.sysname) + " " + names.release + " " + names.machine;
  here.cpu = text_by_sysctl(CTL_HW, HW_MODEL);
  here.memory_bytes =
      static_cast<std::uint64_t>(number_by_sysctl<std::int64_t>(CTL_HW, HW_PHYSMEM64));
  const int cpus = number_by_sysctl<int>(CTL_HW, HW_NCPUONLINE);
  here.cpus = cpus > 0 ? static_cast<std::uint32_t>(cpus) : 0;
  const std::string vendor = text_by_sysctl(CTL_HW, HW_VENDOR);
  for (const std::string_view maker : {"QEMU", "OpenBSD", "VMware", "innotek", "Xen", "Google"}) {
    if (vendor.compare(0, maker.size(), maker) == 0) here.virtual_machine = true;
  }
  return here;
}

CpuTimes cpu_times() {
  const std::array<int, 2> name{CTL_KERN, KERN_CPTIME};
  std::array<long, CPUSTATES> ticks{};
  std::size_t length = sizeof ticks;
  CpuTimes times;
  if (sysctl(name.data(), name.size(), ticks.data(), &length, nullptr, 0) != 0) return times;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const auto one = static_cast<std::uint64_t>(ticks[i]);
    times.total += one;
    if (i != CP_IDLE) times.busy += one;
  }
  return times;
}

double load_average() {
  double average = -1;
  return getloadavg(&average, 1) == 1 ? average : -1;
}

// No promise covers hw.diskstats and hw.perfpolicy.
bool only_a_probe_may_ask() {
  return true;
}

DeviceCounters device_counters(const std::string& leaf) {
  DeviceCounters counters;
  for (const struct diskstats& disk : all_counters()) {
    if (leaf != std::string(disk.ds_name, strnlen(disk.ds_name, sizeof disk.ds_name))) continue;
    counters.known = true;
    counters.read_ios = disk.ds_rxfer;
    counters.write_ios = disk.ds_wxfer;
    counters.read_bytes = disk.ds_rbytes;
    counters.write_bytes = disk.ds_wbytes;
  }
  return counters;
}

// NVMe's sensors are not among hw.sensors here.
DeviceHealth device_health(const std::string&) {
  return {};
}

std::string governor() {
  return text_by_sysctl(CTL_HW, HW_PERFPOLICY);
}

std::string container() {
  return {};  // there are none
}

bool io_uring_available(std::string& why_not) {
  why_not = "io_uring is Linux's; here it is psync or threads";
  return false;
}

}  // namespace iobenchd::platform
