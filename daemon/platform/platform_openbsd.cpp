// sys/param.h before the rest: the headers of this system lean on it.
#include <sys/param.h>
//
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "daemon/platform/disks_openbsd.h"
#include "daemon/platform/platform.h"

namespace iobenchd::platform {
namespace {

std::string resolve(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : std::string();
}

TargetKind kind_of(const struct stat& info, const std::string& real_path) {
  if (S_ISREG(info.st_mode)) return TargetKind::regular_file;
  if (S_ISDIR(info.st_mode)) return TargetKind::directory;
  const std::optional<PartitionName> name = parse_partition(real_path);
  if (S_ISBLK(info.st_mode) && name && !name->raw) return TargetKind::block_device;
  if (S_ISCHR(info.st_mode) && name && name->raw) return TargetKind::raw_device;
  return TargetKind::other;
}

void set_leaves(TargetFacts& facts, const std::string& disk) {
  for (const std::string& leaf : leaves_of_disk(disk)) {
    if (facts.leaf_count < max_leaves) set_text(facts.leaves[facts.leaf_count++], leaf);
    if (leaf.compare(0, 3, "vnd") == 0) facts.is_virtual = 1;
  }
}

// Labels are read from the whole raw disk, whichever of its names was asked for: block devices
// refuse to be opened while they are mounted.
void add_disk_facts(TargetFacts& facts, const PartitionName& partition) {
  set_leaves(facts, partition.disk);
  const int raw = open(("/dev/r" + partition.disk + "c").c_str(), O_RDONLY | O_CLOEXEC);
  if (raw < 0) {
    facts.error_number = errno;
    return;
  }
  const std::optional<Label> label = read_label(raw);
  const Inquiry inquiry = inquire(raw);
  close(raw);
  set_text(facts.model, inquiry.model.empty() && label ? label->type_name : inquiry.model);
  set_text(facts.serial, inquiry.serial);
  set_text(facts.firmware, inquiry.firmware);
  for (const std::string_view maker : {"QEMU", "VirtIO", "VMware", "OpenBSD", "Msft", "Google"}) {
    if (inquiry.model.compare(0, maker.size(), maker) == 0) facts.is_virtual = 1;
  }
  if (!label) {
    facts.error_number = ENXIO;
    return;
  }
  facts.logical_sector_bytes = facts.physical_sector_bytes = label->sector_bytes;
  const bool is_device =
      facts.kind == TargetKind::raw_device || facts.kind == TargetKind::block_device;
  if (!is_device) return;
  facts.size_bytes = label->disk_bytes;
  for (const Label::Partition& one : label->partitions) {
    if (one.letter == partition.letter && one.letter != 'c')
      facts.size_bytes = one.sectors * label->sector_bytes;
  }
  const std::string use = use_of_partition(partition, *label);
  facts.in_use = use.empty() ? 0 : 1;
  set_text(facts.use, use);
}

bool is_block_storage(std::string_view filesystem) {
  for (const std::string_view other : {"mfs", "tmpfs", "nfs", "fuse", "fusefs", "procfs"}) {
    if (filesystem == other) return false;
  }
  return true;
}

std::string options_text(const struct statfs& filesystem) {
  struct Option {
    std::uint32_t flag;
    const char* text;
  };
  constexpr Option options[] = {{MNT_RDONLY, "read-only"},   {MNT_SYNCHRONOUS, "synchronous"},
                                {MNT_ASYNC, "asynchronous"}, {MNT_NOATIME, "noatime"},
                                {MNT_NODEV, "nodev"},        {MNT_NOSUID, "nosuid"},
                                {MNT_NOEXEC, "noexec"},      {MNT_LOCAL, "local"}};
  std::string text;
  for (const Option& option : options) {
    if ((filesystem.f_flags & option.flag) != 0)
      text += (text.empty() ? "" : ",") + std::string(option.text);
  }
  return text;
}

void add_filesystem_facts(TargetFacts& facts, const struct statfs& filesystem) {
  const std::string type(filesystem.f_fstypename);
  set_text(facts.filesystem, type);
  set_text(facts.mount_point, filesystem.f_mntonname);
  set_text(facts.mount_options, options_text(filesystem));
  facts.block_storage = is_block_storage(type) ? 1 : 0;
  const std::uint64_t block = filesystem.f_bsize;
  // What root keeps for itself can make the room for others negative.
  facts.free_bytes =
      filesystem.f_bavail > 0 ? static_cast<std::uint64_t>(filesystem.f_bavail) * block : 0;
  if (facts.kind == TargetKind::directory) facts.size_bytes = filesystem.f_blocks * block;
  const std::optional<PartitionName> source = parse_partition(filesystem.f_mntfromname);
  if (source) add_disk_facts(facts, *source);
  facts.error_number = 0;  // a disk that a plain user can't ask hides its model, not the file
}

TargetFacts collect(const struct stat& info, const struct statfs* filesystem,
                    const std::string& path, const std::string& real_path) {
  TargetFacts facts;
  set_text(facts.path, path);
  set_text(facts.real_path, real_path);
  facts.kind = kind_of(info, real_path);
  const bool node = S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode);
  facts.device = static_cast<std::uint64_t>(node ? info.st_rdev : info.st_dev);
  facts.inode = info.st_ino;
  if (facts.kind == TargetKind::other) return facts;
  if (facts.kind == TargetKind::regular_file)
    facts.allocated_bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
  if (facts.kind == TargetKind::regular_file)
    facts.size_bytes = static_cast<std::uint64_t>(info.st_size);
  if (node) {
    add_disk_facts(facts, *parse_partition(real_path));
    // The raw name goes past the buffer cache; nothing else here does.
    facts.direct_io = facts.kind == TargetKind::raw_device ? 1 : 0;
  } else if (filesystem != nullptr) {
    add_filesystem_facts(facts, *filesystem);
  }
  if (facts.logical_sector_bytes == 0) facts.logical_sector_bytes = DEV_BSIZE;
  if (facts.physical_sector_bytes == 0) facts.physical_sector_bytes = facts.logical_sector_bytes;
  return facts;
}

TargetFacts unknown(const std::string& path, int error) {
  TargetFacts facts;
  set_text(facts.path, path);
  facts.error_number = error;
  return facts;
}

}  // namespace

