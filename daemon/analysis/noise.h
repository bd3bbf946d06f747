// Repeats and their spread: median, deviation, 95 % interval, and the one number that says how
// noisy a curve is. Pure functions; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace iobenchd::analysis {

inline constexpr double assumed_noise = 0.02;  // without repeats
inline constexpr double least_noise = 0.01;
inline constexpr double most_noise = 0.05;
// A median of a few runs is that much further off than their mean (1.16 for 3 of a normal
// distribution, 1.20 for 5, 1.25 for many).
inline constexpr double median_penalty = 1.2;

// All of them are 0 for an empty span; stddev also for a single value.
[[nodiscard]] double mean(std::span<const double> values) noexcept;
[[nodiscard]] double median(std::span<const double> values);
[[nodiscard]] double sample_stddev(std::span<const double> values) noexcept;  // n - 1
// Deviation over mean; 0 where the mean is.
[[nodiscard]] double coefficient_of_variation(std::span<const double> values) noexcept;

// Student's t, two-sided 95 %. Tabled to 9 degrees of freedom, beyond that by the Cornish-Fisher
// expansion (within 0.001 from 10 on). Infinity for 0.
[[nodiscard]] double t_975(std::uint32_t degrees_of_freedom) noexcept;

// Half the width of the 95 % interval of the mean: t s / sqrt(r). None with fewer than two.
[[nodiscard]] std::optional<double> half_width95(std::span<const double> values) noexcept;
[[nodiscard]] std::optional<std::pair<double, double>> interval95(
    std::span<const double> values) noexcept;

// Relative deviation of a single run, pooled over the points that have two or more.
struct PooledDeviation {
  double relative = 0;
  std::uint32_t degrees = 0;  // 0: no point was repeated
};
[[nodiscard]] PooledDeviation pooled_deviation(std::span<const std::vector<double>> repeats);

// Noise of a curve, relative: the pooled relative deviation of its points' repeats, times t with
// the pooled degrees of freedom, over the root of the (average) number of repeats, within 1..5 %.
[[nodiscard]] double curve_noise(std::span<const std::vector<double>> repeats) noexcept;

}  // namespace iobenchd::analysis
