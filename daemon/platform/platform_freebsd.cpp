// The least that is honest: sizes, names and mounts. What FreeBSD's GEOM knows of stacks is not
// asked, so a device counts as used unless it plainly isn't, and is never written.
#include <sys/param.h>
//
#include <fcntl.h>
#include <sys/disk.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "daemon/platform/platform.h"

namespace iobenchd::platform {
namespace {

std::string text_by_sysctl(const char* name) {
  std::array<char, 1024> text{};
  std::size_t length = text.size() - 1;
  return sysctlbyname(name, text.data(), &length, nullptr, 0) == 0 ? text.data() : "";
}

std::string resolve(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : std::string();
}

// "ada0p2" -> "ada0": letters, then digits; what follows is a partition.
std::string disk_of(const std::string& device) {
  constexpr std::string_view dev = "/dev/";
  if (device.compare(0, dev.size(), dev) != 0) return {};
  const std::string name = device.substr(dev.size());
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string::npos || digits == 0) return {};
  return name.substr(0, name.find_first_not_of("0123456789", digits));
}

void add_device_facts(TargetFacts& facts, int descriptor, const std::string& real_path) {
  off_t bytes = 0;
  unsigned sector = 0;
  std::array<char, DISK_IDENT_SIZE> serial{};
  const bool disk = ioctl(descriptor, DIOCGMEDIASIZE, &bytes) == 0 &&
                    ioctl(descriptor, DIOCGSECTORSIZE, &sector) == 0;
  if (!disk) return;
  facts.kind = TargetKind::raw_device;
  facts.direct_io = 1;  // devices here have no buffer cache
  facts.size_bytes = static_cast<std::uint64_t>(bytes);
  facts.logical_sector_bytes = facts.physical_sector_bytes = sector;
  if (ioctl(descriptor, DIOCGIDENT, serial.data()) == 0) set_text(facts.serial, serial.data());
  set_text(facts.leaves[facts.leaf_count++], disk_of(real_path));
  facts.in_use = 1;
  set_text(facts.use, "not known to be unused: this system's GEOM is not asked");
}

void add_filesystem_facts(TargetFacts& facts, const struct statfs& filesystem) {
  const std::string_view type = filesystem.f_fstypename;
  set_text(facts.filesystem, type);
  set_text(facts.mount_point, filesystem.f_mntonname);
  facts.block_storage = type == "tmpfs" || type == "nfs" || type == "fusefs" ? 0 : 1;
  if (filesystem.f_bavail > 0)
    facts.free_bytes = static_cast<std::uint64_t>(filesystem.f_bavail) * filesystem.f_bsize;
  if (facts.kind == TargetKind::directory)
    facts.size_bytes = filesystem.f_blocks * filesystem.f_bsize;
  std::string leaf = disk_of(filesystem.f_mntfromname);
  // A pool's disks are ZFS's secret; its name at least keeps two runs on one pool apart.
  if (type == "zfs") {
    const std::string source = filesystem.f_mntfromname;
    leaf = "zfs:" + source.substr(0, source.find('/'));
  }
  if (!leaf.empty()) set_text(facts.leaves[facts.leaf_count++], leaf);
}

}  // namespace

TargetFacts facts_of(int descriptor, const std::string& path) {
  TargetFacts facts;
  set_text(facts.path, path);
  const std::string real_path = resolve(path);
  set_text(facts.real_path, real_path);
  struct stat info {};
  if (fstat(descriptor, &info) != 0) {
    facts.error_number = errno;
    return facts;
  }
  facts.kind = S_ISREG(info.st_mode)   ? TargetKind::regular_file
               : S_ISDIR(info.st_mode) ? TargetKind::directory
                                       : TargetKind::other;
  const bool node = S_ISCHR(info.st_mode);
  facts.device = static_cast<std::uint64_t>(node ? info.st_rdev : info.st_dev);
  facts.inode = info.st_ino;
  if (node) add_device_facts(facts, descriptor, real_path);
  struct statfs filesystem {};
  if (!node && fstatfs(descriptor, &filesystem) == 0) add_filesystem_facts(facts, filesystem);
  if (facts.kind == TargetKind::regular_file)
    facts.allocated_bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
  if (facts.kind == TargetKind::regular_file)
    facts.size_bytes = static_cast<std::uint64_t>(info.st_size);
  if (facts.logical_sector_bytes == 0) facts.logical_sector_bytes = DEV_BSIZE;
  if (facts.physical_sector_bytes == 0) facts.physical_sector_bytes = facts.logical_sector_bytes;
  const bool file = facts.kind == TargetKind::regular_file;
  const int trial = file ? open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC) : -1;
  if (trial >= 0) {
    facts.direct_io = 1;
    close(trial);
  }
  return facts;
}

TargetFacts facts_of(const std::string& path) {
  TargetFacts facts;
  set_text(facts.path, path);
  struct stat info {};
  const bool openable = stat(path.c_str(), &info) == 0 && !S_ISFIFO(info.st_mode);
  const int descriptor = openable ? open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (descriptor < 0) {
    facts.error_number = errno;
    if (openable) facts.kind = TargetKind::other;
    return facts;
  }
  facts = facts_of(descriptor, path);
  close(descriptor);
  return facts;
}

std::vector<std::string> disk_paths() {
  std::vector<std::string> paths;
  std::string names = text_by_sysctl("kern.disks");
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    const std::string name = names.substr(0, end);
    if (!name.empty() && name.compare(0, 2, "cd") != 0) paths.push_back("/dev/" + name);
    names.erase(0, end + 1);
  }
  return paths;
}

int open_target(const char* path, bool write, bool& direct, int extra_flags) {
  const int flags = (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | extra_flags;
  int descriptor = direct ? open(path, flags | O_DIRECT, 0600) : -1;
  if (descriptor >= 0) return descriptor;
  if (direct && errno != EINVAL) return -errno;
  direct = false;
  descriptor = open(path, flags, 0600);
  return descriptor >= 0 ? descriptor : -errno;
}

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
  here.cpu = text_by_sysctl("hw.model");
  unsigned long memory = 0;
  std::size_t length = sizeof memory;
  if (sysctlbyname("hw.physmem", &memory, &length, nullptr, 0) == 0) here.memory_bytes = memory;
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  here.cpus = cpus > 0 ? static_cast<std::uint32_t>(cpus) : 0;
  const std::string guest = text_by_sysctl("kern.vm_guest");
  here.virtual_machine = !guest.empty() && guest != "none";
  return here;
}

CpuTimes cpu_times() {
  std::array<long, CPUSTATES> ticks{};
  std::size_t length = sizeof ticks;
  CpuTimes times;
  if (sysctlbyname("kern.cp_time", ticks.data(), &length, nullptr, 0) != 0) return times;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    times.total += static_cast<std::uint64_t>(ticks[i]);
    if (i != CP_IDLE) times.busy += static_cast<std::uint64_t>(ticks[i]);
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

DeviceCounters device_counters(const std::string&) {
  return {};  // devstat(3) is not asked
}

// NVMe tells it through nvmecontrol(8) alone.
DeviceHealth device_health(const std::string&) {
  return {};
}

std::string governor() {
  return {};
}

std::string container() {
  int jailed = 0;
  std::size_t length = sizeof jailed;
  if (sysctlbyname("security.jail.jailed", &jailed, &length, nullptr, 0) != 0) return {};
  return jailed != 0 ? "jail" : "";
}

bool io_uring_available(std::string& why_not) {
  why_not = "io_uring is Linux's; here it is psync or threads";
  return false;
}

}  // namespace iobenchd::platform
