// Latency histogram: log-linear in nanoseconds, 64 buckets per power of two, the layout of fio's
// json+ (stat.h, FIO_IO_U_PLAT_*), so that bins travel both ways. Trivially copyable: it lives in
// shared mappings and in frames. One owner; merge after join.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace iobenchd {

inline constexpr std::uint32_t histogram_buckets = 1856;  // 29 groups of 64

// Bucket of a latency. Below 128 ns every nanosecond has its own bucket; above, the relative width
// is 1/64, so that the midpoint is at most 1/128 = 0.78 % off. Everything from 17 045 651 456 ns on
// falls into the last bucket.
[[nodiscard]] constexpr std::uint32_t bucket_index(std::uint64_t latency_ns) noexcept {
  // Seven significant bits, of which the first is always set and carries into the group.
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(latency_ns | 64)) - 7;
  const std::uint32_t index = (exponent << 6) + static_cast<std::uint32_t>(latency_ns >> exponent);
  return index < histogram_buckets ? index : histogram_buckets - 1;
}

// Midpoint of a bucket, truncated to whole nanoseconds.
[[nodiscard]] constexpr std::uint64_t bucket_midpoint_ns(std::uint32_t index) noexcept {
  if (index < 128) return index;
  const std::uint32_t exponent = (index >> 6) - 1;
  const std::uint64_t base = std::uint64_t{1} << (exponent + 6);
  const std::uint64_t twice = (2 * std::uint64_t{index & 63} + 1) << exponent;
  return base + twice / 2;
}

struct Histogram {
  std::array<std::uint64_t, histogram_buckets> buckets{};
  std::uint64_t count = 0;
  std::uint64_t sum_ns = 0;
  std::uint64_t min_ns = ~std::uint64_t{0};  // ~0 while empty
  std::uint64_t max_ns = 0;

  // The hot path: no branch but the two extremes'. Called by the one owner only.
  void add(std::uint64_t latency_ns) noexcept {
    ++buckets[bucket_index(latency_ns)];
    ++count;
    sum_ns += latency_ns;
    if (latency_ns < min_ns) min_ns = latency_ns;
    if (latency_ns > max_ns) max_ns = latency_ns;
  }

  void merge(const Histogram& other) noexcept;
  [[nodiscard]] double mean_ns() const noexcept;  // 0 when empty
  // p in thousandths of a percent: 50 000 is the median, 99 900 is p99.9. Nearest rank, ceil(count
  // * p / 100 000) in integers. Never above max_ns; 0 when empty.
  [[nodiscard]] std::uint64_t percentile_ns(std::uint32_t p_milli) const noexcept;
};

// What came between two states of one growing histogram: later - earlier, bucket by bucket. Its min
// and max are the midpoints of its outermost buckets (the exact ones can't be known), never outside
// `later`'s own extremes.
[[nodiscard]] Histogram difference(const Histogram& later, const Histogram& earlier) noexcept;

}  // namespace iobenchd
