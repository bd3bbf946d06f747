// What a disk tells of its own health. `root` as in block_linux.h. Safe from any thread.
#pragma once

#include <string>

#include "daemon/model/run.h"
#include "daemon/model/target.h"

namespace iobenchd::platform {

// The hwmon entries of an NVMe controller ("nvme0") or of a disk with drivetemp ("sda"):
// temp1_input, and temp1_max, where the device begins to slow down. Millidegrees there.
[[nodiscard]] DeviceHealth health_of(const std::string& root, const std::string& leaf);
// NVMe's SMART log (NVM Express base specification, log page 02h) through an open namespace; needs
// CAP_SYS_ADMIN. Leaves the facts alone where the device or the kernel refuses.
void add_wear(TargetFacts& facts, int descriptor);
// "docker", "podman", "lxc", "kubernetes"; empty: none.
[[nodiscard]] std::string container_of(const std::string& root);

}  // namespace iobenchd::platform
