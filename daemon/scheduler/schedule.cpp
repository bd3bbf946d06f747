#include "daemon/scheduler/schedule.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/analysis/auto_numjobs.h"
#include "daemon/analysis/auto_repeats.h"
#include "daemon/analysis/curves.h"
#include "daemon/analysis/noise.h"
#include "daemon/scheduler/plan.h"
#include "daemon/scheduler/random.h"

namespace iobenchd::scheduler {
namespace {

Setting with_jobs(Setting setting, std::uint32_t numjobs) noexcept {
  setting.numjobs = numjobs;
  return setting;
}

// Where every curve begins: all of them run along the same list.
std::uint32_t least_along(const SweepSpec& spec, std::string_view axis) {
  const std::vector<std::uint32_t>& list = axis == "iodepth" ? spec.iodepth
                                           : axis == "bs"    ? spec.bs
                                                             : spec.numjobs;
  return *std::min_element(list.begin(), list.end());
}

}  // namespace

std::uint32_t drift_checks_of(const SweepSpec& spec, std::size_t grid_jobs) noexcept {
  const std::string_view axis = analysis::axis_asked(spec);
  const std::size_t along_axis = axis == "iodepth" ? spec.iodepth.size()
                                 : axis == "bs"    ? spec.bs.size()
                                                   : grid_jobs;
  if (along_axis <= 1) return 0;
  const std::size_t points = spec.rw.size() * spec.bs.size() * spec.iodepth.size() * grid_jobs;
  const auto curves = static_cast<std::uint32_t>(points / along_axis);
  return spec.repeats_auto ? curves * drift_runs_auto : curves;
}

Schedule::Schedule(const SweepSpec& spec, std::uint32_t most_jobs, std::uint64_t seed)
    : spec_(spec), most_jobs_(most_jobs), random_(seed) {
  for (const Rw rw : spec.rw)
    for (const std::uint32_t block : spec.bs)
      for (const std::uint32_t depth : spec.iodepth)
        curves_.push_back({Setting{rw, block, depth, 0}, false});
}

void Schedule::note(const PlannedRun& run, std::optional<double> iops) {
  outcomes_[run] = iops;
}

std::optional<PlannedRun> Schedule::next() {
  for (;;) {
    while (!pending_.empty() && outcomes_.count(pending_.front()) != 0) pending_.pop_front();
    if (!pending_.empty()) return pending_.front();
    if (!grid_filled_) {
      grid_filled_ = true;
      if (!spec_.numjobs_auto) fill_grid();
      continue;
    }
    if (!drift_filled_) fill_more();
    if (pending_.empty() && !drift_filled_) fill_repeats();
    if (pending_.empty() && !drift_filled_) fill_doubtful();
    if (!pending_.empty()) continue;
    if (drift_filled_) return std::nullopt;
    drift_filled_ = true;
    fill_drift_checks();
  }
}

// Each curve's first point comes first, so that its second measurement, at the end, spans the
// whole sweep; the rest in one shuffle over all curves and repeats.
void Schedule::fill_grid() {
  std::deque<PlannedRun> firsts, others;
  const std::string_view axis = analysis::axis_asked(spec_);
  const std::uint32_t least = least_along(spec_, axis);
  for (std::uint32_t repeat = 0; repeat < spec_.repeats; ++repeat) {
    for (const CurveState& curve : curves_) {
      for (const std::uint32_t jobs : spec_.numjobs) {
        const Setting setting = with_jobs(curve.base, jobs);
        const bool first = spec_.order == Order::shuffled && repeat == 0 &&
                           analysis::along(setting, axis) == least;
        (first ? firsts : others).push_back({setting, repeat, false});
      }
    }
  }
  shuffle(firsts);
  shuffle(others);
  pending_ = std::move(firsts);
  pending_.insert(pending_.end(), others.begin(), others.end());
}

void Schedule::fill_more() {
  if (!spec_.numjobs_auto && !spec_.refine) return;
  std::deque<PlannedRun> batch;
  for (CurveState& curve : curves_) {
    if (curve.complete) continue;
    std::vector<std::uint32_t> jobs = more_jobs(curve);
    if (curve.racing && jobs.size() > race_left_of(curve)) jobs.resize(race_left_of(curve));
    curve.complete = jobs.empty();
    for (std::uint32_t repeat = 0; repeat < spec_.repeats; ++repeat)
      for (const std::uint32_t n : jobs) batch.push_back({with_jobs(curve.base, n), repeat, false});
  }
  shuffle(batch);
  pending_ = std::move(batch);
}

// One more run of each point whose interval is still wider than asked for.
void Schedule::fill_repeats() {
  if (spec_.repeats_most <= spec_.repeats) return;
  std::deque<PlannedRun> batch;
  for (const CurveState& curve : curves_) {
    for (const std::uint32_t n : jobs_with_runs(curve)) {
      const Setting setting = with_jobs(curve.base, n);
      const std::uint32_t done = runs_of(setting);
      if (done < spec_.repeats_most && is_wide(setting)) batch.push_back({setting, done, false});
    }
  }
  shuffle(batch);
  pending_ = std::move(batch);
}

// With repeats auto: one more run of each curve, where it says most. Then its points are looked at
// anew: the answer may have moved.
void Schedule::fill_doubtful() {
  if (!spec_.repeats_auto) return;
  std::deque<PlannedRun> batch;
  for (CurveState& curve : curves_) {
    curve.racing = true;
    if (race_left_of(curve) == 0) continue;
    const std::uint32_t n = most_doubtful_of(curve);
    if (n == 0) continue;
    const Setting setting = with_jobs(curve.base, n);
    batch.push_back({setting, runs_of(setting), false});
    curve.complete = false;
  }
  shuffle(batch);
  pending_ = std::move(batch);
}

// Of a curve that has one good point nobody could say that it drifted.
void Schedule::fill_drift_checks() {
  const std::string_view axis = analysis::axis_asked(spec_);
  std::map<Setting, std::set<Setting>> curves;
  for (const auto& [run, iops] : outcomes_) {
    if (!run.is_drift_check && iops)
      curves[analysis::without_axis(run.setting, axis)].insert(run.setting);
  }
  // Settings of one curve differ along its axis alone, so that its first point is the least.
  for (const auto& [base, points] : curves) {
    if (points.size() <= 1) continue;
    const std::uint32_t runs =
        spec_.repeats_auto ? std::min(drift_runs_auto, runs_of(*points.begin())) : 1;
    for (std::uint32_t repeat = 0; repeat < runs; ++repeat)
      pending_.push_back({*points.begin(), repeat, true});
  }
}

void Schedule::shuffle(std::deque<PlannedRun>& runs) {
  if (spec_.order != Order::shuffled) return;
  for (std::size_t i = runs.size(); i > 1; --i)
    std::swap(runs[i - 1], runs[next_random(random_) % i]);
}

std::vector<std::uint32_t> Schedule::more_jobs(const CurveState& curve) const {
  analysis::AutoLimits limits;
  limits.most_jobs = most_jobs_;
  limits.most_refinements = most_refinements;
  limits.refinements_done = refinements_done(curve);
  limits.doubling = spec_.numjobs_auto;
  limits.middles = spec_.repeats_auto;
  std::vector<analysis::MeasuredPoint> measured;
  const std::vector<std::uint32_t> tried = jobs_with_runs(curve);
  for (const std::uint32_t n : tried) {
    if (const auto iops = median_iops(with_jobs(curve.base, n))) {
      measured.push_back({n, *iops});
    } else if (is_of_grid(n) && spec_.numjobs_auto) {
      limits.most_jobs = std::min(limits.most_jobs, n - 1);  // what failed is not asked again
    }
  }
  if (limits.most_jobs == 0) return {};
  std::vector<std::uint32_t> jobs = analysis::next_numjobs(measured, limits);
  std::erase_if(jobs, [&](std::uint32_t n) {
    return n == 0 || std::find(tried.begin(), tried.end(), n) != tried.end();
  });
  return jobs;
}

std::vector<std::uint32_t> Schedule::jobs_with_runs(const CurveState& curve) const {
  std::vector<std::uint32_t> jobs;
  for (const auto& [run, iops] : outcomes_) {
    if (!run.is_drift_check && with_jobs(run.setting, 0) == curve.base)
      jobs.push_back(run.setting.numjobs);
  }
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs;
}

std::vector<double> Schedule::good_runs_of(const Setting& setting) const {
  std::vector<double> good;
  for (const auto& [run, iops] : outcomes_) {
    if (!run.is_drift_check && run.setting == setting && iops) good.push_back(*iops);
  }
  return good;
}

std::uint32_t Schedule::runs_of(const Setting& setting) const {
  return static_cast<std::uint32_t>(
      std::count_if(outcomes_.begin(), outcomes_.end(), [&](const auto& outcome) {
        return !outcome.first.is_drift_check && outcome.first.setting == setting;
      }));
}

// A point that failed, or that can't be compared with itself, isn't measured for its interval.
bool Schedule::is_wide(const Setting& setting) const {
  const std::vector<double> good = good_runs_of(setting);
  if (good.size() < runs_of(setting)) return false;
  const std::optional<double> half = analysis::half_width95(good);
  return half && *half > analysis::mean(good) * spec_.ci_percent / 100;
}

std::optional<double> Schedule::median_iops(const Setting& setting) const {
  const std::vector<double> good = good_runs_of(setting);
  if (good.empty()) return std::nullopt;
  return analysis::median(good);
}

bool Schedule::is_of_grid(std::uint32_t numjobs) const noexcept {
  if (spec_.numjobs_auto) return std::has_single_bit(numjobs) || numjobs == most_jobs_;
  return std::find(spec_.numjobs.begin(), spec_.numjobs.end(), numjobs) != spec_.numjobs.end();
}

std::uint32_t Schedule::refinements_done(const CurveState& curve) const {
  const auto jobs = jobs_with_runs(curve);
  return static_cast<std::uint32_t>(
      std::count_if(jobs.begin(), jobs.end(), [this](auto n) { return !is_of_grid(n); }));
}

// Runs that repeats auto still has for a curve, beside those that are pending.
std::uint32_t Schedule::race_left_of(const CurveState& curve) const {
  const std::uint32_t most = auto_runs_of_curve(spec_);
  const auto of_curve = [&](const PlannedRun& run) {
    return !run.is_drift_check && with_jobs(run.setting, 0) == curve.base;
  };
  std::uint32_t taken = drift_runs_auto;
  for (const auto& [run, iops] : outcomes_) taken += of_curve(run) ? 1 : 0;
  for (const PlannedRun& run : pending_)
    taken += of_curve(run) && outcomes_.count(run) == 0 ? 1 : 0;
  return most - std::min(most, taken);
}

// Points of which a run failed are left alone.
std::uint32_t Schedule::most_doubtful_of(const CurveState& curve) const {
  std::vector<analysis::RepeatedPoint> points;
  for (const std::uint32_t n : jobs_with_runs(curve)) {
    const Setting setting = with_jobs(curve.base, n);
    std::vector<double> good = good_runs_of(setting);
    if (good.size() == runs_of(setting)) points.push_back({n, std::move(good)});
  }
  return analysis::most_doubtful(points);
}

// Counts what may come of each curve beside what is tried or already pending.
std::uint32_t Schedule::most_left() const {
  std::uint32_t left = 0;
  for (const PlannedRun& run : pending_) left += outcomes_.count(run) == 0 ? 1 : 0;
  if (drift_filled_) return left;
  for (const CurveState& curve : curves_) left += most_left_of(curve);
  const std::size_t grid_jobs =
      spec_.numjobs_auto ? analysis::doublings(most_jobs_).size() : spec_.numjobs.size();
  return left + drift_checks_of(spec_, grid_jobs);
}

std::uint32_t Schedule::most_left_of(const CurveState& curve) const {
  if (curve.racing) return race_left_of(curve);
  std::vector<std::uint32_t> known = jobs_with_runs(curve);
  for (const PlannedRun& run : pending_) {
    if (with_jobs(run.setting, 0) == curve.base) known.push_back(run.setting.numjobs);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::uint32_t highest = known.empty() ? 0 : known.back();
  const std::vector<std::uint32_t> grid =
      spec_.numjobs_auto ? analysis::doublings(most_jobs_) : spec_.numjobs;
  std::uint32_t points = 0;
  if (spec_.numjobs_auto ? !curve.complete : !grid_filled_) {
    points += static_cast<std::uint32_t>(std::count_if(grid.begin(), grid.end(), [&](auto n) {
      return spec_.numjobs_auto ? n > highest : !std::binary_search(known.begin(), known.end(), n);
    }));
  }
  if (!curve.complete && (spec_.numjobs_auto || spec_.refine)) {
    const auto refined = static_cast<std::uint32_t>(
        std::count_if(known.begin(), known.end(), [this](auto n) { return !is_of_grid(n); }));
    points += most_refinements - std::min(most_refinements, refined);
  }
  const std::uint32_t most = std::max(spec_.repeats, spec_.repeats_most);
  return std::max(points * most + repeats_left_of(curve, known), race_left_of(curve));
}

// What may still be added to points that are begun, for the sake of their intervals.
std::uint32_t Schedule::repeats_left_of(const CurveState& curve,
                                        const std::vector<std::uint32_t>& known) const {
  if (spec_.repeats_most <= spec_.repeats) return 0;
  std::uint32_t left = 0;
  for (const std::uint32_t n : known) {
    const Setting setting = with_jobs(curve.base, n);
    const auto waiting = static_cast<std::uint32_t>(
        std::count_if(pending_.begin(), pending_.end(), [&](const PlannedRun& run) {
          return run.setting == setting && outcomes_.count(run) == 0;
        }));
    const std::uint32_t begun = runs_of(setting) + waiting;
    const bool settled = waiting == 0 && begun >= spec_.repeats && !is_wide(setting);
    if (!settled && begun < spec_.repeats_most) left += spec_.repeats_most - begun;
  }
  return left;
}

}  // namespace iobenchd::scheduler
