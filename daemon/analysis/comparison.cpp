#include "daemon/analysis/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "daemon/analysis/noise.h"

namespace iobenchd::analysis {
namespace {

constexpr std::array<std::string_view, 6> change_names{
    "same", "better", "worse", "likely_better", "likely_worse", "undecided"};

// The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes,
// 3rd edition, 6.4).
double beta_fraction(double a, double b, double x) noexcept {
  constexpr double tiny = 1e-300;
  constexpr double enough = 1e-15;
  const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double h = d;
  for (int m = 1; m <= 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1) < enough) break;
  }
  return h;
}

// ln of the gamma function, of positive numbers. std::lgamma writes a global variable.
double log_gamma(double x) noexcept {
  // Stirling's series, exact to 1e-14 from 10 on; smaller ones by the recurrence.
  double below = 0;
  while (x < 10) {
    below += std::log(x);
    x += 1;
  }
  const double square = 1 / (x * x);
  const double series =
      (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680)))) / x;
  const double half_log_two_pi = 0.91893853320467274178;
  return (x - 0.5) * std::log(x) - x + half_log_two_pi + series - below;
}

// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) noexcept {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

bool all_positive(std::span<const double> values) noexcept {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value > 0 && std::isfinite(value); });
}

std::vector<double> logs(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

Change judge(const Comparison& found, Good good) noexcept {
  const bool more = found.ratio > 1;
  const bool is_good = more == (good == Good::more);
  const double size = std::abs(found.ratio - 1);
  if (!found.ci95) {
    if (size <= likely_threshold) return Change::undecided;
    return is_good ? Change::likely_better : Change::likely_worse;
  }
  if (found.ci95->first >= 1 - change_threshold && found.ci95->second <= 1 + change_threshold)
    return Change::same;
  if (*found.p >= significance || size <= change_threshold) return Change::undecided;
  return is_good ? Change::better : Change::worse;
}

}  // namespace

std::string_view to_string(Change value) noexcept {
  return change_names[static_cast<std::size_t>(value)];
}

double student_p(double t, double degrees) noexcept {
  if (!(degrees > 0) || std::isnan(t)) return 1;
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_t(double p, double degrees) noexcept {
  if (!(degrees >= 0.1) || !(p > 0)) return std::numeric_limits<double>::infinity();
  double low = 0;
  double high = 1;
  while (student_p(high, degrees) > p && high < 1e300) high *= 2;
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (student_p(middle, degrees) > p ? low : high) = middle;
  }
  return high;
}

std::optional<Welch> welch_log(std::span<const double> base, std::span<const double> with,
                               double least_stddev) {
  if (base.size() < 2 || with.size() < 2) return std::nullopt;
  if (!all_positive(base) || !all_positive(with)) return std::nullopt;
  const std::vector<double> a = logs(base);
  const std::vector<double> b = logs(with);
  // Of a sample: its deviation squared over its size.
  const auto share = [least_stddev](const std::vector<double>& values) {
    const double deviation = std::max(sample_stddev(values), least_stddev);
    return deviation * deviation / static_cast<double>(values.size());
  };
  const double va = share(a);
  const double vb = share(b);
  const auto na = static_cast<double>(a.size());
  const auto nb = static_cast<double>(b.size());
  Welch result;
  result.difference = mean(b) - mean(a);
  result.error = std::sqrt(va + vb);
  const double spread = va * va / (na - 1) + vb * vb / (nb - 1);
  // Without any deviation every difference is one.
  result.degrees = spread > 0 ? (va + vb) * (va + vb) / spread : na + nb - 2;
  if (result.error > 0) {
    result.p = student_p(result.difference / result.error, result.degrees);
  } else {
    result.p = result.difference == 0 ? 1 : 0;
  }
  return result;
}

std::optional<Comparison> compare(std::span<const double> base, std::span<const double> with,
                                  Good good, std::optional<double> ratio) {
  if (base.empty() || with.empty() || !all_positive(base) || !all_positive(with))
    return std::nullopt;
  Comparison result;
  result.ratio = ratio.value_or(median(with) / median(base));
  if (const std::optional<Welch> welch = welch_log(base, with)) {
    const double half =
        welch->error > 0 ? student_t(significance, welch->degrees) * welch->error : 0;
    result.ci95 = {std::exp(welch->difference - half), std::exp(welch->difference + half)};
    result.p = welch->p;
  }
  result.change = judge(result, good);
  return result;
}

}  // namespace iobenchd::analysis
