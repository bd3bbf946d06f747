#include "daemon/platform/block_linux.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "daemon/platform/mounts_linux.h"

namespace iobenchd::platform {
namespace {

constexpr int stacking_limit = 16;  // md on dm on loop on ...: no honest stack is deeper

std::string class_dir(const std::string& root, const std::string& name) {
  return root + "/sys/class/block/" + name;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(path.c_str(), nullptr),
                                                             &std::free);
  return resolved ? std::string(resolved.get()) : std::string();
}

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// The physical device behind a disk's name: "nvme0n1" -> "nvme0", "mmcblk0boot1" -> "mmcblk0".
std::string leaf_name(const std::string& disk) {
  for (const std::string_view prefix : {std::string_view("nvme"), std::string_view("mmcblk")}) {
    if (!starts_with(disk, prefix)) continue;
    std::size_t end = prefix.size();
    while (end < disk.size() && std::isdigit(static_cast<unsigned char>(disk[end]))) ++end;
    return disk.substr(0, end);
  }
  return disk;
}

std::vector<std::string> partitions_of(const std::string& root, const std::string& disk) {
  std::vector<std::string> names;
  for (const std::string& entry : entries_of(class_dir(root, disk))) {
    if (exists(class_dir(root, disk) + "/" + entry + "/partition")) names.push_back(entry);
  }
  return names;
}

std::string backing_file(const std::string& root, const std::string& name) {
  return read_word(class_dir(root, name) + "/loop/backing_file");
}

void add_leaves(const std::string& root, const std::string& name, int depth,
                std::vector<Leaf>& leaves) {
  if (depth > stacking_limit || name.empty()) return;
  const std::string disk = whole_disk(root, name);
  const std::vector<std::string> members = entries_of(class_dir(root, disk) + "/slaves");
  if (!members.empty()) {
    for (const std::string& member : members) add_leaves(root, member, depth + 1, leaves);
    return;
  }
  const std::string file = backing_file(root, disk);
  const std::string beneath = file.empty() ? "" : block_name_of_path(root, root + file);
  if (!beneath.empty() && beneath != disk) {
    add_leaves(root, beneath, depth + 1, leaves);
    return;
  }
  const std::string leaf = leaf_name(disk);
  const auto same = [&](const Leaf& other) { return other.leaf == leaf; };
  if (std::none_of(leaves.begin(), leaves.end(), same)) leaves.push_back({leaf, disk});
}

// What holds a device: "md0", or "dm-0 (vg-home)".
std::string holder_title(const std::string& root, const std::string& holder) {
  const std::string title = read_word(class_dir(root, holder) + "/dm/name");
  return title.empty() ? holder : holder + " (" + title + ")";
}

std::string mount_use(const std::string& root, const std::string& name,
                      const std::vector<Mount>& mounts) {
  const std::string numbers = read_word(class_dir(root, name) + "/dev");
  for (const Mount& mount : mounts) {
    const bool same_number =
        numbers == std::to_string(mount.major) + ":" + std::to_string(mount.minor);
    // btrfs and friends have numbers of their own; their source still names a device.
    const bool same_source = mount.major == 0 && starts_with(mount.source, "/dev/") &&
                             block_name_of_path(root, root + mount.source) == name;
    if (same_number || same_source) return "mounted on " + mount.point;
  }
  return {};
}

bool is_swap(const std::string& root, const std::string& name) {
  for (const std::string& line : lines_of(read_text(root + "/proc/swaps"))) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() > 1 && words[1] == "partition" &&
        block_name_of_path(root, root + words[0]) == name)
      return true;
  }
  return false;
}

std::string loop_use(const std::string& root, const std::string& name) {
  for (const std::string& loop : entries_of(root + "/sys/block")) {
    const std::string file = backing_file(root, loop);
    if (!starts_with(file, "/dev/")) continue;
    if (block_name_of_path(root, root + file) == name) return "behind " + loop;
  }
  return {};
}

std::string own_use(const std::string& root, const std::string& name,
                    const std::vector<Mount>& mounts) {
  if (std::string mounted = mount_use(root, name, mounts); !mounted.empty()) return mounted;
  if (is_swap(root, name)) return "swap";
  const std::vector<std::string> holders = entries_of(class_dir(root, name) + "/holders");
  if (!holders.empty()) return "member of " + holder_title(root, holders.front());
  if (!btrfs_members(root, name).empty()) return "member of a btrfs";
  return loop_use(root, name);
}

// Page 0x80 of the SCSI vital product data: a header of four bytes, then the serial number.
std::string scsi_serial(const std::string& device) {
  const std::string page = read_text(device + "/vpd_pg80");
  if (page.size() <= 4) return {};
  const std::size_t length = std::min<std::size_t>(
      static_cast<unsigned char>(page[2]) * 256U + static_cast<unsigned char>(page[3]),
      page.size() - 4);
  std::string serial = page.substr(4, length);
  serial.erase(0, std::min(serial.find_first_not_of(' '), serial.size()));
  while (!serial.empty() && (serial.back() == ' ' || serial.back() == '\0')) serial.pop_back();
  return serial;
}

}  // namespace

