#include "daemon/analysis/auto_numjobs.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "daemon/analysis/figures.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/sweet_spot.h"

namespace iobenchd::analysis {
namespace {

constexpr double least_gain = 1.05;
constexpr double narrow_stretch = 1.2;

const Figure* find(std::span<const Figure> figures, std::uint32_t n) {
  const auto at = std::lower_bound(figures.begin(), figures.end(), n,
                                   [](const Figure& f, std::uint32_t v) { return f.n < v; });
  return at != figures.end() && at->n == n ? &*at : nullptr;
}

// The next doubling, 0 when they are over: two in a row gained less than 5 %, or the limit is
// reached. Never over before there are the four
// points without which nothing can be decided.
std::uint32_t next_doubling(std::span<const Figure> figures, std::uint32_t most_jobs) {
  double before = 0;
  std::uint32_t idle = 0;
  std::size_t steps = 0;
  for (const std::uint32_t n : doublings(most_jobs)) {
    const Figure* at = find(figures, n);
    if (at == nullptr) return n;
    idle = steps > 0 && at->x < least_gain * before ? idle + 1 : 0;
    before = at->x;
    ++steps;
    if (idle >= 2 && steps >= least_points) return 0;
  }
  return 0;
}

// The integers of the band nobody has measured, nearest to the answer first, the smaller of two
// equally near ones before the larger.
std::vector<std::uint32_t> missing_of_band(std::span<const Figure> figures, std::size_t most) {
  std::vector<std::uint32_t> result;
  const Decision decision = decide(figures, assumed_noise);
  if (decision.at == 0) return result;
  const Band around = band(figures, decision.at);
  const std::uint32_t reach = std::max(decision.at - around.low, around.high - decision.at);
  for (std::uint32_t distance = 1; distance <= reach && result.size() < most; ++distance) {
    const bool below = distance <= decision.at - around.low;
    const bool above = distance <= around.high - decision.at;
    if (below && find(figures, decision.at - distance) == nullptr) {
      result.push_back(decision.at - distance);
    }
    if (above && result.size() < most && find(figures, decision.at + distance) == nullptr) {
      result.push_back(decision.at + distance);
    }
  }
  return result;
}

// The geometric middle of a stretch, 0 where it is narrow enough or holds no integer.
std::uint32_t middle(std::uint32_t left, std::uint32_t right) {
  if (right - left < 2 || right <= narrow_stretch * left) return 0;
  const auto exact = std::sqrt(static_cast<double>(left) * right);
  return std::clamp(static_cast<std::uint32_t>(std::lround(exact)), left + 1, right - 1);
}

// Of the stretches to both sides of the answer.
std::vector<std::uint32_t> middles_beside_answer(std::span<const Figure> figures,
                                                 std::size_t most) {
  std::vector<std::uint32_t> result;
  const Decision decision = decide(figures, assumed_noise);
  if (decision.at == 0) return result;
  const auto at = std::lower_bound(figures.begin(), figures.end(), decision.at,
                                   [](const Figure& f, std::uint32_t v) { return f.n < v; });
  const auto add = [&](std::uint32_t n) {
    if (n != 0 && result.size() < most) result.push_back(n);
  };
  if (at != figures.begin()) add(middle(std::prev(at)->n, at->n));
  if (std::next(at) != figures.end()) add(middle(at->n, std::next(at)->n));
  return result;
}

}  // namespace

std::vector<std::uint32_t> doublings(std::uint32_t most_jobs) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t n = 1; n < most_jobs; n *= 2) result.push_back(n);
  if (most_jobs > 0) result.push_back(most_jobs);
  return result;
}

std::vector<std::uint32_t> next_numjobs(std::span<const MeasuredPoint> measured,
                                        const AutoLimits& limits) {
  if (limits.most_jobs == 0) return {};
  std::vector<Figure> raw;
  raw.reserve(measured.size());
  for (const MeasuredPoint& point : measured) raw.push_back({point.numjobs, point.iops, 0});
  const std::vector<Figure> figures = clean(raw);
  if (limits.doubling) {
    const std::uint32_t next = next_doubling(figures, limits.most_jobs);
    const bool tried = std::any_of(measured.begin(), measured.end(),
                                   [next](const MeasuredPoint& p) { return p.numjobs == next; });
    if (next != 0 && !tried) return {next};
    // A doubling without a usable figure is not asked for again: go on with what there is.
  }
  if (limits.refinements_done >= limits.most_refinements) return {};
  const std::size_t most = limits.most_refinements - limits.refinements_done;
  std::vector<std::uint32_t> missing;
  if (limits.middles) missing = middles_beside_answer(figures, most);
  if (missing.empty()) missing = missing_of_band(figures, most);
  std::erase_if(missing, [&](std::uint32_t n) {
    return n > limits.most_jobs ||
           std::any_of(measured.begin(), measured.end(),
                       [n](const MeasuredPoint& p) { return p.numjobs == n; });
  });
  return missing;
}

}  // namespace iobenchd::analysis
