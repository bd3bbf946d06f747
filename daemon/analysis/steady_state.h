// Was the disk in its steady state while it was measured (SNIA SSS PTS)? And the other looks at a
// run's seconds: its slices of time. Pure; safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/model/run.h"

namespace iobenchd::analysis {

inline constexpr std::size_t steady_rounds = 5;
inline constexpr double steady_range = 0.20;
inline constexpr double steady_excursion = 0.10;

// Both relative to the average of the rounds.
struct Steadiness {
  double range = 0;      // max - min
  double excursion = 0;  // what the least-squares line climbs or falls over the window
  [[nodiscard]] bool steady() const noexcept;
};

// Expects at least two rounds with a positive average.
[[nodiscard]] Steadiness steadiness(std::span<const double> rounds) noexcept;

// IOPS of the seconds of a run behind its ramp; a last stub of less than half a second is left out.
[[nodiscard]] std::vector<double> per_second_iops(std::span<const Sample> samples);

// How much those vary, as standard deviation by mean; none where there are too few to tell.
[[nodiscard]] std::optional<double> variation_of_seconds(std::span<const Sample> samples);

// IOPS of `slices` equal parts of the measured time, I/Os counted as evenly spread within each
// sample. Empty where the samples cover no time.
[[nodiscard]] std::vector<double> slice_iops(std::span<const Sample> samples, std::size_t slices);

}  // namespace iobenchd::analysis
