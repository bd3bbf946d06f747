// Which runs make a point, and which points make a curve. Points measured by different engines,
// engine flags or with and without direct I/O never share a curve: each curve belongs to the way
// of measuring that most of its runs have (the first seen among equals), and runs of another way
// are left out of it. A setting that was only measured in another way stays in the list of points,
// off the curve, with a verdict. Pure; the groups point into the runs they were made from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::analysis {

struct Way {
  IoEngine ioengine = IoEngine::automatic;
  std::uint32_t engine_flags = 0;
  bool direct = false;
  auto operator<=>(const Way&) const = default;
};
[[nodiscard]] Way way_of(const Run& run) noexcept;
[[nodiscard]] std::string describe(const Way& way);

struct PointGroup {
  Setting setting;
  std::vector<const Run*> good;  // all measured in one way, its curve's or (off_curve) another
  std::vector<const Run*> drift_checks;
  bool failed = false;     // a run of it failed
  bool off_curve = false;  // measured in another way than its curve
};

struct CurveGroup {
  Setting setting;  // the axis' own field is 0
  Way way;
  std::vector<std::size_t> points;  // those on the curve, ascending along the axis
};

struct Groups {
  std::string axis;
  std::vector<PointGroup> points;  // ascending by setting
  std::vector<CurveGroup> curves;  // ascending by setting
};

// The axis is numjobs where it varies (or was asked to), else iodepth, else bs; numjobs where
// nothing does. There is a curve for each combination of the rest that has a good run.
[[nodiscard]] Groups group(const SweepSpec& spec, std::span<const Run> runs);

// By the same rule, before there are runs.
[[nodiscard]] std::string_view axis_asked(const SweepSpec& spec) noexcept;

// What the points of one curve share: the axis' own field is 0.
[[nodiscard]] Setting without_axis(Setting setting, std::string_view axis) noexcept;
// The axis' own field.
[[nodiscard]] std::uint32_t along(const Setting& setting, std::string_view axis) noexcept;

}  // namespace iobenchd::analysis
