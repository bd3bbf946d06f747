// Where the next I/O goes. One owner each; a few instructions and no division per I/O.
#pragma once

#include <array>
#include <cstdint>

#include "daemon/model/workload.h"

namespace iobenchd::engine {

// xoshiro256++ (Blackman, Vigna), seeded by splitmix64: 1 ns a number, every seed a good one.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() noexcept {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int bits) noexcept {
    return (x << bits) | (x >> (64 - bits));
  }
  std::array<std::uint64_t, 4> state_{};
};

// floor(random * count / 2^64), but for a carry that is worth 2^-32 of a block: in 32-bit products,
// because not every system has a 128-bit type. Always below `count`.
[[nodiscard]] constexpr std::uint64_t scale_down(std::uint64_t random,
                                                 std::uint64_t count) noexcept {
  const std::uint64_t random_high = random >> 32;
  const std::uint64_t random_low = random & 0xFFFFFFFF;
  const std::uint64_t count_high = count >> 32;
  const std::uint64_t count_low = count & 0xFFFFFFFF;
  return random_high * count_high + ((random_high * count_low) >> 32) +
         ((random_low * count_high) >> 32);
}

// What a worker works on: `blocks` blocks from `begin`; `share` of `shares` tells the workers of
// one file apart.
struct Region {
  std::uint64_t begin_bytes = 0;
  std::uint64_t blocks = 1;
  std::uint32_t block_bytes = 4096;
  std::uint32_t share = 0;
  std::uint32_t shares = 1;
  std::uint64_t seed = 0;         // of this worker
  std::uint64_t common_seed = 0;  // of all workers of a run
  RandomDistribution distribution;
};

// Where share i of the region begins; that of i = shares is its end.
[[nodiscard]] constexpr std::uint64_t slice_begin(const Region& region,
                                                  std::uint32_t share) noexcept {
  const std::uint64_t each = region.blocks / region.shares;
  const std::uint64_t rest = region.blocks % region.shares;
  return each * share + rest * share / region.shares;
}

class RandomOffsets {
 public:
  explicit RandomOffsets(const Region& region) noexcept
      : random_(region.seed),
        blocks_(region.blocks),
        begin_(region.begin_bytes),
        block_bytes_(region.block_bytes) {}

  std::uint64_t next() noexcept {
    return begin_ + scale_down(random_.next(), blocks_) * block_bytes_;
  }

 private:
  Random random_;
  std::uint64_t blocks_;
  std::uint64_t begin_;
  std::uint64_t block_bytes_;
};

// Worker i of n starts at i/n of the region and wraps at its end, so that the workers of a
// sequential run don't all read the same blocks from one another's cache.
class SequentialOffsets {
 public:
  explicit SequentialOffsets(const Region& region) noexcept
      : begin_(region.begin_bytes),
        end_(region.begin_bytes + region.blocks * region.block_bytes),
        block_bytes_(region.block_bytes),
        next_(region.begin_bytes + slice_begin(region, region.share) * region.block_bytes) {}

  std::uint64_t next() noexcept {
    const std::uint64_t offset = next_;
    next_ += block_bytes_;
    if (next_ == end_) next_ = begin_;
    return offset;
  }

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t block_bytes_;
  std::uint64_t next_;
};

}  // namespace iobenchd::engine
