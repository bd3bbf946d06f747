#include "daemon/scheduler/regression.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "daemon/analysis/comparison.h"
#include "daemon/scheduler/runner.h"

namespace iobenchd::scheduler {
namespace {

// Figures of one setting, measured in one way: those of two engines can't be compared.
using Point = std::tuple<Setting, IoEngine, std::uint32_t, bool>;
using Figures = std::map<Point, std::vector<double>>;

void add_figures(storage::Store& store, std::int64_t sweep_id, Figures& figures) {
  storage::RunFilter filter;
  filter.sweep_id = sweep_id;
  filter.state = RunState::done;
  std::int64_t before = 0;
  do {
    const auto page = store.runs().list(filter, before, storage::page_limit_most);
    for (const RunSummary& run : page.items) {
      if (run.is_drift_check || !(run.iops > 0)) continue;
      figures[{run.setting, run.ioengine, run.engine_flags, run.direct}].push_back(run.iops);
    }
    before = page.next_before;
  } while (before != 0);
}

// How many there were.
std::uint32_t add_earlier(storage::Store& store, const Sweep& sweep, std::int64_t after_id,
                          Figures& figures) {
  storage::SweepFilter filter;
  filter.schedule_id = sweep.schedule_id;
  filter.state = SweepState::done;
  // The newest may be newer than the one judged, and what was asked for before is in the way, too.
  const auto page = store.sweeps().list(filter, sweep.id, regression_sweeps);
  std::uint32_t count = 0;
  for (const Sweep& earlier : page.items) {
    if (earlier.id >= sweep.id || earlier.id <= after_id) continue;
    add_figures(store, earlier.id, figures);
    ++count;
  }
  return count;
}

}  // namespace

RegressionFinding find_regression(storage::Store& store, const Sweep& sweep,
                                  std::int64_t after_id) {
  Figures newest, earlier;
  add_figures(store, sweep.id, newest);
  const std::uint32_t sweeps = add_earlier(store, sweep, after_id, earlier);
  RegressionFinding found;
  std::size_t points = 0, worse = 0;
  double worst = 1;
  double least_p = 1;
  std::string example;
  for (const auto& [point, values] : newest) {
    const auto base = earlier.find(point);
    if (base == earlier.end()) continue;
    const auto comparison = analysis::compare(base->second, values, analysis::Good::more);
    if (!comparison) continue;
    found.comparable = true;
    ++points;
    if (!analysis::is_worse(comparison->change)) continue;
    ++worse;
    least_p = std::min(least_p, comparison->p.value_or(0));
    if (comparison->ratio >= worst) continue;
    worst = comparison->ratio;
    example = fmt::format("{}: {:.0f} % fewer IOPS than in the {} before",
                          point_text(std::get<Setting>(point)), (1 - worst) * 100,
                          sweeps == 1 ? "sweep" : std::to_string(sweeps) + " sweeps");
  }
  // Of twenty points that are as they were one is "worse" by chance: p holds for all together
  // (Bonferroni), or more than half of them say it.
  const bool by_chance = least_p * static_cast<double>(points) > analysis::significance;
  if (worse > 0 && (!by_chance || 2 * worse > points))
    found.sentence = fmt::format("{} ({} of {} {} worse)", example, worse, points,
                                 points == 1 ? "point is" : "points are");
  return found;
}

}  // namespace iobenchd::scheduler
