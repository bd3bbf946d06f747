#include "daemon/analysis/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace iobenchd::analysis {

double mean(std::span<const double> values) noexcept {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return sorted[middle - 1] / 2 + sorted[middle] / 2;
}

double sample_stddev(std::span<const double> values) noexcept {
  if (values.size() < 2) return 0;
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double coefficient_of_variation(std::span<const double> values) noexcept {
  const double center = mean(values);
  return center == 0 ? 0 : sample_stddev(values) / center;
}

double t_975(std::uint32_t degrees_of_freedom) noexcept {
  static constexpr std::array<double, 9> table{12.706, 4.303, 3.182, 2.776, 2.571,
                                               2.447,  2.365, 2.306, 2.262};
  if (degrees_of_freedom == 0) return std::numeric_limits<double>::infinity();
  if (degrees_of_freedom <= table.size()) return table[degrees_of_freedom - 1];
  const double z = 1.959963984540054;
  const double v = degrees_of_freedom;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

std::optional<double> half_width95(std::span<const double> values) noexcept {
  if (values.size() < 2) return std::nullopt;
  const auto degrees = static_cast<std::uint32_t>(values.size() - 1);
  return t_975(degrees) * sample_stddev(values) / std::sqrt(static_cast<double>(values.size()));
}

std::optional<std::pair<double, double>> interval95(std::span<const double> values) noexcept {
  const std::optional<double> half = half_width95(values);
  if (!half) return std::nullopt;
  const double center = mean(values);
  return std::pair(center - *half, center + *half);
}

PooledDeviation pooled_deviation(std::span<const std::vector<double>> repeats) {
  PooledDeviation pooled;
  double squares = 0;
  for (const std::vector<double>& values : repeats) {
    if (values.size() < 2) continue;
    const double relative = coefficient_of_variation(values);
    if (!std::isfinite(relative)) continue;
    const auto degrees = static_cast<std::uint32_t>(values.size() - 1);
    squares += degrees * relative * relative;
    pooled.degrees += degrees;
  }
  if (pooled.degrees > 0) pooled.relative = std::sqrt(squares / pooled.degrees);
  return pooled;
}

double curve_noise(std::span<const std::vector<double>> repeats) noexcept {
  const PooledDeviation pooled = pooled_deviation(repeats);
  if (pooled.degrees == 0) return assumed_noise;
  double runs = 0;
  double points = 0;
  for (const std::vector<double>& values : repeats) {
    if (values.size() < 2 || !std::isfinite(coefficient_of_variation(values))) continue;
    runs += static_cast<double>(values.size());
    points += 1;
  }
  const double noise = pooled.relative * t_975(pooled.degrees) / std::sqrt(runs / points);
  return std::clamp(noise, least_noise, most_noise);
}

}  // namespace iobenchd::analysis
