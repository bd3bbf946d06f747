#include "daemon/analysis/history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "daemon/analysis/noise.h"
#include "daemon/analysis/wording.h"
#include "daemon/model/engine_flags.h"

namespace iobenchd::analysis {
namespace {

bool usable(double iops) {
  return iops > 0 && std::isfinite(iops);
}

// Never a mean of two percentiles: one that was measured.
std::uint64_t middle_of(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

HistoryPoint point_of(const std::vector<const SeriesRun*>& runs) {
  HistoryPoint point;
  const SeriesRun& first = *runs.front();
  point.started_at_ns = first.started_at_ns;
  point.sweep_id = first.sweep_id;
  point.circumstances = first.circumstances;
  point.engine_flags = first.engine_flags;
  point.governor = first.governor;
  point.iops = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> means;
  std::vector<std::uint64_t> p99s;
  for (const SeriesRun* run : runs) {
    point.run_ids.push_back(run->run_id);
    if (std::isfinite(run->iops)) point.repeat_iops.push_back(run->iops);
    if (run->latency_mean_ns > 0) means.push_back(run->latency_mean_ns);
    if (run->latency_p99_ns > 0) p99s.push_back(run->latency_p99_ns);
  }
  std::sort(point.run_ids.begin(), point.run_ids.end());
  if (!point.repeat_iops.empty()) point.iops = median(point.repeat_iops);
  point.latency_mean_ns = median(means);
  point.latency_p99_ns = middle_of(std::move(p99s));
  return point;
}

// As a sample: the repeats, or one value where a repeat did nothing.
std::vector<double> sample_of(const HistoryPoint& point) {
  const std::vector<double>& all = point.repeat_iops;
  return std::all_of(all.begin(), all.end(), usable) ? all : std::vector<double>{point.iops};
}

bool is_before(const HistoryPoint& a, const HistoryPoint& b) {
  return std::pair(a.started_at_ns, a.sweep_id) < std::pair(b.started_at_ns, b.sweep_id);
}

std::optional<Baseline> pinned_before(const HistoryPoint& judged,
                                      const std::vector<HistoryPoint>& pinned) {
  const HistoryPoint* newest = nullptr;
  for (const HistoryPoint& point : pinned) {
    if (!usable(point.iops) || point.sweep_id == judged.sweep_id || !is_before(point, judged))
      continue;
    if (newest == nullptr || is_before(*newest, point)) newest = &point;
  }
  if (newest == nullptr) return std::nullopt;
  return Baseline{true, {newest->sweep_id}, newest->iops, sample_of(*newest)};
}

// "27 % fewer than ", "2.1 × ", in front of what it is compared with.
std::string against(double ratio) {
  if (std::abs(ratio - 1) < 0.0005) return "as many as ";
  if (ratio >= 2) return decimal(ratio, 1) + " × ";
  if (ratio >= 1) return percent(ratio - 1) + " more than ";
  return percent(1 - ratio) + " fewer than ";
}

std::string baseline_words(const Baseline& baseline) {
  if (baseline.pinned) return "the pinned sweep " + std::to_string(baseline.sweep_ids.front());
  if (baseline.sweep_ids.size() == 1) return "the sweep before it";
  return "the median of the " + std::to_string(baseline.sweep_ids.size()) + " sweeps before it";
}

std::string verdict_word(Change change) {
  switch (change) {
    case Change::same:
      return "The same";
    case Change::better:
      return "Better";
    case Change::worse:
      return "Worse";
    case Change::likely_better:
      return "Probably better";
    case Change::likely_worse:
      return "Probably worse";
    case Change::undecided:
      break;
  }
  return "Undecided";
}

// Behind a verdict that isn't sure: why it isn't.
std::string reservation(const Comparison& found, const HistoryPoint& judged) {
  if (found.change != Change::undecided && found.ci95) return "";
  if (found.ci95) return " Its spread is too wide to tell more.";
  return judged.repeat_iops.size() < 2 ? " It was measured once: repeats would tell more."
                                       : " That was measured once: more sweeps will tell more.";
}

std::string verdict_sentence(const HistoryPoint& judged, const Baseline& baseline,
                             const Comparison& found) {
  return verdict_word(found.change) + ": " + count(judged.iops) + " IOPS, " + against(found.ratio) +
         baseline_words(baseline) + " (" + count(baseline.iops) + ")." + reservation(found, judged);
}

NewestVerdict verdict_of(const HistoryPoint& judged, const std::optional<Baseline>& baseline) {
  NewestVerdict verdict{judged.sweep_id, std::nullopt, ""};
  if (!usable(judged.iops)) {
    verdict.sentence = "It has no IOPS to compare.";
  } else if (!baseline) {
    verdict.sentence = "There is nothing before it to compare it with.";
  } else {
    verdict.comparison = compare(baseline->values, sample_of(judged), Good::more);
    verdict.sentence = verdict_sentence(judged, *baseline, verdict.comparison.value());
  }
  return verdict;
}

std::string flags_text(const HistoryPoint& point, const Circumstances& about) {
  if (about.program_version.empty()) return "";  // another program's: it doesn't tell
  std::string text;
  for (const std::string_view name : engine_flag_names(point.engine_flags))
    text += (text.empty() ? "" : " ") + std::string(name);
  return text.empty() ? "none" : text;
}

using Surroundings = std::vector<std::pair<std::string, std::string>>;

// What may explain a change, and is the same in all runs of a sweep. Empty: unknown.
Surroundings surroundings_of(const HistoryPoint& point, const Circumstances& about) {
  return {{"host", about.host},
          {"target", about.target},
          {"target_kind", about.target_kind},
          {"os", about.os},
          {"firmware", about.firmware},
          {"filesystem", about.filesystem},
          {"mount_options", about.mount_options},
          {"io_scheduler", about.io_scheduler},
          {"governor", point.governor},
          {"program_version", about.program_version},
          {"build_type", about.build_type},
          {"engine_flags", flags_text(point, about)}};
}

// Against the last time it was known: what isn't known has not changed.
std::vector<Mark> marks_of(const std::vector<HistoryPoint>& points, const Series& series) {
  std::vector<Mark> marks;
  std::map<std::string, std::string> last;
  for (std::size_t at = 0; at < points.size(); ++at) {
    if (points[at].circumstances >= series.circumstances.size()) continue;
    const Circumstances& about = series.circumstances[points[at].circumstances];
    for (const auto& [field, now] : surroundings_of(points[at], about)) {
      if (now.empty()) continue;
      std::string& before = last[field];
      if (!before.empty() && before != now) marks.push_back({at, field, before, now});
      before = now;
    }
  }
  return marks;
}

}  // namespace

std::vector<HistoryPoint> history_points(const std::vector<SeriesRun>& runs) {
  std::map<std::int64_t, std::vector<const SeriesRun*>> by_sweep;
  for (const SeriesRun& run : runs) by_sweep[run.sweep_id].push_back(&run);
  std::vector<HistoryPoint> points;
  points.reserve(by_sweep.size());
  for (auto& [unused, repeats] : by_sweep) {
    std::sort(repeats.begin(), repeats.end(), [](const SeriesRun* a, const SeriesRun* b) {
      return std::pair(a->started_at_ns, a->run_id) < std::pair(b->started_at_ns, b->run_id);
    });
    points.push_back(point_of(repeats));
  }
  std::sort(points.begin(), points.end(), is_before);
  return points;
}

std::optional<Baseline> baseline_of(const std::vector<HistoryPoint>& points, std::size_t judged,
                                    const std::vector<HistoryPoint>& pinned) {
  if (auto baseline = pinned_before(points[judged], pinned)) return baseline;
  Baseline baseline;
  const HistoryPoint* only = nullptr;
  for (std::size_t i = judged; i-- > 0 && baseline.values.size() < baseline_sweeps;) {
    if (!usable(points[i].iops)) continue;
    baseline.sweep_ids.push_back(points[i].sweep_id);
    baseline.values.push_back(points[i].iops);
    only = &points[i];
  }
  if (only == nullptr) return std::nullopt;
  std::reverse(baseline.sweep_ids.begin(), baseline.sweep_ids.end());
  baseline.iops = median(baseline.values);
  if (baseline.values.size() == 1) baseline.values = sample_of(*only);
  return baseline;
}

History history_of(const Series& series) {
  History history;
  history.points = history_points(series.runs);
  std::set<std::int64_t> pinned;
  for (const SeriesRun& run : series.pinned_runs) pinned.insert(run.sweep_id);
  std::vector<double> iops;
  iops.reserve(history.points.size());
  for (HistoryPoint& point : history.points) {
    point.pinned = pinned.contains(point.sweep_id);
    iops.push_back(point.iops);
  }
  history.changes = change_points(iops);
  history.marks = marks_of(history.points, series);
  if (history.points.empty()) return history;
  const std::size_t last = history.points.size() - 1;
  history.baseline = baseline_of(history.points, last, history_points(series.pinned_runs));
  history.newest = verdict_of(history.points[last], history.baseline);
  return history;
}

std::string change_sentence(const ChangePoint& change) {
  const std::string size = change.ratio >= 2   ? decimal(change.ratio, 1) + " × the IOPS"
                           : change.ratio >= 1 ? percent(change.ratio - 1) + " more IOPS"
                                               : percent(1 - change.ratio) + " fewer IOPS";
  return size + " from here on: " + count(change.after) + " (median of " +
         plural(change.values_after, "sweep") + "), before " + count(change.before) + " (of " +
         std::to_string(change.values_before) + ").";
}

}  // namespace iobenchd::analysis
