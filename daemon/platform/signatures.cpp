#include "daemon/platform/signatures.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace iobenchd::platform {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t block_bytes = 4096;

struct Mark {
  std::string_view name;
  std::uint64_t offset;
  std::string_view bytes;  // as they lie there
};

// In the order of their offsets' blocks, so that each block is read once.
constexpr std::array<Mark, 26> marks{{
    {"luks", 0, "LUKS\xBA\xBE"sv},
    {"xfs", 0, "XFSB"sv},
    {"md", 0, "\xFC\x4E\x2B\xA9"sv},
    {"ntfs", 3, "NTFS    "sv},
    {"exfat", 3, "EXFAT   "sv},
    {"vfat", 54, "FAT1"sv},
    {"vfat", 82, "FAT32   "sv},
    {"gpt", 512, "EFI PART"sv},
    {"disklabel", 512, "\x57\x45\x56\x82"sv},
    {"lvm", 0, "LABELONE"sv},
    {"lvm", 512, "LABELONE"sv},
    {"lvm", 1024, "LABELONE"sv},
    {"lvm", 1536, "LABELONE"sv},
    {"f2fs", 1024, "\x10\x20\xF5\xF2"sv},
    {"ext", 1080, "\x53\xEF"sv},
    {"swap", 4086, "SWAPSPACE2"sv},
    {"gpt", 4096, "EFI PART"sv},
    {"md", 4096, "\xFC\x4E\x2B\xA9"sv},
    {"softraid", 8192, "marcCRAM"sv},
    {"ffs", 8192 + 1372, "\x54\x19\x01\x00"sv},
    {"iso9660", 32769, "CD001"sv},
    {"btrfs", 65536 + 64, "_BHRfS_M"sv},
    {"ffs", 65536 + 1372, "\x19\x01\x54\x19"sv},
    {"zfs", 131072, "\x0C\xB1\xBA\x00"sv},
    {"zfs", 131072 + 1024, "\x0C\xB1\xBA\x00"sv},
    {"zfs", 135168, "\x0C\xB1\xBA\x00"sv},
}};
// Boot sectors end in it, with and without a partition table: told where nothing else is.
constexpr Mark boot_sector{"mbr", 510, "\x55\xAA"sv};

class Blocks {
 public:
  explicit Blocks(int descriptor) : descriptor_(descriptor) {}

  [[nodiscard]] bool has(const Mark& mark) {
    const std::uint64_t start = mark.offset / block_bytes * block_bytes;
    if (start != start_) read(start);
    const std::string_view block(bytes_.data(), size_);
    const std::size_t at = static_cast<std::size_t>(mark.offset - start);
    return at < block.size() && block.substr(at, mark.bytes.size()) == mark.bytes;
  }

 private:
  void read(std::uint64_t start) {
    const ssize_t size =
        ::pread(descriptor_, bytes_.data(), bytes_.size(), static_cast<off_t>(start));
    start_ = start;
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
  }

  alignas(block_bytes) std::array<char, block_bytes> bytes_{};
  std::uint64_t start_ = ~std::uint64_t{0};  // none yet
  std::size_t size_ = 0;
  int descriptor_;
};

}  // namespace

std::string signatures_on(int descriptor) {
  Blocks blocks(descriptor);
  const bool boots = blocks.has(boot_sector);
  std::vector<std::string_view> found;
  for (const Mark& mark : marks) {
    const bool is_known = std::find(found.begin(), found.end(), mark.name) != found.end();
    if (!is_known && blocks.has(mark)) found.push_back(mark.name);
  }
  if (found.empty() && boots) found.push_back(boot_sector.name);
  std::string text;
  for (const std::string_view name : found) {
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

}  // namespace iobenchd::platform
