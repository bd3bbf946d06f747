#include "daemon/analysis/analysis.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/analysis/answer.h"
#include "daemon/analysis/auto_repeats.h"
#include "daemon/analysis/confidence.h"
#include "daemon/analysis/curves.h"
#include "daemon/analysis/figures.h"
#include "daemon/analysis/fold.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/notes.h"
#include "daemon/analysis/opinions.h"
#include "daemon/analysis/summary.h"
#include "daemon/analysis/sweet_spot.h"
#include "daemon/analysis/usl.h"
#include "daemon/analysis/verdicts.h"
#include "daemon/analysis/wording.h"

namespace iobenchd::analysis {
namespace {

// A sweep's result in the making: the groups of runs, and for each point its doubts in halves.
struct Making {
  const SweepSpec& spec;
  Groups groups;
  SweepResult result;
  std::vector<std::vector<Doubt>> doubts;      // of result.points
  std::vector<LocatedDoubt> curve_doubts;      // of curves as a whole
  std::vector<std::optional<Beyond>> beyonds;  // of result.curves
};

// The figures of one curve: of those of its points that have any.
struct CurveFigures {
  std::vector<Figure> figures;
  std::vector<std::size_t> points;  // indices into SweepResult::points
  std::vector<std::vector<double>> repeats;
  std::vector<double> half_widths;  // of x
};

void make_point(Making& making, const PointGroup& group) {
  Point point;
  std::vector<Doubt> doubts;
  if (group.good.empty()) {
    point.setting = group.setting;
    point.has_latency = false;
    point.has_percentiles = false;
  } else {
    point = merge_point(group.good);
    for (const Run* run : group.good) {
      for (Doubt& doubt : run_doubts(*run, &making.spec)) doubts.push_back(std::move(doubt));
    }
    doubts = worst_of_each(doubts);
  }
  point.failed = group.failed;
  making.result.points.push_back(std::move(point));
  making.doubts.push_back(std::move(doubts));
}

// Points off their curve say so.
void doubt_strangers(Making& making) {
  for (std::size_t i = 0; i < making.groups.points.size(); ++i) {
    const PointGroup& group = making.groups.points[i];
    if (!group.off_curve) continue;
    making.doubts[i].push_back({"engine_fallback", Severity::caution,
                                "measured in another way than the rest of its curve (" +
                                    describe(way_of(*group.good.front())) + ")",
                                "It was left out of the curve: measure this point again.", 1});
    making.doubts[i] = worst_of_each(making.doubts[i]);
  }
}

CurveFigures figures_of(const Making& making, const CurveGroup& group) {
  CurveFigures curve;
  const std::string& axis = making.groups.axis;
  for (const std::size_t index : group.points) {
    const Point& point = making.result.points[index];
    const double x = axis == "bs" ? point.bandwidth_bytes_per_s : point.iops;
    const Figure figure{along(point.setting, axis), x, point.latency_mean_ns / 1e9};
    if (!usable(figure)) continue;
    curve.figures.push_back(figure);
    curve.points.push_back(index);
    curve.repeats.push_back(point.repeat_iops);
    // IOPS times the block size: bandwidth's repeats are as far apart, relatively.
    for (double& value : curve.repeats.back()) value *= x / point.iops;
    curve.half_widths.push_back(half_width95(curve.repeats.back()).value_or(0));
  }
  return curve;
}

std::optional<Spot> decide_sweet_spot(const CurveFigures& from, bool one_per_job, Curve& curve,
                                      std::optional<Beyond>& after) {
  const Decision decision = decide(from.figures, curve.noise);
  if (decision.at == 0) {
    const std::uint32_t largest = from.figures.empty() ? 0 : from.figures.back().n;
    curve.no_sweet_spot = no_sweet_spot(decision.outcome, curve.axis, from.figures.size(), largest);
    return std::nullopt;
  }
  const Between between = curve.axis == "bs" ? Between::measured_only : Between::integers;
  const Band around = band(from.figures, decision.at, between);
  const Confidence sure = confidence(from.figures, from.repeats, around, curve.noise);
  after = beyond(from.figures, decision.at);
  const LikelyAnswers likely =
      likely_answers(from.figures, from.repeats, around, curve.noise, run_noise(from.repeats));
  SweetSpot spot{decision.at,      around.low,
                 around.high,      decision.outcome == Outcome::first ? "first" : "balance",
                 sure.share,       sure.basis,
                 likely.range.low, likely.range.high,
                 likely.in_band,   ""};
  spot.sentence = sweet_spot_sentence(curve, spot, after, one_per_job);
  curve.sweet_spot = std::move(spot);
  return Spot{decision.at, around};
}

void add_opinions(const Making& making, const CurveFigures& from, Curve& curve) {
  curve.latency_first = latency_first_opinion(from.figures, curve.noise);
  curve.throughput_first = throughput_first_opinion(from.figures, curve.noise);
  curve.kneedle = kneedle_opinion(from.figures);
  if (!making.spec.latency_limit) return;
  std::vector<double> limited;
  for (const std::size_t index : from.points) {
    const Point& point = making.result.points[index];
    limited.push_back(making.spec.latency_limit->statistic == Statistic::mean
                          ? point.latency_mean_ns
                          : static_cast<double>(point.latency_p99_ns));
  }
  curve.under_limit =
      under_limit_opinion(from.figures, limited, making.spec.latency_limit->limit_ns, curve.noise);
}

// USL and notes mean something along numjobs alone.
void add_scalability(Making& making, const CurveFigures& from, const std::optional<Spot>& spot,
                     Curve& curve) {
  if (curve.axis != "numjobs") {
    curve.no_usl = Named{"other_axis", "The scalability law is about jobs; this curve runs along " +
                                           curve.axis + "."};
    return;
  }
  auto fit = fit_usl(from.figures);
  if (auto* usl = std::get_if<Usl>(&fit)) {
    curve.usl = *usl;
  } else {
    curve.no_usl = std::move(std::get<Named>(fit));
  }
  const std::vector<std::string> words = notes(from.figures, from.half_widths, spot);
  for (std::size_t i = 0; i < words.size(); ++i) {
    making.result.points[from.points[i]].note = words[i];
  }
}

const Doubt* doubt_named(std::span<const Doubt> doubts, std::string_view name) {
  const auto it = std::find_if(doubts.begin(), doubts.end(),
                               [name](const Doubt& doubt) { return doubt.name == name; });
  return it == doubts.end() ? nullptr : &*it;
}

std::optional<std::uint32_t> first_strained(const Making& making, const CurveFigures& from) {
  for (std::size_t i = 0; i < from.points.size(); ++i) {
    const std::vector<Doubt>& doubts = making.doubts[from.points[i]];
    if (doubt_named(doubts, "system_strained") != nullptr) return from.figures[i].n;
  }
  return std::nullopt;
}

// How far the medians of so many runs lie apart by chance, by the curve's repeats; 0 without any.
double noise_of_difference(const CurveFigures& from, std::size_t runs, std::size_t again) {
  const PooledDeviation pooled = pooled_deviation(from.repeats);
  if (pooled.degrees == 0) return 0;
  return t_975(pooled.degrees) * pooled.relative *
         std::sqrt(1 / static_cast<double>(runs) + 1 / static_cast<double>(again));
}

// The first point measured again last: did the disk change meanwhile? Says where on the curve;
// which curve it is, fold() adds where there are several.
std::optional<Doubt> drift_of(const Making& making, const CurveGroup& group,
                              const CurveFigures& from, double curve_noise) {
  for (const std::size_t index : group.points) {
    const PointGroup& point = making.groups.points[index];
    std::vector<double> again;
    again.reserve(point.drift_checks.size());
    for (const Run* run : point.drift_checks) again.push_back(summarise(*run).iops);
    const double before = making.result.points[index].iops;
    if (again.empty() || before <= 0) continue;
    const double change = median(again) / before - 1;
    const double noise =
        std::max(curve_noise,
                 noise_of_difference(from, making.groups.points[index].good.size(), again.size()));
    if (std::abs(change) <= noise) continue;
    const std::uint32_t n = along(point.setting, making.groups.axis);
    return Doubt{"drifted", Severity::caution,
                 amount(making.groups.axis, n, n) + " gave " + percent(std::abs(change)) +
                     (change < 0 ? " fewer" : " more") + " IOPS when measured again at the end",
                 "The disk or the machine changed during the sweep (noise is " + percent(noise) +
                     "): precondition or let it cool, and measure again.",
                 std::abs(change)};
  }
  return std::nullopt;
}

// What every point of the curve shares, and the curve's own.
void fold_curve(const Making& making, const CurveGroup& group, const std::optional<Doubt>& drift,
                Curve& curve) {
  if (!group.points.empty()) {
    for (const Doubt& first : making.doubts[group.points.front()]) {
      std::vector<LocatedDoubt> shared;
      for (const std::size_t index : group.points) {
        const Doubt* doubt = doubt_named(making.doubts[index], first.name);
        if (doubt == nullptr) break;
        const std::uint32_t n = along(making.result.points[index].setting, curve.axis);
        shared.push_back({amount(curve.axis, n, n), *doubt});
      }
      if (shared.size() < group.points.size()) continue;
      curve.verdicts.push_back(fold(shared, group.points.size(), "point"));
    }
  }
  if (drift) curve.verdicts.push_back(verdict_of(*drift));
  sort_by_severity(curve.verdicts);
}

void make_curve(Making& making, const CurveGroup& group) {
  Curve curve;
  curve.axis = making.groups.axis;
  curve.setting = group.setting;
  curve.points = group.points;
  const CurveFigures from = figures_of(making, group);
  curve.noise = curve_noise(from.repeats);
  const bool one_per_job =
      group.way.ioengine == IoEngine::psync || group.way.ioengine == IoEngine::mmap;
  std::optional<Beyond> after;
  const std::optional<Spot> spot = decide_sweet_spot(from, one_per_job, curve, after);
  add_opinions(making, from, curve);
  add_scalability(making, from, spot, curve);
  if (curve.axis == "numjobs") curve.strain_numjobs = first_strained(making, from);
  const std::optional<Doubt> drift = drift_of(making, group, from, curve.noise);
  fold_curve(making, group, drift, curve);
  if (drift) making.curve_doubts.push_back({setting_label(curve.setting), *drift});
  making.beyonds.push_back(after);
  making.result.curves.push_back(std::move(curve));
}

// Every doubt once: those of points over all points, those of curves over all curves.
void fold_sweep(Making& making) {
  std::vector<std::string> names;
  std::size_t measured = 0;
  for (std::size_t i = 0; i < making.doubts.size(); ++i) {
    if (making.result.points[i].repeats > 0) ++measured;
    for (const Doubt& doubt : making.doubts[i]) {
      const bool known = std::find(names.begin(), names.end(), doubt.name) != names.end();
      if (!known) names.push_back(doubt.name);
    }
  }
  for (const std::string& name : names) {
    std::vector<LocatedDoubt> all;
    for (std::size_t i = 0; i < making.doubts.size(); ++i) {
      const Doubt* doubt = doubt_named(making.doubts[i], name);
      if (doubt != nullptr) {
        all.push_back({setting_label(making.result.points[i].setting), *doubt});
      }
    }
    making.result.warnings.push_back(fold(all, measured, "point"));
  }
  if (!making.curve_doubts.empty()) {
    making.result.warnings.push_back(
        fold(making.curve_doubts, making.result.curves.size(), "curve"));
  }
  sort_by_severity(making.result.warnings);
}

std::string answer_of(const Making& making) {
  if (making.result.curves.empty()) {
    return making.result.points.empty() ? "" : "No run succeeded, so there is no answer.";
  }
  std::vector<CurveAnswer> answers;
  for (std::size_t i = 0; i < making.result.curves.size(); ++i) {
    const IoEngine engine = making.groups.curves[i].way.ioengine;
    answers.push_back({&making.result.curves[i], making.beyonds[i],
                       engine == IoEngine::psync || engine == IoEngine::mmap});
  }
  return answer(answers);
}

}  // namespace

SweepResult analyse(const SweepSpec& spec, std::span<const Run> runs) {
  Making making{spec, group(spec, runs), {}, {}, {}, {}};
  for (const PointGroup& point : making.groups.points) make_point(making, point);
  doubt_strangers(making);
  for (std::size_t i = 0; i < making.doubts.size(); ++i) {
    for (const Doubt& doubt : making.doubts[i]) {
      making.result.points[i].verdicts.push_back(verdict_of(doubt));
    }
    sort_by_severity(making.result.points[i].verdicts);
  }
  for (const CurveGroup& curve : making.groups.curves) make_curve(making, curve);
  fold_sweep(making);
  making.result.answer = answer_of(making);
  return std::move(making.result);
}

}  // namespace iobenchd::analysis
