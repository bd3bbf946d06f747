// The sweet spot: each doubling of n must buy at least 26 % more throughput (2^(1/3)); the last
// that does is it. That is the maximum of the balance B = x^3 / n. Pure functions of cleaned
// figures (figures.h); safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "daemon/analysis/figures.h"

namespace iobenchd::analysis {

inline constexpr std::size_t least_points = 4;
inline constexpr double band_share = 0.95;   // of the greatest balance
inline constexpr double first_share = 0.95;  // of the greatest x: one job is all there is to gain

enum class Outcome : std::uint8_t {
  balance,         // `at` has the greatest balance, or is as fast with fewer jobs
  first,           // flat or falling: the first n already has it all
  too_few_points,  // no answer from here on
  not_saturated,
};

struct Decision {
  Outcome outcome = Outcome::too_few_points;
  std::uint32_t at = 0;  // 0 where there is no answer
  auto operator<=>(const Decision&) const = default;
};

// Integers from low to high are worth nearly the same.
struct Band {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  auto operator<=>(const Band&) const = default;
};

// Jobs and depths can be any integer, so the band may lie between what was measured; block sizes
// can't.
enum class Between : std::uint8_t { integers, measured_only };

[[nodiscard]] Decision decide(std::span<const Figure> figures, double noise) noexcept;

// Every n whose balance, x interpolated linearly over log n, is at least 95 % of the greatest one
// measured, and the answer itself. Expects the figures that `at` was decided from.
[[nodiscard]] Band band(std::span<const Figure> figures, std::uint32_t at,
                        Between between = Between::integers) noexcept;

// Smallest n with x within the noise of the maximum. 0 without figures.
[[nodiscard]] std::uint32_t throughput_first(std::span<const Figure> figures,
                                             double noise) noexcept;

}  // namespace iobenchd::analysis
