// "Is my drive normal?": each point of a sweep among those of earlier sweeps of the same disk
// model. Pure functions; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/curve.h"
#include "daemon/model/run.h"

namespace iobenchd::analysis {

inline constexpr std::uint32_t percentile_needs = 3;  // earlier sweeps

struct Standing {
  std::size_t point = 0;  // index into the points of the sweep
  std::uint32_t earlier_sweeps = 0;
  // 0..100: how many of the earlier ones gave fewer IOPS, equal ones counting half. None under
  // percentile_needs.
  std::optional<double> percentile;
  std::optional<double> median_iops, low, high;  // IOPS of the earlier ones; none without any
  std::string sentence;
};

struct Standings {
  std::vector<Standing> points;  // those of the sweep that didn't fail, in its order
  std::vector<std::string> summary;
};

// `earlier`: runs of other sweeps, in any order; each sweep counts once per point, with the median
// of its repeats, where rw, block size, depth, jobs and direct are the same. `model` empty:
// unknown.
[[nodiscard]] Standings standings(const SweepResult& result, std::span<const ModelFigure> earlier,
                                  std::string_view model);

// 0..100, mid-rank for ties. Expects at least one other.
[[nodiscard]] double percentile_of(double value, std::span<const double> others) noexcept;

}  // namespace iobenchd::analysis
