#include "daemon/analysis/auto_repeats.h"

#include <algorithm>
#include <cmath>

#include "daemon/analysis/figures.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/sweet_spot.h"

namespace iobenchd::analysis {
namespace {

constexpr double prior_runs = 4;
constexpr double certain = 3;  // standard errors
constexpr std::size_t least_of_best = 3;
constexpr double weight_of_best = 2 * median_penalty;

// A point's balance relative to the best one's, and how far off that may be.
struct Standing {
  std::uint32_t n = 0;
  double runs = 0;
  double balance = 0;
  double error = 0;  // relative: B is x cubed, so three times that of x
};

std::vector<Standing> standings(std::span<const RepeatedPoint> points) {
  const double noise = run_noise(points);
  std::vector<Standing> result;
  for (const RepeatedPoint& point : points) {
    const double x = median(point.runs);
    if (point.runs.empty() || !usable(Figure{point.n, x, 0})) continue;
    const auto runs = static_cast<double>(point.runs.size());
    result.push_back({point.n, runs, x, 3 * noise * median_penalty / std::sqrt(runs)});
  }
  double most_x = 0;
  for (const Standing& one : result) most_x = std::max(most_x, one.balance);
  double best = 0;
  for (Standing& one : result) {
    one.balance = std::pow(one.balance / most_x, 3) / one.n;
    best = std::max(best, one.balance);
  }
  for (Standing& one : result) one.balance /= best;
  return result;
}

bool all_certain(std::span<const Standing> all, const Standing& best) {
  if (best.runs < least_of_best) return false;
  return std::all_of(all.begin(), all.end(), [&best](const Standing& one) {
    const double error = std::hypot(one.error * one.balance, best.error);
    return one.n == best.n || std::abs(one.balance - band_share) >= certain * error;
  });
}

// How much another run would tell: much where the error is large beside the distance from the
// band's edge, less the more runs there are.
double worth(const Standing& one, bool is_best) {
  const double distance = std::abs(one.balance - band_share);
  const double by_doubt = one.error / (distance + one.error) / std::sqrt(one.runs);
  return is_best ? std::max(by_doubt, weight_of_best / one.runs) : by_doubt;
}

}  // namespace

double run_noise(std::span<const RepeatedPoint> points) {
  std::vector<std::vector<double>> repeats;
  repeats.reserve(points.size());
  for (const RepeatedPoint& point : points) repeats.push_back(point.runs);
  return run_noise(repeats);
}

double run_noise(std::span<const std::vector<double>> repeats) {
  const PooledDeviation pooled = pooled_deviation(repeats);
  const double squares = prior_runs * assumed_noise * assumed_noise +
                         pooled.degrees * pooled.relative * pooled.relative;
  return std::sqrt(squares / (prior_runs + pooled.degrees));
}

std::uint32_t most_doubtful(std::span<const RepeatedPoint> points) {
  const std::vector<Standing> all = standings(points);
  if (all.empty()) return 0;
  const auto best = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.balance < b.balance; });
  if (all_certain(all, *best)) return 0;
  const auto next = std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return worth(a, a.n == best->n) < worth(b, b.n == best->n);
  });
  return next->n;
}

}  // namespace iobenchd::analysis