std::string block_name(const std::string& root, unsigned major, unsigned minor) {
  const std::string link =
      root + "/sys/dev/block/" + std::to_string(major) + ":" + std::to_string(minor);
  return base_name(real_path(link));
}

std::string block_name_of_path(const std::string& root, const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    // Trees made for tests have no device nodes; a node is known by its name then.
    const std::string name = base_name(path);
    const bool node = starts_with(path, root + "/dev/") && exists(class_dir(root, name));
    return node ? name : std::string();
  }
  if (S_ISBLK(info.st_mode)) return block_name(root, major(info.st_rdev), minor(info.st_rdev));
  return block_name(root, major(info.st_dev), minor(info.st_dev));
}

std::string whole_disk(const std::string& root, const std::string& name) {
  const std::string directory = real_path(class_dir(root, name));
  if (directory.empty() || !exists(directory + "/partition")) return name;
  return base_name(directory.substr(0, directory.find_last_of('/')));
}

std::vector<Leaf> leaves_of(const std::string& root, const std::string& name) {
  std::vector<Leaf> leaves;
  add_leaves(root, name, 0, leaves);
  return leaves;
}

std::vector<std::string> btrfs_members(const std::string& root, const std::string& name) {
  const std::string base = root + "/sys/fs/btrfs/", member = "/" + name;
  for (const std::string& entry : entries_of(base)) {
    std::string devices = base;
    devices.append(entry).append("/devices");
    if (exists(devices + member)) return entries_of(devices);
  }
  return {};
}

std::string use_of(const std::string& root, const std::string& name) {
  const std::vector<Mount> mounts = read_mounts(root);
  std::vector<std::string> names{name};
  const std::string disk = whole_disk(root, name);
  if (disk != name) {
    names.push_back(disk);  // a filesystem on the whole disk has this partition too
  } else {
    for (const std::string& partition : partitions_of(root, name)) names.push_back(partition);
  }
  for (const std::string& one : names) {
    std::string use = own_use(root, one, mounts);
    if (use.empty()) continue;
    if (one != name) use.append(" (").append(one).append(")");
    return use;
  }
  return {};
}

Identity identity_of(const std::string& root, const std::string& disk) {
  const std::string block = class_dir(root, disk), device = block + "/device";
  Identity identity;
  const auto first_of = [](const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      std::string word = read_word(path);
      if (!word.empty()) return word;
    }
    return std::string();
  };
  identity.model = first_of({device + "/model", device + "/name", block + "/dm/name"});
  const std::string vendor = read_word(device + "/vendor");
  // SCSI has a vendor's name there, PCI and virtio a number; "ATA" is nobody's name.
  if (!identity.model.empty() && !vendor.empty() && !starts_with(vendor, "0x") && vendor != "ATA")
    identity.model = vendor + " " + identity.model;
  if (identity.model.empty()) {
    const std::string level = read_word(block + "/md/level");
    if (!level.empty()) identity.model = "md " + level;
  }
  identity.serial = first_of({device + "/serial", block + "/serial"});
  if (identity.serial.empty()) identity.serial = scsi_serial(device);
  if (identity.serial.empty())
    identity.serial =
        first_of({block + "/wwid", device + "/wwid", block + "/dm/uuid", block + "/md/uuid"});
  identity.firmware = first_of({device + "/firmware_rev", device + "/rev", device + "/fwrev"});
  return identity;
}

bool is_virtual(const std::string& disk, const Identity& identity) {
  for (const std::string_view prefix :
       {"vd", "xvd", "loop", "zram", "ram", "nbd", "rbd", "nullb"}) {
    const bool longer = disk.size() > prefix.size();
    if (longer && starts_with(disk, prefix)) return true;
  }
  for (const std::string_view maker :
       {"QEMU", "VMware", "Msft", "VBOX", "Google", "Amazon Elastic", "Linux scsi_debug", "Xen"}) {
    if (starts_with(identity.model, maker)) return true;
  }
  return false;
}

std::uint64_t block_number(const std::string& root, const std::string& name, const char* file) {
  return std::strtoull(read_word(class_dir(root, name) + "/" + file).c_str(), nullptr, 10);
}

std::string scheduler_of(const std::string& root, const std::string& disk) {
  std::string all = read_word(class_dir(root, disk) + "/queue/scheduler");
  const std::size_t open = all.find('['), close = all.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return all;
  return all.substr(open + 1, close - open - 1);
}

std::vector<std::string> whole_disks(const std::string& root) {
  std::vector<std::string> names;
  for (const std::string& name : entries_of(root + "/sys/block")) {
    const bool memory = starts_with(name, "ram") || starts_with(name, "zram");
    const bool optical = starts_with(name, "sr") || starts_with(name, "fd");
    if (memory || optical || block_number(root, name, "hidden") == 1) continue;
    if (block_number(root, name, "size") > 0) names.push_back(name);
  }
  return names;
}

}  // namespace iobenchd::platform
