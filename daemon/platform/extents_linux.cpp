#include "daemon/platform/extents_linux.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace iobenchd::platform {
namespace {

constexpr std::uint32_t extents_at_once = 128;
constexpr std::uint32_t rounds_most = 800;

// struct fiemap ends in an array without a size; this is the room for it.
struct alignas(fiemap) Room {
  std::array<std::byte, sizeof(fiemap) + extents_at_once * sizeof(fiemap_extent)> bytes{};
};

fiemap_extent extent_at(const Room& room, std::uint32_t index) noexcept {
  fiemap_extent extent{};
  std::memcpy(&extent, room.bytes.data() + sizeof(fiemap) + index * sizeof extent, sizeof extent);
  return extent;
}

}  // namespace

std::uint64_t unwritten_bytes(int descriptor) noexcept {
  std::uint64_t unwritten = 0;
  std::uint64_t from = 0;
  for (std::uint32_t round = 0; round < rounds_most; ++round) {
    Room room;
    fiemap& request = *reinterpret_cast<fiemap*>(room.bytes.data());
    request.fm_start = from;
    request.fm_length = FIEMAP_MAX_OFFSET - from;
    request.fm_flags = round == 0 ? FIEMAP_FLAG_SYNC : 0;
    request.fm_extent_count = extents_at_once;
    if (ioctl(descriptor, FS_IOC_FIEMAP, &request) != 0) return unwritten;
    for (std::uint32_t i = 0; i < request.fm_mapped_extents; ++i) {
      const fiemap_extent extent = extent_at(room, i);
      if ((extent.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0) unwritten += extent.fe_length;
      if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0) return unwritten;
      from = extent.fe_logical + extent.fe_length;
    }
    if (request.fm_mapped_extents == 0) return unwritten;
  }
  return unwritten;
}

}  // namespace iobenchd::platform
