// Two sweeps side by side: which of their points and curves belong together, what has changed, and
// what makes the comparison unfair. Pure functions; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/comparison.h"
#include "daemon/model/curve.h"
#include "daemon/model/sweep.h"

namespace iobenchd::analysis {

struct ComparedSweep {
  std::string name;  // as a sentence calls it: "sweep 12", "the raw device"
  SweepSpec spec;
  std::uint64_t size_bytes = 0;  // working set; 0: unknown
  SweepResult result;
};

// What keeps two sweeps from being a fair comparison. Values in words, "unknown" where they are.
struct Mismatch {
  std::string field;  // "bs", as in the spec
  std::string base, with;
  std::string sentence;
};

// One figure of a point on both sides.
struct FigurePair {
  double base = 0, with = 0;
  Comparison comparison;
};

// Indices into the points of both results. The figures are none where a side doesn't know them.
struct PointPair {
  std::size_t base = 0, with = 0;
  std::optional<FigurePair> iops, latency_mean_ns, latency_p99_ns;
};

// Indices into the curves of both results.
struct CurvePair {
  std::size_t base = 0, with = 0;
};

struct SweepComparison {
  // Empty: points pair where their settings are the same. Else nothing would, and they pair with
  // the nearest along this field: "iodepth" or "bs".
  std::string_view nearest_along;
  std::vector<PointPair> points;  // ascending by the base's setting
  std::vector<std::size_t> only_in_base, only_in_with;
  std::vector<CurvePair> curves;
  std::vector<Mismatch> mismatches;
  std::vector<std::string> summary;  // sentences
};

// Points that failed take no part.
[[nodiscard]] SweepComparison compare_sweeps(const ComparedSweep& base, const ComparedSweep& with);

}  // namespace iobenchd::analysis
