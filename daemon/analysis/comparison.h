// Two samples of one figure: has it changed? Welch's t-test on the logarithms (B. L. Welch, "The
// generalization of Student's problem when several different population variances are involved",
// Biometrika 34, 1947), because figures of disks differ by factors, not by differences. Pure
// functions; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace iobenchd::analysis {

inline constexpr double significance = 0.05;      // alpha
inline constexpr double change_threshold = 0.05;  // a smaller change is none that matters
inline constexpr double likely_threshold = 0.10;  // without an interval on both sides

enum class Change : std::uint8_t { same, better, worse, likely_better, likely_worse, undecided };
[[nodiscard]] std::string_view to_string(Change value) noexcept;
[[nodiscard]] constexpr bool is_worse(Change value) noexcept {
  return value == Change::worse || value == Change::likely_worse;
}

// More IOPS are better, more latency is worse.
enum class Good : std::uint8_t { more, less };

// Two-sided p of |t| or more under Student's distribution; degrees need not be whole. 1 for
// nonsense.
[[nodiscard]] double student_p(double t, double degrees) noexcept;
// t that is exceeded, on both sides together, with probability p. Infinity where degrees < 0.1.
[[nodiscard]] double student_t(double p, double degrees) noexcept;

// Of the logarithms of two samples, `with` against `base`.
struct Welch {
  double difference = 0;  // of the means
  double error = 0;       // standard error of that
  double degrees = 0;
  double p = 1;
};
// None with fewer than two values on a side, or with one that isn't positive. Neither sample's
// deviation counts for less than `least_stddev` (of the logarithm: 0.001 is 0.1 %).
[[nodiscard]] std::optional<Welch> welch_log(std::span<const double> base,
                                             std::span<const double> with, double least_stddev = 0);

struct Comparison {
  double ratio = 0;                               // of the medians, with / base
  std::optional<std::pair<double, double>> ci95;  // of the ratio; none: a side has one value
  std::optional<double> p;                        // none: the same
  Change change = Change::undecided;
};

// same: the ratio's interval lies within +-5 %. better, worse: p < 0.05 and beyond 5 %. With fewer
// than two values on a side likely_better or likely_worse beyond 10 %. Else undecided. None where a
// side has no value, or one that isn't a positive number. `ratio` stands in for that of the medians
// where it is known better: percentiles of several runs come from their merged buckets.
[[nodiscard]] std::optional<Comparison> compare(std::span<const double> base,
                                                std::span<const double> with, Good good,
                                                std::optional<double> ratio = std::nullopt);

}  // namespace iobenchd::analysis
