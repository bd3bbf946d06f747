#include "daemon/model/histogram.h"

#include <algorithm>

namespace iobenchd {

void Histogram::merge(const Histogram& other) noexcept {
  for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += other.buckets[i];
  count += other.count;
  sum_ns += other.sum_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
}

double Histogram::mean_ns() const noexcept {
  return count == 0 ? 0 : static_cast<double>(sum_ns) / static_cast<double>(count);
}

std::uint64_t Histogram::percentile_ns(std::uint32_t p_milli) const noexcept {
  if (count == 0) return 0;
  // ceil(count * p / 100 000) without overflow: count = 100 000 q + r.
  const std::uint64_t q = count / 100'000;
  const std::uint64_t r = count % 100'000;
  const std::uint64_t rank =
      std::max<std::uint64_t>(1, q * p_milli + (r * p_milli + 99'999) / 100'000);
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    seen += buckets[i];
    if (seen < rank) continue;
    if (i == histogram_buckets - 1) return max_ns;
    return std::clamp(bucket_midpoint_ns(i), std::min(min_ns, max_ns), max_ns);
  }
  return max_ns;
}

Histogram difference(const Histogram& later, const Histogram& earlier) noexcept {
  Histogram result;
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    const std::uint64_t added = later.buckets[i] - earlier.buckets[i];
    result.buckets[i] = added;
    if (added == 0) continue;
    const std::uint64_t value = std::clamp(bucket_midpoint_ns(i), later.min_ns, later.max_ns);
    result.min_ns = std::min(result.min_ns, value);
    result.max_ns = std::max(result.max_ns, i == histogram_buckets - 1 ? later.max_ns : value);
  }
  result.count = later.count - earlier.count;
  result.sum_ns = later.sum_ns - earlier.sum_ns;
  return result;
}

}  // namespace iobenchd
