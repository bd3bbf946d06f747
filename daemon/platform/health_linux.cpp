#include "daemon/platform/health_linux.h"

#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "daemon/platform/mounts_linux.h"
#include "daemon/platform/platform.h"

namespace iobenchd::platform {
namespace {

constexpr std::uint8_t nvme_get_log_page = 0x02;
constexpr std::uint32_t smart_log = 0x02, smart_log_bytes = 512;
constexpr std::uint32_t every_namespace = 0xFFFFFFFF;
constexpr std::size_t percentage_used_at = 5;

double degrees_of(const std::string& path) {
  const std::string word = read_word(path);
  if (word.empty()) return DeviceHealth{}.temperature_celsius;
  return static_cast<double>(std::strtoll(word.c_str(), nullptr, 10)) / 1000;
}

// Kernels differ in whether the class's own directory stands between.
std::vector<std::string> monitors_of(const std::string& device) {
  std::vector<std::string> monitors;
  const std::string in_class = device + "/hwmon/", beside = device + "/";
  for (const std::string& entry : entries_of(in_class)) monitors.push_back(in_class + entry);
  for (const std::string& entry : entries_of(device)) {
    if (entry != "hwmon" && entry.compare(0, 5, "hwmon") == 0) monitors.push_back(beside + entry);
  }
  return monitors;
}

}  // namespace

DeviceHealth health_of(const std::string& root, const std::string& leaf) {
  DeviceHealth health;
  const std::string controller = root + "/sys/class/nvme/" + leaf;
  const std::string disk = root + "/sys/block/" + leaf + "/device";
  for (const std::string& device : {controller, disk}) {
    for (const std::string& monitor : monitors_of(device)) {
      health.temperature_celsius = degrees_of(monitor + "/temp1_input");
      health.temperature_limit_celsius = degrees_of(monitor + "/temp1_max");
      return health;
    }
  }
  return health;
}

void add_wear(TargetFacts& facts, int descriptor) {
  std::array<std::uint8_t, smart_log_bytes> log{};
  nvme_admin_cmd command{};
  command.opcode = nvme_get_log_page;
  command.nsid = every_namespace;
  command.addr = reinterpret_cast<std::uintptr_t>(log.data());
  command.data_len = smart_log_bytes;
  command.cdw10 = smart_log | ((smart_log_bytes / 4 - 1) << 16);
  command.timeout_ms = 2'000;
  if (ioctl(descriptor, NVME_IOCTL_ADMIN_CMD, &command) != 0) return;
  facts.wear_known = 1;
  facts.wear_percent_used = log[percentage_used_at];
}

std::string container_of(const std::string& root) {
  std::string told = read_word(root + "/run/systemd/container");
  if (!told.empty()) return told;
  if (exists(root + "/.dockerenv")) return "docker";
  if (exists(root + "/run/.containerenv")) return "podman";
  const std::string groups = read_text(root + "/proc/1/cgroup");
  for (const char* name : {"kubepods", "docker", "lxc"}) {
    if (groups.find(name) != std::string::npos)
      return name == std::string("kubepods") ? "kubernetes" : name;
  }
  return {};
}

DeviceHealth device_health(const std::string& leaf) {
  return health_of("", leaf);
}

std::string governor() {
  return read_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

std::string container() {
  return container_of("");
}

}  // namespace iobenchd::platform
