#include <doctest/doctest.h>

#include <cmath>

#include "daemon/platform/health_linux.h"
#include "tests/temporary_tree.h"

namespace iobenchd::platform {
namespace {

TEST_CASE("an NVMe controller tells its temperature in millidegrees, whichever way the path goes") {
  const TemporaryTree old_kernel, new_kernel;
  old_kernel.file("sys/class/nvme/nvme0/hwmon1/temp1_input", "41850\n");
  old_kernel.file("sys/class/nvme/nvme0/hwmon1/temp1_max", "84850\n");
  new_kernel.file("sys/class/nvme/nvme0/hwmon/hwmon3/temp1_input", "41850\n");
  new_kernel.file("sys/class/nvme/nvme0/hwmon/hwmon3/temp1_max", "84850\n");
  for (const TemporaryTree* tree : {&old_kernel, &new_kernel}) {
    const DeviceHealth health = health_of(tree->path(), "nvme0");
    CHECK(health.temperature_celsius == doctest::Approx(41.85));
    CHECK(health.temperature_limit_celsius == doctest::Approx(84.85));
    CHECK(std::isnan(health.wear_percent_used));
  }
}

TEST_CASE("a SATA disk tells it through drivetemp, and one without a sensor tells nothing") {
  const TemporaryTree tree;
  tree.file("sys/block/sda/device/hwmon/hwmon0/temp1_input", "30000\n");
  tree.file("sys/block/sdb/size", "100\n");
  const DeviceHealth health = health_of(tree.path(), "sda");
  CHECK(health.temperature_celsius == doctest::Approx(30));
  CHECK(std::isnan(health.temperature_limit_celsius));
  CHECK(std::isnan(health_of(tree.path(), "sdb").temperature_celsius));
}

TEST_CASE("a container is known by what it leaves lying about") {
  const TemporaryTree none, docker, told, grouped;
  docker.file(".dockerenv", "");
  told.file("run/systemd/container", "lxc\n");
  grouped.file("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n");
  CHECK(container_of(none.path()).empty());
  CHECK(container_of(docker.path()) == "docker");
  CHECK(container_of(told.path()) == "lxc");
  CHECK(container_of(grouped.path()) == "kubernetes");
}

}  // namespace
}  // namespace iobenchd::platform
