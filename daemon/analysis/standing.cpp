#include "daemon/analysis/standing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "daemon/analysis/noise.h"
#include "daemon/analysis/wording.h"

namespace iobenchd::analysis {
namespace {

// One sweep's repeats of one setting.
using Repeats = std::map<std::int64_t, std::vector<double>>;
using Way = std::pair<Setting, bool>;  // with direct I/O or without

std::map<Way, Repeats> by_way(std::span<const ModelFigure> earlier) {
  std::map<Way, Repeats> groups;
  for (const ModelFigure& figure : earlier) {
    if (!(figure.iops > 0) || !std::isfinite(figure.iops)) continue;
    groups[{figure.setting, figure.direct}][figure.sweep_id].push_back(figure.iops);
  }
  return groups;
}

std::string earlier_words(std::uint32_t sweeps) {
  return plural(sweeps, "earlier sweep") + " of this model";
}

// Where on the curve: "at 8 jobs", "at randread 4k, depth 32, 8 jobs" in a sweep of more than jobs.
std::string where_words(const Setting& setting, bool jobs_alone) {
  return "at " + (jobs_alone ? plural(setting.numjobs, "job") : setting_label(setting));
}

std::string sentence_of(const Standing& standing, double iops, const std::string& where) {
  if (standing.earlier_sweeps == 0) return "No earlier sweep of this model " + where + ".";
  const std::string others = earlier_words(standing.earlier_sweeps);
  if (!standing.percentile) {
    const double ratio = iops / *standing.median_iops;
    if (std::abs(ratio - 1) < 0.005) return "As fast as " + others + " " + where + ".";
    return percent(std::abs(ratio - 1)) + (ratio > 1 ? " faster" : " slower") + " than " +
           (standing.earlier_sweeps == 1 ? "the one earlier sweep of this model"
                                         : "the median of " + others) +
           " " + where + ".";
  }
  if (iops > *standing.high) return "Faster than all " + others + " " + where + ".";
  if (iops < *standing.low) return "Slower than all " + others + " " + where + ".";
  return "Faster than " + percent(*standing.percentile / 100) + " of " + others + " " + where + ".";
}

bool jobs_alone(const SweepResult& result) {
  const auto rest = [](Setting setting) {
    setting.numjobs = 0;
    return setting;
  };
  return std::all_of(result.points.begin(), result.points.end(), [&](const Point& point) {
    return rest(point.setting) == rest(result.points.front().setting);
  });
}

struct Counts {
  std::size_t judged = 0, above = 0, below = 0;
};

// "Normal" is what the earlier ones span.
std::vector<std::string> summarised(const Standings& found, const Counts& counts,
                                    std::string_view model) {
  const std::string name(model);
  if (model.empty())
    return {"The model of this sweep's disk is unknown, so nothing can be said of its like."};
  const bool any = std::any_of(found.points.begin(), found.points.end(),
                               [](const Standing& point) { return point.earlier_sweeps > 0; });
  if (!any) return {"No earlier sweep of " + name + " measured any of these settings."};
  if (counts.judged == 0) {
    return {"Fewer than " + std::to_string(percentile_needs) + " earlier sweeps of " + name +
            " measured any of these settings: too few to say what is normal."};
  }
  const std::size_t within = counts.judged - counts.above - counts.below;
  if (within == counts.judged) {
    return {"Normal: " +
            (within == 1 ? std::string("the one point") : "all " + plural(within, "point")) +
            " with enough earlier sweeps of " + name + (within == 1 ? " lies" : " lie") +
            " within what those gave."};
  }
  std::string text =
      "Of " + plural(counts.judged, "point") + " with enough earlier sweeps of " + name + " ";
  std::string parts;
  const auto add = [&parts](std::size_t n, const std::string& what) {
    if (n == 0) return;
    parts += (parts.empty() ? "" : ", ") + std::to_string(n) + (n == 1 ? " is " : " are ") + what;
  };
  add(counts.below, "slower than all of them");
  add(within, "within what they gave");
  add(counts.above, "faster than all of them");
  return {text + parts + "."};
}

}  // namespace

double percentile_of(double value, std::span<const double> others) noexcept {
  double below = 0;
  for (const double other : others) {
    if (other < value) below += 1;
    if (other == value) below += 0.5;
  }
  return 100 * below / static_cast<double>(others.size());
}

Standings standings(const SweepResult& result, std::span<const ModelFigure> earlier,
                    std::string_view model) {
  const std::map<Way, Repeats> groups = by_way(earlier);
  const bool plain = jobs_alone(result);
  Standings found;
  Counts counts;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const Point& point = result.points[i];
    if (point.failed || point.repeats == 0 || !(point.iops > 0)) continue;
    std::vector<double> others;
    const auto group = groups.find({point.setting, point.direct.value_or(false)});
    // The null engine asks no disk: there is nothing to hold it against.
    if (group != groups.end() && point.ioengine != IoEngine::null) {
      for (const auto& [sweep, repeats] : group->second) others.push_back(median(repeats));
    }
    Standing standing;
    standing.point = i;
    standing.earlier_sweeps = static_cast<std::uint32_t>(others.size());
    if (!others.empty()) {
      const auto [low, high] = std::minmax_element(others.begin(), others.end());
      standing.median_iops = median(others);
      standing.low = *low;
      standing.high = *high;
      if (others.size() >= percentile_needs) {
        standing.percentile = percentile_of(point.iops, others);
        ++counts.judged;
        if (point.iops > *high) ++counts.above;
        if (point.iops < *low) ++counts.below;
      }
    }
    standing.sentence = sentence_of(standing, point.iops, where_words(point.setting, plain));
    found.points.push_back(std::move(standing));
  }
  found.summary = summarised(found, counts, model);
  return found;
}

}  // namespace iobenchd::analysis
