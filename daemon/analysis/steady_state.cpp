#include "daemon/analysis/steady_state.h"

#include <algorithm>
#include <cmath>

#include "daemon/analysis/noise.h"

namespace iobenchd::analysis {
namespace {

constexpr std::uint64_t half_second_ns = 500'000'000;
constexpr std::size_t telling_seconds = 10;

double ios_of(const Sample& sample) noexcept {
  return static_cast<double>(sample.read_ios) + static_cast<double>(sample.write_ios);
}

}  // namespace

bool Steadiness::steady() const noexcept {
  // A limit written down in decimal is met by a window that reaches it in decimal.
  constexpr double rounding = 1e-9;
  return range <= steady_range + rounding && excursion <= steady_excursion + rounding;
}

Steadiness steadiness(std::span<const double> rounds) noexcept {
  const double average = mean(rounds);
  const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end());
  const double middle = static_cast<double>(rounds.size() - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const double t = static_cast<double>(i) - middle;
    products += t * (rounds[i] - average);
    squares += t * t;
  }
  const double slope = products / squares;
  return {(*most - *least) / average, std::abs(slope) * 2 * middle / average};
}

std::vector<double> per_second_iops(std::span<const Sample> samples) {
  std::vector<double> result;
  result.reserve(samples.size());
  for (const Sample& sample : samples) {
    if (sample.ramp || sample.span_ns < half_second_ns) continue;
    result.push_back(ios_of(sample) * 1e9 / static_cast<double>(sample.span_ns));
  }
  return result;
}

std::optional<double> variation_of_seconds(std::span<const Sample> samples) {
  const std::vector<double> seconds = per_second_iops(samples);
  if (seconds.size() < telling_seconds) return std::nullopt;
  return coefficient_of_variation(seconds);
}

std::vector<double> slice_iops(std::span<const Sample> samples, std::size_t slices) {
  double total_ns = 0;
  for (const Sample& sample : samples) {
    if (!sample.ramp) total_ns += static_cast<double>(sample.span_ns);
  }
  if (total_ns <= 0 || slices == 0) return {};
  std::vector<double> ios(slices, 0);
  const double slice_ns = total_ns / static_cast<double>(slices);
  double from = 0;
  for (const Sample& sample : samples) {
    if (sample.ramp || sample.span_ns == 0) continue;
    const auto span = static_cast<double>(sample.span_ns);
    const double to = from + span;
    for (std::size_t i = 0; i < slices; ++i) {
      const double begin = static_cast<double>(i) * slice_ns;
      const double shared = std::min(to, begin + slice_ns) - std::max(from, begin);
      if (shared > 0) ios[i] += ios_of(sample) * shared / span;
    }
    from = to;
  }
  for (double& value : ios) value *= 1e9 / slice_ns;
  return ios;
}

}  // namespace iobenchd::analysis
