#include "daemon/analysis/compare_sweeps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "daemon/analysis/compare_words.h"
#include "daemon/analysis/curves.h"
#include "daemon/analysis/mismatches.h"

namespace iobenchd::analysis {
namespace {

using Indices = std::vector<std::size_t>;

// Settings that pair, and how far apart they are in all: 0 where they are the same.
struct Matching {
  std::string_view nearest_along;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // base, with
  double distance = 0;
};

bool comparable(const Point& point) noexcept {
  return !point.failed && point.repeats > 0 && point.iops > 0;
}

// What is the same in all points that may pair -> those points. `axis` empty: everything is.
std::map<Setting, Indices> by_setting(const std::vector<Point>& points, std::string_view axis) {
  std::map<Setting, Indices> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!comparable(points[i])) continue;
    const Setting& setting = points[i].setting;
    groups[axis.empty() ? setting : without_axis(setting, axis)].push_back(i);
  }
  return groups;
}

Matching match_same(const std::vector<Point>& base, const std::vector<Point>& with) {
  Matching found;
  const auto groups = by_setting(base, "");
  for (const auto& [setting, indices] : by_setting(with, "")) {
    const auto same = groups.find(setting);
    if (same != groups.end()) found.pairs.emplace_back(same->second.front(), indices.front());
  }
  return found;
}

// Each point once, the nearest pair first. Distances are ratios: 8 is as far from 4 as from 16.
Matching match_nearest(const std::vector<Point>& base, const std::vector<Point>& with,
                       std::string_view axis) {
  struct Candidate {
    double distance;
    std::size_t base, with;
    bool operator<(const Candidate& other) const noexcept {
      return std::tie(distance, base, with) < std::tie(other.distance, other.base, other.with);
    }
  };
  Matching found{axis, {}, 0};
  const auto groups = by_setting(base, axis);
  for (const auto& [rest, indices] : by_setting(with, axis)) {
    const auto others = groups.find(rest);
    if (others == groups.end()) continue;
    std::vector<Candidate> candidates;
    for (const std::size_t b : others->second) {
      for (const std::size_t w : indices) {
        const double ratio = static_cast<double>(along(with[w].setting, axis)) /
                             static_cast<double>(along(base[b].setting, axis));
        candidates.push_back({std::abs(std::log(ratio)), b, w});
      }
    }
    std::sort(candidates.begin(), candidates.end());
    std::set<std::size_t> taken_base, taken_with;
    for (const Candidate& candidate : candidates) {
      if (taken_base.contains(candidate.base) || taken_with.contains(candidate.with)) continue;
      taken_base.insert(candidate.base);
      taken_with.insert(candidate.with);
      found.pairs.emplace_back(candidate.base, candidate.with);
      found.distance += candidate.distance;
    }
  }
  return found;
}

// The same settings where there are any; else those that differ in one of depth and block size, by
// whichever more pair, or the same number nearer.
Matching match(const std::vector<Point>& base, const std::vector<Point>& with) {
  Matching best = match_same(base, with);
  if (!best.pairs.empty()) return best;
  for (const std::string_view axis : {"iodepth", "bs"}) {
    Matching other = match_nearest(base, with, axis);
    const bool more = other.pairs.size() > best.pairs.size();
    const bool nearer = other.pairs.size() == best.pairs.size() && other.distance < best.distance;
    if (more || nearer) best = std::move(other);
  }
  std::sort(best.pairs.begin(), best.pairs.end());
  return best;
}

std::optional<FigurePair> figure(double base, double with, const std::vector<double>& base_repeats,
                                 const std::vector<double>& with_repeats, Good good) {
  if (!(base > 0) || !(with > 0)) return std::nullopt;
  const auto found = compare(base_repeats, with_repeats, good, with / base);
  if (!found) return std::nullopt;
  return FigurePair{base, with, *found};
}

PointPair pair_points(const std::vector<Point>& base_points, const std::vector<Point>& with_points,
                      std::size_t base_index, std::size_t with_index) {
  const Point& base = base_points[base_index];
  const Point& with = with_points[with_index];
  PointPair pair{base_index, with_index, {}, {}, {}};
  pair.iops = figure(base.iops, with.iops, base.repeat_iops, with.repeat_iops, Good::more);
  if (base.has_latency && with.has_latency) {
    pair.latency_mean_ns =
        figure(base.latency_mean_ns, with.latency_mean_ns, base.repeat_latency_mean_ns,
               with.repeat_latency_mean_ns, Good::less);
  }
  if (base.has_percentiles && with.has_percentiles) {
    pair.latency_p99_ns =
        figure(static_cast<double>(base.latency_p99_ns), static_cast<double>(with.latency_p99_ns),
               base.repeat_latency_p99_ns, with.repeat_latency_p99_ns, Good::less);
  }
  return pair;
}

Indices unpaired(const std::vector<Point>& points, const std::vector<PointPair>& pairs,
                 std::size_t PointPair::*side) {
  std::set<std::size_t> taken;
  for (const PointPair& pair : pairs) taken.insert(pair.*side);
  Indices rest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (comparable(points[i]) && !taken.contains(i)) rest.push_back(i);
  }
  return rest;
}

// Curves of one setting belong together, and where points pair with their nearest, those that hold
// such pairs: each with the first.
std::vector<CurvePair> pair_curves(const SweepResult& base, const SweepResult& with,
                                   const SweepComparison& found) {
  const auto curves_of = [](const SweepResult& result) {
    std::map<std::size_t, std::size_t> curve_of_point;
    for (std::size_t c = 0; c < result.curves.size(); ++c) {
      for (const std::size_t point : result.curves[c].points) curve_of_point[point] = c;
    }
    return curve_of_point;
  };
  const auto base_curves = curves_of(base);
  const auto with_curves = curves_of(with);
  std::set<std::pair<std::size_t, std::size_t>> linked;
  if (!found.nearest_along.empty()) {
    for (const PointPair& pair : found.points) {
      const auto b = base_curves.find(pair.base);
      const auto w = with_curves.find(pair.with);
      if (b != base_curves.end() && w != with_curves.end()) linked.emplace(b->second, w->second);
    }
  }
  std::vector<CurvePair> pairs;
  std::set<std::size_t> taken;
  for (std::size_t b = 0; b < base.curves.size(); ++b) {
    for (std::size_t w = 0; w < with.curves.size(); ++w) {
      const Curve& one = base.curves[b];
      const Curve& other = with.curves[w];
      if (one.axis != other.axis || taken.contains(w)) continue;
      if (one.setting != other.setting && !linked.contains({b, w})) continue;
      taken.insert(w);
      pairs.push_back({b, w});
      break;
    }
  }
  return pairs;
}

}  // namespace

SweepComparison compare_sweeps(const ComparedSweep& base, const ComparedSweep& with) {
  SweepComparison result;
  const std::vector<Point>& base_points = base.result.points;
  const std::vector<Point>& with_points = with.result.points;
  const Matching matching = match(base_points, with_points);
  result.nearest_along = matching.nearest_along;
  for (const auto& [b, w] : matching.pairs) {
    result.points.push_back(pair_points(base_points, with_points, b, w));
  }
  result.only_in_base = unpaired(base_points, result.points, &PointPair::base);
  result.only_in_with = unpaired(with_points, result.points, &PointPair::with);
  result.curves = pair_curves(base.result, with.result, result);
  result.mismatches = mismatches(base, with, result);
  result.summary = comparison_summary(base, with, result);
  return result;
}

}  // namespace iobenchd::analysis
