// A shuffled order of 0 .. count - 1 that needs no memory: a Feistel network over the next power of
// two, walked until it is back inside (Black, Rogaway: Ciphers with Arbitrary Finite Domains,
// 2002). Two walks at most on average. Constant once made: safe from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "daemon/engine/offsets.h"

namespace iobenchd::engine {

class Permutation {
 public:
  // `count` is at least 1; the same seed gives the same order.
  Permutation(std::uint64_t count, std::uint64_t seed) noexcept : count_(count) {
    const auto bits = std::max(2U, static_cast<std::uint32_t>(std::bit_width(count - 1)));
    low_bits_ = bits / 2;
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    low_shift_ = 64 - low_bits_;
    high_shift_ = 64 - (bits - low_bits_);
    Random random(seed);
    for (Round& round : rounds_) round = {random.next() | 1, random.next()};
  }

  // Where the i-th of the order is; i is below count.
  [[nodiscard]] std::uint64_t at(std::uint64_t i) const noexcept {
    do i = shuffle(i);
    while (i >= count_);
    return i;
  }

 private:
  struct Round {
    std::uint64_t factor = 1;  // odd
    std::uint64_t addend = 0;
    // The upper bits of a product depend on all of its factor's.
    [[nodiscard]] std::uint64_t of(std::uint64_t half, std::uint32_t shift) const noexcept {
      return (half * factor + addend) >> shift;
    }
  };

  // Either half is changed by what the other one says, which can be undone: no two numbers meet.
  [[nodiscard]] std::uint64_t shuffle(std::uint64_t i) const noexcept {
    std::uint64_t high = i >> low_bits_;
    std::uint64_t low = i & low_mask_;
    high ^= rounds_[0].of(low, high_shift_);
    low ^= rounds_[1].of(high, low_shift_);
    high ^= rounds_[2].of(low, high_shift_);
    low ^= rounds_[3].of(high, low_shift_);
    return (high << low_bits_) | low;
  }

  std::uint64_t count_;
  std::uint32_t low_bits_ = 1;
  std::uint32_t low_shift_ = 63, high_shift_ = 63;
  std::uint64_t low_mask_ = 1;
  std::array<Round, 4> rounds_;
};

// norandommap=false: no block twice before all were once. The workers of one file share one
// shuffled order, each has a slice of its own: the first lap of all of them together is every block
// exactly once. A worker that is through with its slice begins it again, without waiting for
// slower ones. Where there are more workers than blocks, some share a block.
class PermutedOffsets {
 public:
  explicit PermutedOffsets(const Region& region) noexcept
      : order_(region.blocks, region.common_seed),
        first_(slice_begin(region, region.share)),
        end_(std::max(first_ + 1, slice_begin(region, region.share + 1))),
        next_(first_),
        begin_(region.begin_bytes),
        block_bytes_(region.block_bytes) {}

  std::uint64_t next() noexcept {
    const std::uint64_t block = order_.at(next_);
    if (++next_ == end_) next_ = first_;
    return begin_ + block * block_bytes_;
  }

 private:
  Permutation order_;
  std::uint64_t first_;
  std::uint64_t end_;
  std::uint64_t next_;
  std::uint64_t begin_;
  std::uint64_t block_bytes_;
};

}  // namespace iobenchd::engine
