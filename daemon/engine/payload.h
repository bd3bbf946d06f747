// What is written: bytes no disk can compress or deduplicate, unless it is asked for. The pool is
// made once, before the jobs are, and only read afterwards; a Payload has one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "daemon/engine/offsets.h"

namespace iobenchd::engine {

inline constexpr std::size_t sector_bytes = 512;

// Fills with fresh random bytes; `bytes` is a multiple of 8.
inline void fill_random(std::byte* target, std::size_t bytes, Random& random) noexcept {
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(target + i, &word, sizeof(word));
  }
}

// How many zeroes buffer_compress_percentage puts at the end of each sector: whole bytes, and never
// over the stamp that makes a sector unlike every other.
[[nodiscard]] constexpr std::size_t zeroes_of_sector(std::uint32_t compress_percentage) noexcept {
  const std::size_t zeroes = sector_bytes * compress_percentage / 100;
  const std::size_t most = sector_bytes - sizeof(std::uint64_t);
  return zeroes < most ? zeroes : most;
}

// `bytes` is a multiple of 512.
inline void make_compressible(std::byte* target, std::size_t bytes, std::size_t zeroes) noexcept {
  for (std::size_t end = sector_bytes; end <= bytes; end += sector_bytes)
    std::memset(target + end - zeroes, 0, zeroes);
}

// A window of a random pool, copied, and a stamp that never repeats in every sector: a tenth of
// what fresh bytes cost.
class Payload {
 public:
  static constexpr std::size_t window_bytes = std::size_t{64} * 1024;
  static constexpr std::size_t pool_bytes = (std::size_t{1} << 20) + window_bytes;

  // `pool` holds pool_bytes, or is null for a load that only reads.
  Payload(const std::byte* pool, std::uint32_t worker,
          std::uint32_t compress_percentage = 0) noexcept
      : pool_(pool),
        stamp_(std::uint64_t{worker + 1} << 44),
        zeroes_(zeroes_of_sector(compress_percentage)) {}

  void fill(std::byte* target, std::size_t bytes) noexcept {
    for (std::size_t done = 0; done < bytes; done += window_bytes) {
      const std::size_t left = bytes - done;
      const std::uint64_t mixed = (stamp_ + done) * 0x9E3779B97F4A7C15;
      const std::size_t from = static_cast<std::size_t>(mixed >> 44) & ~std::size_t{63};
      std::memcpy(target + done, pool_ + from, left < window_bytes ? left : window_bytes);
    }
    for (std::size_t sector = 0; sector < bytes; sector += sector_bytes) {
      std::memcpy(target + sector, &stamp_, sizeof(stamp_));
      ++stamp_;
    }
    if (zeroes_ != 0) make_compressible(target, bytes, zeroes_);
  }

 private:
  const std::byte* pool_;
  std::uint64_t stamp_;
  std::size_t zeroes_;
};

[[nodiscard]] inline std::vector<std::byte> make_pool(std::uint64_t seed) {
  std::vector<std::byte> pool(Payload::pool_bytes);
  Random random(seed);
  fill_random(pool.data(), pool.size(), random);
  return pool;
}

}  // namespace iobenchd::engine
