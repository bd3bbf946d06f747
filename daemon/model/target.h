// What is known of a disk, file or directory. Flat: the probe sends it over a socket, so text is
// bounded and NUL-terminated
// (`check_facts`), and bytes that are not UTF-8 (disk models!) are still in it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iobenchd {

enum class TargetKind : std::uint32_t {
  missing,
  block_device,
  raw_device,
  regular_file,
  directory,
  other
};
[[nodiscard]] std::string_view to_string(TargetKind value) noexcept;

inline constexpr std::uint32_t facts_version = 4;
inline constexpr std::uint32_t max_leaves = 16;

struct TargetFacts {
  std::uint32_t version = facts_version;
  TargetKind kind = TargetKind::missing;
  std::int32_t error_number = 0;  // why it can't be asked; 0: all well
  std::uint32_t logical_sector_bytes = 0;
  std::uint32_t physical_sector_bytes = 0;
  std::uint32_t leaf_count = 0;
  std::uint64_t size_bytes = 0;  // device or file; of a directory's filesystem
  std::uint64_t free_bytes = 0;  // of the filesystem, to unprivileged users
  std::uint64_t device = 0;      // st_rdev of a device, else st_dev
  std::uint64_t inode = 0;
  std::uint8_t in_use = 0;  // mounted, swap, held, member of something, opened exclusively
  std::uint8_t rotational = 0;
  std::uint8_t is_virtual = 0;     // virtio, xen, loop, memory: the host makes of it what it likes
  std::uint8_t block_storage = 1;  // 0: tmpfs, NFS, FUSE, ...
  std::uint8_t direct_io = 0;      // opened with direct I/O without an error
  std::uint8_t wear_known = 0;     // wear_percent_used is the device's own figure
  std::uint8_t counters_known = 0;
  std::uint8_t signatures_known = 0;    // somebody looked
  std::uint32_t wear_percent_used = 0;  // NVMe's Percentage Used; 100 and more: past its rated life
  std::uint32_t reserved_too = 0;
  std::uint64_t allocated_bytes = 0;  // of a file; less than its size where it has holes
  // What the disk has done since the machine started, where only a probe may ask
  // (ProbeQuestion::counters).
  std::uint64_t read_ios = 0, write_ios = 0, read_bytes = 0, write_bytes = 0;
  std::array<char, 32> governor{};  // of the CPUs, by the same question
  std::array<char, 1024> path{};    // as asked
  std::array<char, 1024> real_path{};
  std::array<char, 256> use{};  // "mounted on /home"; "swap"; "member of md0"
  std::array<char, 64> model{}, serial{}, firmware{}, io_scheduler{}, filesystem{};
  std::array<char, 256> mount_point{}, mount_options{};
  std::array<char, 128> signatures{};  // of a device: "gpt ext"; empty: none was found
  std::array<std::array<char, 32>, max_leaves>
      leaves{};  // physical devices underneath: "nvme0", "sd1"
};

// Text of a bounded field, up to its NUL.
template <std::size_t N>
[[nodiscard]] std::string text_of(const std::array<char, N>& field) {
  std::string_view view(field.data(), N);
  return std::string(view.substr(0, view.find('\0')));
}
// Copies and truncates; always NUL-terminated.
template <std::size_t N>
void set_text(std::array<char, N>& field, std::string_view text) {
  const std::size_t length = text.size() < N - 1 ? text.size() : N - 1;
  for (std::size_t i = 0; i < length; ++i) field[i] = text[i];
  for (std::size_t i = length; i < N; ++i) field[i] = '\0';
}

// Throws Error{internal} when a version, count, enum or terminator is impossible.
void check_facts(const TargetFacts& facts);
[[nodiscard]] std::vector<std::string> leaves_of(const TargetFacts& facts);
// The phrase a user must repeat in `confirm` before a device is written: "destroy MODEL SERIAL
// SIZE", or with the path where the disk has no serial number.
[[nodiscard]] std::string confirm_phrase(const TargetFacts& facts);

}  // namespace iobenchd
