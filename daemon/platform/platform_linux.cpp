#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "daemon/platform/block_linux.h"
#include "daemon/platform/extents_linux.h"
#include "daemon/platform/health_linux.h"
#include "daemon/platform/mounts_linux.h"
#include "daemon/platform/platform.h"
#include "daemon/platform/signatures.h"

namespace iobenchd::platform {
namespace {

const std::string no_root;  // life; tests of block_linux bring trees of their own

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

std::string proc_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

// The same file opened again, an open file of its own: names can't be swapped underneath.
int open_again(int descriptor, int flags) {
  return open(proc_path(descriptor).c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

std::string path_of(int descriptor) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = readlink(proc_path(descriptor).c_str(), text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
}

TargetKind kind_of(const struct stat& info) {
  if (S_ISBLK(info.st_mode)) return TargetKind::block_device;
  if (S_ISREG(info.st_mode)) return TargetKind::regular_file;
  if (S_ISDIR(info.st_mode)) return TargetKind::directory;
  return TargetKind::other;  // character devices too: Linux has no raw disks any more
}

bool grants_direct_io(int descriptor, TargetKind kind) {
  const int flags = kind == TargetKind::directory ? O_TMPFILE | O_RDWR : O_RDONLY;
  const Descriptor trial(open_again(descriptor, flags | O_DIRECT));
  return trial.is_open();
}

// What /sys knows of the physical devices underneath.
void add_block_facts(TargetFacts& facts, const std::string& name) {
  const std::vector<Leaf> leaves = leaves_of(no_root, name);
  for (const Leaf& leaf : leaves) {
    if (facts.leaf_count == max_leaves) break;
    set_text(facts.leaves[facts.leaf_count++], leaf.leaf);
    const Identity identity = identity_of(no_root, leaf.disk);
    if (block_number(no_root, leaf.disk, "queue/rotational") == 1) facts.rotational = 1;
    if (is_virtual(leaf.disk, identity)) facts.is_virtual = 1;
  }
  const std::string disk = whole_disk(no_root, name);
  Identity identity = identity_of(no_root, disk);
  // A file on LVM is known by the disk beneath; a device is confirmed by what it is itself.
  const bool is_device = facts.kind == TargetKind::block_device;
  if (!is_device && leaves.size() == 1 && identity.serial.empty())
    identity = identity_of(no_root, leaves.front().disk);
  set_text(facts.model, identity.model);
  set_text(facts.serial, identity.serial);
  set_text(facts.firmware, identity.firmware);
  set_text(facts.io_scheduler,
           scheduler_of(no_root, leaves.size() == 1 ? leaves.front().disk : disk));
  const auto sector = [&](const char* file) {
    return static_cast<std::uint32_t>(block_number(no_root, disk, file));
  };
  facts.logical_sector_bytes = sector("queue/logical_block_size");
  facts.physical_sector_bytes = sector("queue/physical_block_size");
}

void add_device_facts(TargetFacts& facts, const struct stat& info, int descriptor) {
  const std::string name = block_name(no_root, major(info.st_rdev), minor(info.st_rdev));
  add_block_facts(facts, name);
  facts.size_bytes = block_number(no_root, name, "size") * 512;
  std::string use = use_of(no_root, name);
  if (descriptor >= 0) {
    std::uint64_t bytes = 0;
    if (ioctl(descriptor, BLKGETSIZE64, &bytes) == 0) facts.size_bytes = bytes;
    if (name.compare(0, 4, "nvme") == 0) add_wear(facts, descriptor);
    // The kernel's own mounts, swap, RAID and ZFS claim a device for themselves; an exclusive open
    // finds what no list shows.
    const Descriptor exclusive(open_again(descriptor, O_RDONLY | O_EXCL));
    if (!exclusive.is_open() && errno == EBUSY && use.empty()) use = "opened exclusively";
  }
  facts.in_use = use.empty() ? 0 : 1;
  set_text(facts.use, use);
}

// A loop device's backing file or a swap file looks like any other file to its owner.
std::string use_of_file(const struct stat& info) {
  const auto same = [&](const std::string& path) {
    struct stat other {};
    return !path.empty() && stat(path.c_str(), &other) == 0 && other.st_dev == info.st_dev &&
           other.st_ino == info.st_ino;
  };
  for (const std::string& line : lines_of(read_text("/proc/swaps"))) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() > 1 && words[1] == "file" && same(words[0])) return "swap";
  }
  for (const std::string& disk : whole_disks(no_root)) {
    if (same(read_word("/sys/block/" + disk + "/loop/backing_file"))) return "behind " + disk;
  }
  return {};
}

void add_filesystem_facts(TargetFacts& facts, const struct stat& info, int descriptor) {
  const int id = mount_id_of(descriptor);
  std::string name = block_name(no_root, major(info.st_dev), minor(info.st_dev));
  for (const Mount& mount : read_mounts(no_root)) {
    if (mount.id != id) continue;
    set_text(facts.filesystem, mount.filesystem);
    set_text(facts.mount_point, mount.point);
    set_text(facts.mount_options, mount.options);
    facts.block_storage = is_block_storage(mount.filesystem) ? 1 : 0;
    if (name.empty() && mount.source.compare(0, 5, "/dev/") == 0)
      name = block_name_of_path(no_root, mount.source);
    // A pool's disks are ZFS's secret; its name at least keeps two runs on one pool apart.
    if (mount.filesystem == "zfs")
      set_text(facts.leaves[facts.leaf_count++],
               "zfs:" + mount.source.substr(0, mount.source.find('/')));
  }
  if (!name.empty()) {
    add_block_facts(facts, name);
    for (const std::string& member : btrfs_members(no_root, name)) {
      for (const Leaf& leaf : leaves_of(no_root, member)) {
        const std::vector<std::string> known = iobenchd::leaves_of(facts);
        const bool is_new = std::find(known.begin(), known.end(), leaf.leaf) == known.end();
        if (is_new && facts.leaf_count < max_leaves)
          set_text(facts.leaves[facts.leaf_count++], leaf.leaf);
      }
    }
  }
  struct statvfs space {};
  if (fstatvfs(descriptor, &space) != 0) return;
  facts.free_bytes = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  if (facts.kind == TargetKind::directory)
    facts.size_bytes = static_cast<std::uint64_t>(space.f_blocks) * space.f_frsize;
}

// `descriptor` may be an O_PATH one, which reads nothing; `readable` is -1 where the target could
// not be opened.
TargetFacts collect(int descriptor, int readable, const std::string& path) {
  TargetFacts facts;
  set_text(facts.path, path);
  set_text(facts.real_path, path_of(descriptor));
  struct stat info {};
  if (fstat(descriptor, &info) != 0) {
    facts.error_number = errno;
    return facts;
  }
  facts.kind = kind_of(info);
  facts.inode = info.st_ino;
  const bool is_device = S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode);
  facts.device = is_device ? info.st_rdev : info.st_dev;
  if (facts.kind == TargetKind::other) return facts;
  if (facts.kind == TargetKind::block_device) {
    add_device_facts(facts, info, readable);
    if (readable >= 0) set_text(facts.signatures, signatures_on(readable));
    facts.signatures_known = readable >= 0 ? 1 : 0;
  } else {
    add_filesystem_facts(facts, info, descriptor);
    if (facts.kind == TargetKind::regular_file) {
      facts.allocated_bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
      facts.size_bytes = static_cast<std::uint64_t>(info.st_size);
      if (readable >= 0)
        facts.allocated_bytes -= std::min(facts.allocated_bytes, unwritten_bytes(readable));
      const std::string use = use_of_file(info);
      facts.in_use = use.empty() ? 0 : 1;
      set_text(facts.use, use);
    }
  }
  if (readable >= 0) facts.direct_io = grants_direct_io(readable, facts.kind) ? 1 : 0;
  // Where nothing is said: every disk's sector is a multiple of this.
  if (facts.logical_sector_bytes == 0) facts.logical_sector_bytes = 512;
  if (facts.physical_sector_bytes == 0) facts.physical_sector_bytes = facts.logical_sector_bytes;
  return facts;
}

}  // namespace

