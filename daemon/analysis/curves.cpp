#include "daemon/analysis/curves.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace iobenchd::analysis {
namespace {

std::string axis_of(const SweepSpec& spec, std::span<const Run> runs) {
  std::set<std::uint32_t> numjobs(spec.numjobs.begin(), spec.numjobs.end());
  std::set<std::uint32_t> iodepth;
  std::set<std::uint32_t> bs;
  bool asked_for_auto = spec.numjobs_auto;
  for (const Run& run : runs) {
    numjobs.insert(run.setting.numjobs);
    iodepth.insert(run.setting.iodepth);
    bs.insert(run.setting.block_bytes);
    if (run.imported_figures) asked_for_auto = false;  // nobody asked us: only the figures count
  }
  if (numjobs.size() > 1 || asked_for_auto) return "numjobs";
  if (iodepth.size() > 1) return "iodepth";
  return bs.size() > 1 ? "bs" : "numjobs";
}

// What is most common, the first seen among equals.
Way commonest_way(std::span<const Run* const> runs) {
  std::vector<std::pair<Way, std::size_t>> seen;
  for (const Run* run : runs) {
    const Way way = way_of(*run);
    const auto known =
        std::find_if(seen.begin(), seen.end(), [&](const auto& pair) { return pair.first == way; });
    if (known == seen.end()) {
      seen.emplace_back(way, 1);
    } else {
      ++known->second;
    }
  }
  return std::max_element(seen.begin(), seen.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void keep_only(std::vector<const Run*>& runs, const Way& way) {
  std::erase_if(runs, [&](const Run* run) { return way_of(*run) != way; });
}

// Leaves each point the runs of its curve's way, or where it has none, of its own commonest.
void settle_way(PointGroup& point, const Way& way) {
  keep_only(point.drift_checks, way);
  if (point.good.empty()) return;
  const bool has_it = std::any_of(point.good.begin(), point.good.end(),
                                  [&](const Run* run) { return way_of(*run) == way; });
  point.off_curve = !has_it;
  keep_only(point.good, has_it ? way : commonest_way(point.good));
}

}  // namespace

Way way_of(const Run& run) noexcept {
  return {run.measurement.ioengine, run.measurement.engine_flags, run.measurement.direct};
}

std::string describe(const Way& way) {
  std::string text(way.ioengine == IoEngine::automatic ? "an unknown engine"
                                                       : to_string(way.ioengine));
  text += way.direct ? ", direct I/O" : ", no direct I/O";
  static constexpr std::pair<std::uint32_t, const char*> names[] = {
      {engine_flag::fixed_buffers, "registered buffers"},
      {engine_flag::fixed_files, "registered files"},
      {engine_flag::coop_taskrun, "coop_taskrun"},
      {engine_flag::single_issuer, "single_issuer"},
      {engine_flag::defer_taskrun, "defer_taskrun"},
      {engine_flag::polled, "polled"},
  };
  for (const auto& [flag, name] : names) {
    if ((way.engine_flags & flag) != 0) text += std::string(", ") + name;
  }
  return text;
}

std::string_view axis_asked(const SweepSpec& spec) noexcept {
  if (spec.numjobs_auto || spec.numjobs.size() > 1) return "numjobs";
  if (spec.iodepth.size() > 1) return "iodepth";
  return spec.bs.size() > 1 ? "bs" : "numjobs";
}

Setting without_axis(Setting setting, std::string_view axis) noexcept {
  if (axis == "iodepth") {
    setting.iodepth = 0;
  } else if (axis == "bs") {
    setting.block_bytes = 0;
  } else {
    setting.numjobs = 0;
  }
  return setting;
}

std::uint32_t along(const Setting& setting, std::string_view axis) noexcept {
  if (axis == "iodepth") return setting.iodepth;
  return axis == "bs" ? setting.block_bytes : setting.numjobs;
}

Groups group(const SweepSpec& spec, std::span<const Run> runs) {
  Groups groups;
  groups.axis = axis_of(spec, runs);
  std::map<Setting, PointGroup> points;
  std::map<Setting, std::vector<const Run*>> curves;
  for (const Run& run : runs) {
    if (run.state != RunState::done && run.state != RunState::failed) continue;
    if (run.state == RunState::failed && run.is_drift_check) continue;
    PointGroup& point = points[run.setting];
    point.setting = run.setting;
    if (run.state == RunState::failed) {
      point.failed = true;
    } else if (run.is_drift_check) {
      point.drift_checks.push_back(&run);
    } else {
      point.good.push_back(&run);
      curves[without_axis(run.setting, groups.axis)].push_back(&run);
    }
  }
  for (const auto& [setting, good] : curves) {
    groups.curves.push_back({setting, commonest_way(good), {}});
  }
  for (auto& [setting, point] : points) {
    if (point.good.empty() && !point.failed) continue;  // a drift check without its first point
    const Setting base = without_axis(setting, groups.axis);
    const auto curve = std::find_if(groups.curves.begin(), groups.curves.end(),
                                    [&](const CurveGroup& c) { return c.setting == base; });
    if (curve != groups.curves.end()) {
      settle_way(point, curve->way);
      if (!point.good.empty() && !point.off_curve) curve->points.push_back(groups.points.size());
    }
    groups.points.push_back(std::move(point));
  }
  // Settings compare by rw, block size, depth, jobs: along one curve only the axis differs, so the
  // order of the map is ascending along every axis.
  return groups;
}

}  // namespace iobenchd::analysis
