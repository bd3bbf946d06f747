// Names, labels and users of disks as OpenBSD has them: disk "sd0" has partitions "sd0a" to "sd0p",
// "sd0c" is the whole of it, and each is there twice, /dev/sd0a (block) and /dev/rsd0a (raw). Safe
// from any thread. `label_of` and what uses it open the raw disk and may hang with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iobenchd::platform {

struct PartitionName {
  std::string disk;  // "sd0"
  char letter = 'c';
  bool raw = false;
};
// "/dev/rsd0c" -> {sd0, c, raw}; none for what is no disk's name.
[[nodiscard]] std::optional<PartitionName> parse_partition(const std::string& path);

struct Label {
  std::uint32_t sector_bytes = 0;
  std::uint64_t disk_bytes = 0;
  std::string type_name, pack_name;
  std::uint64_t uid = 0;  // the first half of the DUID; 0 where there is none
  struct Partition {
    char letter = 'a';
    std::uint64_t first_sector = 0, sectors = 0;
    bool raid = false;  // FS_RAID: a chunk of softraid
  };
  std::vector<Partition> partitions;  // those that are there
};
[[nodiscard]] std::optional<Label> read_label(int raw_descriptor);
[[nodiscard]] std::optional<Label> label_of(const std::string& disk);

struct Inquiry {
  std::string model, serial, firmware;
};
[[nodiscard]] Inquiry inquire(int raw_descriptor);

[[nodiscard]] std::vector<std::string> disk_names();  // hw.disknames, without optical and memory
// Chunks of a softraid volume ("sd2" -> "sd0a", "sd1a"); empty when it is none.
[[nodiscard]] std::vector<std::string> softraid_chunks(const std::string& disk);
// The file behind a vnd(4); empty when it is none.
[[nodiscard]] std::string vnd_file(const std::string& disk);
// Physical disks underneath; vnd and softraid expanded.
[[nodiscard]] std::vector<std::string> leaves_of_disk(const std::string& disk);
// "mounted on /home", "swap", "softraid member (sd0a)": who uses anything this partition covers.
[[nodiscard]] std::string use_of_partition(const PartitionName& partition, const Label& label);

}  // namespace iobenchd::platform
