// Which run comes next: the grid, shuffled or as given; what `auto` and `refine` add to it; repeats
// until intervals are narrow, or where the band is least certain; and at the end each curve's first
// point once more. Pure arithmetic on what was measured, so that a restarted sweep goes on where it
// was. One owner, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "daemon/model/sweep.h"

namespace iobenchd::scheduler {

struct PlannedRun {
  Setting setting;
  std::uint32_t repeat = 0;
  bool is_drift_check = false;
  auto operator<=>(const PlannedRun&) const = default;
};

// How many runs measure first points again at the end: one for each curve along the axis of the
// sweep that has more than one point; with repeats auto, where a run is short, drift_runs_auto.
// `grid_jobs`: how many numjobs there may be beside those of refining.
inline constexpr std::uint32_t drift_runs_auto = 3;
[[nodiscard]] std::uint32_t drift_checks_of(const SweepSpec& spec, std::size_t grid_jobs) noexcept;

class Schedule {
 public:
  // `most_jobs`: as far as auto and refine may go.
  Schedule(const SweepSpec& spec, std::uint32_t most_jobs, std::uint64_t seed);

  // As far as auto and refine may go from now on.
  void limit_jobs(std::uint32_t most_jobs) noexcept { most_jobs_ = most_jobs; }
  // What became of a run, of this life or an earlier one. No iops: it failed.
  void note(const PlannedRun& run, std::optional<double> iops);
  // The next run without an outcome; the same again until it is noted. None: all is measured.
  [[nodiscard]] std::optional<PlannedRun> next();
  // How many may still come, at most.
  [[nodiscard]] std::uint32_t most_left() const;

 private:
  struct CurveState {  // along numjobs, whatever the axis of the sweep is
    Setting base;      // numjobs 0
    bool complete = false;
    bool racing = false;  // repeats auto: every point has its first run, the rest is where it helps
  };

  void fill_grid();
  void fill_more();
  void fill_repeats();
  void fill_doubtful();
  void fill_drift_checks();
  void shuffle(std::deque<PlannedRun>& runs);
  [[nodiscard]] std::vector<std::uint32_t> more_jobs(const CurveState& curve) const;
  [[nodiscard]] std::vector<std::uint32_t> jobs_with_runs(const CurveState& curve) const;
  [[nodiscard]] std::uint32_t repeats_left_of(const CurveState& curve,
                                              const std::vector<std::uint32_t>& known) const;
  [[nodiscard]] std::vector<double> good_runs_of(const Setting& setting) const;
  [[nodiscard]] std::uint32_t runs_of(const Setting& setting) const;
  [[nodiscard]] bool is_wide(const Setting& setting) const;
  [[nodiscard]] std::optional<double> median_iops(const Setting& setting) const;
  [[nodiscard]] bool is_of_grid(std::uint32_t numjobs) const noexcept;
  [[nodiscard]] std::uint32_t most_left_of(const CurveState& curve) const;
  [[nodiscard]] std::uint32_t refinements_done(const CurveState& curve) const;
  [[nodiscard]] std::uint32_t race_left_of(const CurveState& curve) const;
  [[nodiscard]] std::uint32_t most_doubtful_of(const CurveState& curve) const;

  const SweepSpec& spec_;
  std::uint32_t most_jobs_;
  std::uint64_t random_;
  std::vector<CurveState> curves_;
  std::deque<PlannedRun> pending_;
  std::map<PlannedRun, std::optional<double>> outcomes_;
  bool grid_filled_ = false, drift_filled_ = false;
};

}  // namespace iobenchd::scheduler
