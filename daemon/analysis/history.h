// A series of sweeps that measured the same thing: its points, what the newest is worth against
// those before it, where the level changed, and what else did. Pure functions; safe from any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/change_point.h"
#include "daemon/analysis/comparison.h"
#include "daemon/model/history.h"

namespace iobenchd::analysis {

inline constexpr std::size_t baseline_sweeps = 5;

// What one sweep gave: medians of its repeats.
struct HistoryPoint {
  std::int64_t started_at_ns = 0;  // of its first run; 0: unknown
  std::int64_t sweep_id = 0;
  std::vector<std::int64_t> run_ids;  // ascending
  std::vector<double> repeat_iops;    // those that are known
  double iops = 0;                    // NaN: no run has a figure
  double latency_mean_ns = 0;         // 0: unknown
  std::uint64_t latency_p99_ns = 0;   // the middle one of its runs, of two the higher; 0: unknown
  bool pinned = false;
  std::size_t circumstances = 0;  // index into Series::circumstances
  std::uint32_t engine_flags = 0;
  std::string governor;
};

// What a sweep is judged by: the newest pinned one before it, else the median of the five before
// it. Never the sweep itself.
struct Baseline {
  bool pinned = false;
  std::vector<std::int64_t> sweep_ids;  // oldest first
  double iops = 0;
  std::vector<double> values;  // for Welch: one a sweep; of a single sweep its repeats
};

struct NewestVerdict {
  std::int64_t sweep_id = 0;
  std::optional<Comparison> comparison;  // none: nothing to compare, the sentence says why
  std::string sentence;
};

// What was different from this point on.
struct Mark {
  std::size_t at = 0;  // index into History::points
  std::string field, from, to;
};

struct History {
  std::vector<HistoryPoint> points;  // oldest first
  std::optional<Baseline> baseline;  // of the newest point
  std::optional<NewestVerdict> newest;
  ChangePoints changes;  // places are indexes into `points`
  std::vector<Mark> marks;
};

// One point a sweep, by the time of its first run; runs without a time are older than all others.
[[nodiscard]] std::vector<HistoryPoint> history_points(const std::vector<SeriesRun>& runs);
// Of the point at `judged`; `pinned` are points of pinned sweeps. None: there is nothing before it.
[[nodiscard]] std::optional<Baseline> baseline_of(const std::vector<HistoryPoint>& points,
                                                  std::size_t judged,
                                                  const std::vector<HistoryPoint>& pinned);
[[nodiscard]] History history_of(const Series& series);
[[nodiscard]] std::string change_sentence(const ChangePoint& change);

}  // namespace iobenchd::analysis
