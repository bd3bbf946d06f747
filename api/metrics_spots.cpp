#include "api/metrics_spots.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "api/handlers.h"
#include "daemon/scheduler/plan.h"

namespace iobenchd::api {
namespace {

// Sweeps of this machine that are looked at, the newest; and how many of them one scrape may
// analyse: reading and judging a large sweep takes tens of milliseconds.
constexpr std::uint32_t sweeps_looked_at = 32;
constexpr std::uint32_t analysed_most = 4;

// Every curve along numjobs; `at` 0 where it has no sweet spot, so that an older one isn't told.
std::vector<CurveSpot> spots_of(const Sweep& sweep, const SweepResult& result) {
  std::vector<CurveSpot> spots;
  for (const Curve& curve : result.curves) {
    if (curve.axis != "numjobs") continue;
    CurveSpot& spot = spots.emplace_back();
    spot.target = sweep.plan.target;
    spot.ioengine = sweep.plan.ioengine;
    spot.setting = curve.setting;
    spot.finished_at_ns = sweep.finished_at_ns;
    if (!curve.sweet_spot) continue;
    spot.at = curve.sweet_spot->at;
    spot.low = curve.sweet_spot->low;
    spot.high = curve.sweet_spot->high;
  }
  return spots;
}

}  // namespace

MetricsText::Labels labels_of(const CurveSpot& spot) {
  return {{"target", spot.target},
          {"rw", std::string(to_string(spot.setting.rw))},
          {"bs", scheduler::size_text(spot.setting.block_bytes)},
          {"iodepth", std::to_string(spot.setting.iodepth)},
          {"ioengine", spot.ioengine}};
}

std::vector<CurveSpot> newest_spots(const Context& context) {
  storage::SweepFilter filter;
  filter.origin = Origin::local;
  const auto page = context.store.sweeps().list(filter, 0, sweeps_looked_at);
  SpotMemory& memory = context.memory->spots;
  const std::lock_guard lock(memory.mutex);  // of two scrapes at one time one analyses
  std::map<std::string, std::vector<CurveSpot>> kept;
  std::map<MetricsText::Labels, CurveSpot> newest;
  std::uint32_t analysed = 0;
  for (const Sweep& sweep : page.items) {
    if (sweep.state != SweepState::done) continue;
    auto known = memory.by_sweep.extract(sweep.uuid);
    if (known.empty()) {
      if (++analysed > analysed_most) continue;
      kept[sweep.uuid] = spots_of(sweep, *result_of(context, sweep));
    } else {
      kept.insert(std::move(known));
    }
    for (const CurveSpot& spot : kept[sweep.uuid]) newest.emplace(labels_of(spot), spot);
  }
  memory.by_sweep = std::move(kept);
  std::vector<CurveSpot> spots;
  for (auto& [unused, spot] : newest)
    if (spot.at != 0) spots.push_back(std::move(spot));
  return spots;
}

}  // namespace iobenchd::api