TargetFacts facts_of(const std::string& path) {
  const std::string real_path = resolve(path);
  struct stat info {};
  if (real_path.empty() || stat(real_path.c_str(), &info) != 0) return unknown(path, errno);
  struct statfs filesystem {};
  const bool known = statfs(real_path.c_str(), &filesystem) == 0;
  return collect(info, known ? &filesystem : nullptr, path, real_path);
}

TargetFacts facts_of(int descriptor, const std::string& path) {
  // A descriptor has no name here: the path's own is believed where it leads to the same file.
  struct stat info {
  }, named{};
  if (fstat(descriptor, &info) != 0) return unknown(path, errno);
  const std::string real_path = resolve(path);
  const bool same = !real_path.empty() && stat(real_path.c_str(), &named) == 0 &&
                    named.st_dev == info.st_dev && named.st_ino == info.st_ino;
  if (!same) return unknown(path, ESTALE);
  struct statfs filesystem {};
  const bool known = fstatfs(descriptor, &filesystem) == 0;
  return collect(info, known ? &filesystem : nullptr, path, real_path);
}

std::vector<std::string> disk_paths() {
  std::vector<std::string> paths;
  for (const std::string& disk : disk_names()) paths.push_back("/dev/r" + disk + "c");
  return paths;
}

int open_target(const char* path, bool write, bool& direct, int extra_flags) {
  const int flags = (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | extra_flags;
  const int descriptor = open(path, flags, 0600);
  if (descriptor < 0) return -errno;
  struct stat info {};
  // Whether a transfer is direct depends on the name alone: always on a raw disk, never elsewhere.
  direct = fstat(descriptor, &info) == 0 && S_ISCHR(info.st_mode);
  return descriptor;
}

}  // namespace iobenchd::platform
