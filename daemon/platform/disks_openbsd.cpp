// sys/param.h before the rest: the headers of this system lean on it.
#include <sys/param.h>
//
#include <dev/biovar.h>
#include <dev/vndioctl.h>
#include <fcntl.h>
#include <sys/disklabel.h>
#include <sys/dkio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "daemon/platform/disks_openbsd.h"

namespace iobenchd::platform {
namespace {

constexpr int stacking_limit = 8;
constexpr int volumes_limit = 64;

class RawDisk {
 public:
  explicit RawDisk(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~RawDisk() {
    if (number_ >= 0) close(number_);
  }
  RawDisk(const RawDisk&) = delete;
  RawDisk& operator=(const RawDisk&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// a to z, then A to Z where labels have more than 26 partitions.
char letter_of(int index) {
  return static_cast<char>(index < 26 ? 'a' + index : 'A' + index - 26);
}

bool is_partition_letter(char c) {
  for (int i = 0; i < MAXPARTITIONS; ++i) {
    if (letter_of(i) == c) return true;
  }
  return false;
}

template <std::size_t N>
std::string bounded(const char (&text)[N]) {
  return std::string(text, strnlen(text, N));
}

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  return text;
}

bool starts_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

// "/dev/sd0a" or "sd0a", as mounts and swap lists have it.
std::optional<PartitionName> parse_source(const std::string& source) {
  return parse_partition(starts_with(source, "/dev/") ? source : "/dev/" + source);
}

struct Use {
  PartitionName partition;
  std::string what;
};

std::vector<Use> all_uses() {
  std::vector<Use> uses;
  struct statfs* mounts = nullptr;
  const int count = getmntinfo(&mounts, MNT_NOWAIT);
  for (int i = 0; i < count; ++i) {
    const auto partition = parse_source(bounded(mounts[i].f_mntfromname));
    if (partition) uses.push_back({*partition, "mounted on " + bounded(mounts[i].f_mntonname)});
  }
  const int swaps = swapctl(SWAP_NSWAP, nullptr, 0);
  if (swaps <= 0) return uses;
  std::vector<struct swapent> entries(static_cast<std::size_t>(swaps));
  const int filled = swapctl(SWAP_STATS, entries.data(), swaps);
  for (int i = 0; i < filled; ++i) {
    const struct swapent& entry = entries[static_cast<std::size_t>(i)];
    const auto partition = parse_source(bounded(entry.se_path));
    if (partition && (entry.se_flags & SWF_ENABLE) != 0) uses.push_back({*partition, "swap"});
  }
  return uses;
}

const Label::Partition* find_partition(const Label& label, char letter) {
  for (const Label::Partition& partition : label.partitions) {
    if (partition.letter == letter) return &partition;
  }
  return nullptr;
}

// Partitions of one label may lie over each other; c lies over all.
bool overlap(const Label& label, char one, char other) {
  if (one == other || one == 'c' || other == 'c') return true;
  const Label::Partition* a = find_partition(label, one);
  const Label::Partition* b = find_partition(label, other);
  if (a == nullptr || b == nullptr) return false;
  return a->first_sector < b->first_sector + b->sectors &&
         b->first_sector < a->first_sector + a->sectors;
}

void add_leaves(const std::string& disk, int depth, std::vector<std::string>& leaves) {
  if (depth > stacking_limit) return;
  const std::vector<std::string> chunks = softraid_chunks(disk);
  for (const std::string& chunk : chunks) {
    const auto partition = parse_source(chunk);
    if (partition) add_leaves(partition->disk, depth + 1, leaves);
  }
  if (!chunks.empty()) return;
  const std::string file = vnd_file(disk);
  struct statfs filesystem {};
  if (!file.empty() && statfs(file.c_str(), &filesystem) == 0) {
    const auto beneath = parse_source(bounded(filesystem.f_mntfromname));
    if (beneath && beneath->disk != disk) return add_leaves(beneath->disk, depth + 1, leaves);
  }
  if (std::find(leaves.begin(), leaves.end(), disk) == leaves.end()) leaves.push_back(disk);
}

// The bio(4) answers for one volume of one softraid: its disk's name and its chunks.
std::vector<std::string> chunks_of_volume(int bio, struct bio cookie, int volume,
                                          const std::string& disk) {
  struct bioc_vol about {};
  about.bv_bio = cookie;
  about.bv_volid = volume;
  if (ioctl(bio, BIOCVOL, &about) != 0 || bounded(about.bv_dev) != disk) return {};
  std::vector<std::string> chunks;
  for (int i = 0; i < about.bv_nodisk; ++i) {
    struct bioc_disk chunk {};
    chunk.bd_bio = cookie;
    chunk.bd_volid = volume;
    chunk.bd_diskid = i;
    // softraid(4) puts the chunk's partition where others put the vendor.
    if (ioctl(bio, BIOCDISK, &chunk) == 0) chunks.push_back(trimmed(bounded(chunk.bd_vendor)));
  }
  return chunks;
}

}  // namespace

std::optional<PartitionName> parse_partition(const std::string& path) {
  constexpr std::string_view dev = "/dev/";
  if (!starts_with(path, dev)) return std::nullopt;
  std::string name = path.substr(dev.size());
  PartitionName result;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // No driver of a disk is two letters starting with r, but rd(4), whose raw name is rrd.
  result.raw = name.size() > 1 && name[0] == 'r' && !(name[1] == 'd' && is_digit(name[2]));
  if (result.raw) name.erase(0, 1);
  std::size_t at = 0;
  while (at < name.size() && is_letter(name[at])) ++at;
  const std::size_t digits = at;
  while (at < name.size() && is_digit(name[at])) ++at;
  const bool sound =
      digits > 0 && at > digits && at + 1 == name.size() && is_partition_letter(name[at]);
  if (!sound) return std::nullopt;
  result.letter = name[at];
  result.disk = name.substr(0, at);
  return result;
}

std::optional<Label> read_label(int raw_descriptor) {
  struct disklabel raw {};
  // The driver's own geometry where it gives one, for the label on the disk can say anything.
  const bool physical = ioctl(raw_descriptor, DIOCGPDINFO, &raw) == 0;
  struct disklabel written {};
  const bool labelled = ioctl(raw_descriptor, DIOCGDINFO, &written) == 0;
  if (!physical && !labelled) return std::nullopt;
  if (!physical) raw = written;
  Label label;
  label.sector_bytes = raw.d_secsize;
  label.disk_bytes = static_cast<std::uint64_t>(DL_GETDSIZE(&raw)) * raw.d_secsize;
  label.type_name = trimmed(bounded(raw.d_typename));
  label.pack_name = trimmed(bounded(raw.d_packname));
  if (!labelled) return label;
  std::memcpy(&label.uid, written.d_uid, sizeof label.uid);
  for (int i = 0; i < written.d_npartitions && i < MAXPARTITIONS; ++i) {
    struct partition& one = written.d_partitions[i];
    Label::Partition partition;
    partition.letter = letter_of(i);
    partition.first_sector = static_cast<std::uint64_t>(DL_GETPOFFSET(&one));
    partition.sectors = static_cast<std::uint64_t>(DL_GETPSIZE(&one));
    partition.raid = one.p_fstype == FS_RAID;
    if (partition.sectors > 0) label.partitions.push_back(partition);
  }
  return label;
}

std::optional<Label> label_of(const std::string& disk) {
  const RawDisk raw("/dev/r" + disk + "c");
  return raw.number() < 0 ? std::nullopt : read_label(raw.number());
}

Inquiry inquire(int raw_descriptor) {
  struct dk_inquiry answer {};
  Inquiry inquiry;
  if (ioctl(raw_descriptor, DIOCINQ, &answer) != 0) return inquiry;
  const std::string vendor = trimmed(bounded(answer.vendor));
  inquiry.model = trimmed(bounded(answer.product));
  if (!vendor.empty() && vendor != "ATA") inquiry.model = vendor + " " + inquiry.model;
  inquiry.serial = trimmed(bounded(answer.serial));
  inquiry.firmware = trimmed(bounded(answer.revision));
  return inquiry;
}

std::vector<std::string> disk_names() {
  const std::array<int, 2> name{CTL_HW, HW_DISKNAMES};
  std::size_t length = 0;
  if (sysctl(name.data(), name.size(), nullptr, &length, nullptr, 0) != 0) return {};
  std::string text(length, '\0');
  if (sysctl(name.data(), name.size(), text.data(), &length, nullptr, 0) != 0) return {};
  text.resize(strnlen(text.data(), length));
  // "sd0:1a2b3c4d5e6f7081,cd0:,vnd0:": a name, a colon, the DUID where there is one.
  std::vector<std::string> disks;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string disk = text.substr(at, std::min(text.find(':', at), end) - at);
    const bool other =
        starts_with(disk, "cd") || starts_with(disk, "fd") || starts_with(disk, "rd");
    if (!disk.empty() && !other) disks.push_back(disk);
    at = end + 1;
  }
  return disks;
}

std::vector<std::string> softraid_chunks(const std::string& disk) {
  const RawDisk bio("/dev/bio");
  if (bio.number() < 0) return {};
  std::string controller = "softraid0";
  struct bio_locate locate {};
  locate.bl_name = controller.data();
  if (ioctl(bio.number(), BIOCLOCATE, &locate) != 0) return {};
  struct bioc_inq inquiry {};
  inquiry.bi_bio = locate.bl_bio;
  if (ioctl(bio.number(), BIOCINQ, &inquiry) != 0) return {};
  for (int volume = 0; volume < inquiry.bi_novol && volume < volumes_limit; ++volume) {
    std::vector<std::string> chunks = chunks_of_volume(bio.number(), locate.bl_bio, volume, disk);
    if (!chunks.empty()) return chunks;
  }
  return {};
}

std::string vnd_file(const std::string& disk) {
  if (!starts_with(disk, "vnd")) return {};
  const RawDisk raw("/dev/r" + disk + "c");
  struct vnd_user about {};
  about.vnu_unit = -1;  // the one that is opened
  if (raw.number() < 0 || ioctl(raw.number(), VNDIOCGET, &about) != 0) return {};
  return about.vnu_ino == 0 ? std::string() : bounded(about.vnu_file);
}

std::vector<std::string> leaves_of_disk(const std::string& disk) {
  std::vector<std::string> leaves;
  add_leaves(disk, 0, leaves);
  return leaves;
}

std::string use_of_partition(const PartitionName& partition, const Label& label) {
  const auto where = [&](char letter) {
    return letter == partition.letter ? std::string()
                                      : " (" + partition.disk + std::string(1, letter) + ")";
  };
  for (const Use& use : all_uses()) {
    const bool same_disk = use.partition.disk == partition.disk;
    if (same_disk && overlap(label, use.partition.letter, partition.letter))
      return use.what + where(use.partition.letter);
  }
  for (const Label::Partition& other : label.partitions) {
    if (other.raid && overlap(label, other.letter, partition.letter))
      return "softraid member" + where(other.letter);
  }
  return {};
}

}  // namespace iobenchd::platform
