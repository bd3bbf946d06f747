// Where a series of figures changed its level: binary segmentation (A. J. Scott and M. Knott, "A
// cluster analysis method for grouping means in the analysis of variance", Biometrics 30, 1974)
// with Welch's t on logarithms in place of the F of equal variances. Pure functions; safe from any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/model/curve.h"

namespace iobenchd::analysis {

inline constexpr std::size_t least_series = 8;
inline constexpr std::size_t least_segment = 3;
inline constexpr double least_log_stddev = 0.001;
// So many at most, the clearest ones: a series that changes more often has no level.
inline constexpr std::size_t most_change_points = 50;

struct ChangePoint {
  std::size_t at = 0;  // index of the first value of the new level, among all that were given
  double before = 0, after = 0;  // medians of the stretches on both sides
  std::size_t values_before = 0, values_after = 0;
  double ratio = 0;  // after / before
  double p = 1;      // of Welch's t between them, times the number of splits that were tried
};

struct LeftOut {
  std::size_t at = 0;
  std::string reason;  // "not a number", "zero", "negative", "infinite"
};

struct ChangePoints {
  std::vector<ChangePoint> found;  // ascending
  std::vector<LeftOut> left_out;   // values that have no logarithm
  std::optional<Named> none;       // why nothing was found: too_few_points, no_change
};

// A series of at least 8 positive values is cut where both sides, at least 3 values each, differ
// most by Welch's t (no deviation counts for less than 0.1 %), if p times the number of splits is
// at most 0.05 and the medians are more than 5 % apart; then both parts in turn. In the end each
// cut must hold between its two neighbouring stretches. One last outlier is no change; a slow ramp
// is told as the steps it would take to be seen.
[[nodiscard]] ChangePoints change_points(std::span<const double> values);

}  // namespace iobenchd::analysis
