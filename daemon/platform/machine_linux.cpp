#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "daemon/platform/block_linux.h"
#include "daemon/platform/mounts_linux.h"
#include "daemon/platform/platform.h"

namespace iobenchd::platform {
namespace {

// The value behind "key : value" in /proc/cpuinfo and the like.
std::string value_of(const std::string& text, std::string_view key) {
  for (const std::string& line : lines_of(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    return line.substr(std::min(colon + 2, line.size()));
  }
  return {};
}

std::string os_text() {
  utsname names{};
  if (uname(&names) != 0) return "Linux";
  std::string text = std::string(names.sysname) + " " + names.release + " " + names.machine;
  constexpr std::string_view key = "PRETTY_NAME=";
  for (const std::string& line : lines_of(read_text("/etc/os-release"))) {
    if (line.compare(0, key.size(), key) != 0) continue;
    std::string name = line.substr(key.size());
    if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
    text.insert(0, name.append(", "));
  }
  return text;
}

// A hypervisor says so in the CPU's flags; ARM has no flag, but its firmware tells.
bool in_virtual_machine(const std::string& cpuinfo) {
  for (const std::string& flag : words_of(value_of(cpuinfo, "flags"))) {
    if (flag == "hypervisor") return true;
  }
  const std::string product = read_word("/sys/class/dmi/id/sys_vendor");
  for (const std::string_view maker :
       {"QEMU", "VMware", "Amazon EC2", "Xen", "innotek", "Google"}) {
    if (product.compare(0, maker.size(), maker) == 0) return true;
  }
  return false;
}

DeviceCounters read_counters(const std::string& disk) {
  DeviceCounters counters;
  const std::vector<std::string> words = words_of(read_text("/sys/block/" + disk + "/stat"));
  if (words.size() < 7) return counters;
  const auto number = [&](std::size_t field) {
    return static_cast<std::uint64_t>(std::strtoull(words[field].c_str(), nullptr, 10));
  };
  counters.known = true;
  counters.read_ios = number(0);
  counters.read_bytes = number(2) * 512;  // the file counts in 512-byte sectors, always
  counters.write_ios = number(4);
  counters.write_bytes = number(6) * 512;
  return counters;
}

}  // namespace

Places service_places() {
  return {"/var/lib/iobenchd", "/run/iobenchd"};
}

Circumstances machine() {
  Circumstances here;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) here.host = host.data();
  here.os = os_text();
  const std::string cpuinfo = read_text("/proc/cpuinfo");
  here.cpu = value_of(cpuinfo, "model name");
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  here.cpus = cpus > 0 ? static_cast<std::uint32_t>(cpus) : 0;
  const std::string memory = value_of(read_text("/proc/meminfo"), "MemTotal");
  here.memory_bytes = std::strtoull(memory.c_str(), nullptr, 10) * 1024;
  here.virtual_machine = in_virtual_machine(cpuinfo);
  return here;
}

CpuTimes cpu_times() {
  // "cpu user nice system idle iowait irq softirq steal guest guest_nice": the guest's share is
  // counted in user already.
  CpuTimes times;
  const std::string text = read_text("/proc/stat");
  const std::vector<std::string> words = words_of(text.substr(0, text.find('\n')));
  for (std::size_t i = 1; i < words.size() && i <= 8; ++i) {
    const std::uint64_t ticks = std::strtoull(words[i].c_str(), nullptr, 10);
    times.total += ticks;
    const bool idle = i == 4 || i == 5;
    if (!idle) times.busy += ticks;
  }
  return times;
}

double load_average() {
  double average = -1;
  return getloadavg(&average, 1) == 1 ? average : -1;
}

bool only_a_probe_may_ask() {
  return false;
}

DeviceCounters device_counters(const std::string& leaf) {
  DeviceCounters sum = read_counters(leaf);
  if (sum.known) return sum;
  // An NVMe leaf is a controller: its namespaces together.
  for (const std::string& disk : whole_disks("")) {
    const bool of_leaf = disk.size() > leaf.size() && disk.compare(0, leaf.size(), leaf) == 0 &&
                         disk[leaf.size()] == 'n';
    if (!of_leaf) continue;
    const DeviceCounters one = read_counters(disk);
    sum.known = sum.known || one.known;
    sum.read_ios += one.read_ios;
    sum.write_ios += one.write_ios;
    sum.read_bytes += one.read_bytes;
    sum.write_bytes += one.write_bytes;
  }
  return sum;
}

bool io_uring_available(std::string& why_not) {
  // Without entries the call can only fail; how it fails tells whether it is there.
  const long result = syscall(SYS_io_uring_setup, 0, nullptr);
  if (result >= 0) {
    close(static_cast<int>(result));
    return true;
  }
  if (errno == EINVAL || errno == EFAULT) return true;
  const std::string disabled = read_word("/proc/sys/kernel/io_uring_disabled");
  if (errno == ENOSYS) {
    why_not = "this kernel has no io_uring (5.1 or newer has)";
  } else if (errno == EPERM && !disabled.empty() && disabled != "0") {
    why_not = "kernel.io_uring_disabled is " + disabled + "; sysctl kernel.io_uring_disabled=0";
  } else {
    why_not = "io_uring is forbidden here (" + std::string(std::strerror(errno)) +
              "), by a container's seccomp filter most likely";
  }
  return false;
}

}  // namespace iobenchd::platform
