// What /sys and /proc say of block devices, by their kernel names ("sda1", "nvme0n1", "md0").
// Nothing here opens a device. `root` stands before every path, so that tests can bring their own
// tree; in life it is empty. Safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iobenchd::platform {

// One physical device underneath. `leaf` is its name as a lease knows it: all namespaces of an NVMe
// controller are "nvme0"; `disk` is the block device that leads to it.
struct Leaf {
  std::string leaf;
  std::string disk;
};

struct Identity {
  std::string model, serial, firmware;
};

// "" when the kernel knows none of that number.
[[nodiscard]] std::string block_name(const std::string& root, unsigned major, unsigned minor);
[[nodiscard]] std::string block_name_of_path(const std::string& root, const std::string& path);
[[nodiscard]] std::string whole_disk(const std::string& root, const std::string& name);
// Partitions to disks, dm, md and bcache to their members, loop to what its backing file is on.
[[nodiscard]] std::vector<Leaf> leaves_of(const std::string& root, const std::string& name);
// All devices of the btrfs that has this one; empty when it is none.
[[nodiscard]] std::vector<std::string> btrfs_members(const std::string& root,
                                                     const std::string& name);
// Who uses the device, one of its partitions, or the disk it is a partition of: "mounted on /home",
// "swap", "member of md0", "behind loop3". Empty: nobody that /sys and /proc know of.
[[nodiscard]] std::string use_of(const std::string& root, const std::string& name);
[[nodiscard]] Identity identity_of(const std::string& root, const std::string& disk);
[[nodiscard]] bool is_virtual(const std::string& disk, const Identity& identity);
[[nodiscard]] std::uint64_t block_number(const std::string& root, const std::string& name,
                                         const char* file);  // "size", "queue/rotational"; 0
[[nodiscard]] std::string scheduler_of(const std::string& root, const std::string& disk);
[[nodiscard]] std::vector<std::string> whole_disks(const std::string& root);

}  // namespace iobenchd::platform