TargetFacts facts_of(const std::string& path) {
  // O_PATH wakes no tape and blocks on no pipe; only what is a disk, file or directory is opened.
  const Descriptor handle(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!handle.is_open()) {
    TargetFacts facts;
    facts.error_number = errno;
    set_text(facts.path, path);
    return facts;
  }
  struct stat info {};
  const bool openable = fstat(handle.number(), &info) == 0 && kind_of(info) != TargetKind::other;
  const Descriptor readable(openable ? open_again(handle.number(), O_RDONLY) : -1);
  const int open_error = openable && !readable.is_open() ? errno : 0;
  TargetFacts facts = collect(handle.number(), readable.number(), path);
  if (facts.error_number == 0) facts.error_number = open_error;
  return facts;
}

TargetFacts facts_of(int descriptor, const std::string& path) {
  return collect(descriptor, descriptor, path);
}

std::vector<std::string> disk_paths() {
  std::vector<std::string> paths;
  for (std::string name : whole_disks(no_root)) {
    std::replace(name.begin(), name.end(), '!', '/');  // "cciss!c0d0" is /dev/cciss/c0d0
    paths.push_back("/dev/" + name);
  }
  return paths;
}

int open_target(const char* path, bool write, bool& direct, int extra_flags) {
  const int base = (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | extra_flags;
  int error = 0;
  // Only a file's owner may have O_NOATIME; without it a buffered read costs 7 % more.
  for (const int wanted : {O_DIRECT | O_NOATIME, O_DIRECT, O_NOATIME, 0}) {
    if ((wanted & O_DIRECT) != 0 && !direct) continue;
    const int descriptor = open(path, base | wanted, 0600);
    if (descriptor >= 0) {
      direct = (wanted & O_DIRECT) != 0;
      return descriptor;
    }
    // EINVAL: no direct I/O there. Some filesystems notice only after they made the file.
    error = errno;
    const bool made =
        error == EINVAL && (extra_flags & O_CREAT) != 0 && (extra_flags & O_EXCL) != 0;
    if (made) unlink(path);
    if (error != EINVAL && error != EPERM) break;
  }
  return -error;
}

}  // namespace iobenchd::platform
