// The quick answer, by simulation: disks whose curves are known, measured with 2 % noise, through
// the code that really decides what to measure and what to answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/confidence.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/sweet_spot.h"
#include "daemon/scheduler/schedule.h"

namespace iobenchd::scheduler {
namespace {

using analysis::Band;
using analysis::Decision;
using analysis::Figure;
using analysis::Random;

constexpr std::uint32_t most_jobs = 128;
constexpr double noise_of_a_second = 0.02;
constexpr std::size_t shapes = 5;
constexpr int disks_of_a_shape = 200;

using Curve = std::function<double(double)>;

// Five ways in which throughput may depend on the jobs n, each with a seeded disk's own figures.
Curve curve_of(std::size_t shape, Random& random) {
  const double one = 20'000 + 100'000 * random.uniform();
  const double place = std::exp2(1 + 4 * random.uniform());  // 2 to 32 jobs
  switch (shape) {
    case 0: {  // the scalability law: contention and coherence
      const double sigma = 0.02 + 0.2 * random.uniform();
      const double kappa = std::pow(10, -4 + 2 * random.uniform());
      return [=](double n) { return one * n / (1 + sigma * (n - 1) + kappa * n * (n - 1)); };
    }
    case 1:  // rises ever more slowly towards a ceiling
      return [=](double n) { return one * place * (1 - std::exp(-n / place)); };
    case 2:  // straight up, a knee, flat
      return [=](double n) { return one * n / std::pow(1 + std::pow(n / place, 4), 0.25); };
    case 3:  // a queue of one server
      return [=](double n) { return one * n / (n + place / 2); };
    default: {  // one job has it all, the more the fewer
      const double loss = 0.01 * random.uniform();
      return [=](double n) { return one * (1 - loss * std::log2(n)); };
    }
  }
}

std::uint32_t true_sweet_spot(const Curve& curve) {
  std::vector<Figure> all;
  for (std::uint32_t n = 1; n <= most_jobs; ++n) all.push_back({n, curve(n), 0});
  return analysis::decide(all, analysis::assumed_noise).at;
}

struct Measured {
  std::map<std::uint32_t, std::vector<double>> runs;
  std::size_t count = 0;  // drift checks among them
  double seconds = 0;     // ramps among them
};

// A disk's noise is white: a run of t seconds has 2 % / sqrt(t).
Measured measured(const SweepSpec& spec, const Curve& curve, Random& random) {
  Measured result;
  const double length = static_cast<double>(spec.runtime_ns) / 1e9;
  Schedule schedule(spec, most_jobs, random.next());
  while (const auto run = schedule.next()) {
    const std::uint32_t n = run->setting.numjobs;
    const double iops = curve(n) * (1 + noise_of_a_second / std::sqrt(length) * random.normal());
    schedule.note(*run, iops);
    if (!run->is_drift_check) result.runs[n].push_back(iops);
    ++result.count;
    result.seconds += length + static_cast<double>(spec.ramp_time_ns) / 1e9;
  }
  return result;
}

// None: no answer.
std::optional<Band> answered(const Measured& measured) {
  std::vector<Figure> figures;
  std::vector<std::vector<double>> repeats;
  for (const auto& [n, runs] : measured.runs) {
    figures.push_back({n, analysis::median(runs), 0});
    repeats.push_back(runs);
  }
  const Decision decision = analysis::decide(figures, analysis::curve_noise(repeats));
  if (decision.at == 0) return std::nullopt;
  return analysis::band(figures, decision.at);
}

SweepSpec quick_spec() {
  SweepSpec spec;
  settle_quick(spec, {});
  return spec;
}

SweepSpec ten_minutes_spec() {
  SweepSpec spec;
  spec.runtime_ns = 10'000'000'000;
  spec.repeats = 4;
  return spec;
}

TEST_CASE("1000 disks with 2 % noise: the quick answer's band holds the true sweet spot in 95 %") {
  int held = 0, met = 0;
  for (std::size_t shape = 0; shape < shapes; ++shape) {
    Random random(2025 + shape);
    int held_of_shape = 0, met_of_shape = 0;
    for (int disk = 0; disk < disks_of_a_shape; ++disk) {
      const Curve curve = curve_of(shape, random);
      const std::uint32_t truth = true_sweet_spot(curve);
      const Measured quick = measured(quick_spec(), curve, random);
      CHECK(quick.seconds <= 60.001);
      const auto band = answered(quick);
      const auto slow_band = answered(measured(ten_minutes_spec(), curve, random));
      if (band && truth >= band->low && truth <= band->high) ++held_of_shape;
      if (band && slow_band && band->low <= slow_band->high && slow_band->low <= band->high)
        ++met_of_shape;
    }
    CAPTURE(shape);
    CHECK(held_of_shape >= 185);
    CHECK(met_of_shape >= 180);
    held += held_of_shape;
    met += met_of_shape;
  }
  CHECK(held >= 950);
  CHECK(met >= 900);
}

TEST_CASE("what analyse() says of such runs is what was counted") {
  Random random(7);
  for (std::size_t shape = 0; shape < shapes; ++shape) {
    const Measured quick = measured(quick_spec(), curve_of(shape, random), random);
    std::vector<Run> runs;
    for (const auto& [n, values] : quick.runs) {
      for (const double iops : values) {
        Run run;
        run.setting.numjobs = n;
        run.repeat = static_cast<std::uint32_t>(runs.size());
        run.state = RunState::done;
        run.measurement.measured_ns = 100'000'000'000;
        run.measurement.read.ios = static_cast<std::uint64_t>(std::llround(iops * 100));
        runs.push_back(run);
      }
    }
    const SweepResult result = analysis::analyse(quick_spec(), runs);
    const auto band = answered(quick);
    REQUIRE(result.curves.size() == 1);
    REQUIRE(result.curves[0].sweet_spot.has_value() == band.has_value());
    if (!band) continue;
    CHECK(result.curves[0].sweet_spot->low == band->low);
    CHECK(result.curves[0].sweet_spot->high == band->high);
  }
}

TEST_CASE("the quick answer is 50 runs of 1.2 s at most: 60 s a curve") {
  const SweepSpec spec = quick_spec();
  CHECK(spec.repeats_auto);
  CHECK(auto_runs_of_curve(spec) == 50);
  CHECK(Schedule(spec, most_jobs, 1).most_left() == 50);
}

TEST_CASE("repeats auto: 'at most so many left' never grows, and ends at 0") {
  Random random(11);
  for (std::size_t shape = 0; shape < shapes; ++shape) {
    const Curve curve = curve_of(shape, random);
    const SweepSpec spec = quick_spec();
    Schedule schedule(spec, most_jobs, 1);
    std::uint32_t runs = 0, announced = schedule.most_left();
    while (const auto run = schedule.next()) {
      CHECK(schedule.most_left() >= 1);
      CHECK(runs + schedule.most_left() <= announced);
      announced = runs + schedule.most_left();
      schedule.note(*run, curve(run->setting.numjobs) * (1 + 0.02 * random.normal()));
      ++runs;
    }
    CHECK(schedule.most_left() == 0);
    CHECK(runs <= 50);
  }
}

TEST_CASE("repeats auto: a disk that gives no more with more jobs is soon known") {
  Random random(3);
  const auto flat = [](double) { return 50'000.0; };
  CHECK(measured(quick_spec(), flat, random).count <= 12);
}

TEST_CASE("repeats auto: the first point is measured again last, up to three times") {
  Random random(5);
  const SweepSpec spec = quick_spec();
  Schedule schedule(spec, most_jobs, 1);
  std::vector<PlannedRun> runs;
  while (const auto run = schedule.next()) {
    schedule.note(*run, 1000 * std::min(8.0, static_cast<double>(run->setting.numjobs)) *
                            (1 + 0.02 * random.normal()));
    runs.push_back(*run);
  }
  const auto checks = std::count_if(runs.begin(), runs.end(),
                                    [](const PlannedRun& run) { return run.is_drift_check; });
  const auto firsts = std::count_if(runs.begin(), runs.end(), [](const PlannedRun& run) {
    return !run.is_drift_check && run.setting.numjobs == 1;
  });
  CHECK(checks == std::min<std::ptrdiff_t>(3, firsts));
  CHECK(runs.back().is_drift_check);
}

TEST_CASE("repeats auto: a sweep that was restarted goes on, and asks nothing twice") {
  Random random(13);
  const SweepSpec spec = quick_spec();
  const auto knee = [](std::uint32_t n) { return 1000.0 * std::min(n, 12U); };
  Schedule whole(spec, most_jobs, 1);
  std::vector<std::pair<PlannedRun, double>> runs;
  while (const auto run = whole.next()) {
    const double iops = knee(run->setting.numjobs) * (1 + 0.02 * random.normal());
    whole.note(*run, iops);
    runs.emplace_back(*run, iops);
  }
  for (std::size_t done = 0; done <= runs.size(); done += 7) {
    Schedule again(spec, most_jobs, 99);
    for (std::size_t i = 0; i < done; ++i) again.note(runs[i].first, runs[i].second);
    std::vector<PlannedRun> seen;
    for (std::size_t i = 0; i < done; ++i) seen.push_back(runs[i].first);
    while (const auto run = again.next()) {
      CHECK(std::find(seen.begin(), seen.end(), *run) == seen.end());
      seen.push_back(*run);
      again.note(*run, knee(run->setting.numjobs) * (1 + 0.02 * random.normal()));
    }
    CHECK(seen.size() <= 50);
  }
}

TEST_CASE("repeats auto: a point of which a run failed is not measured again") {
  const SweepSpec spec = quick_spec();
  Schedule schedule(spec, most_jobs, 1);
  std::map<std::uint32_t, int> failed;
  Random random(17);
  while (const auto run = schedule.next()) {
    const std::uint32_t n = run->setting.numjobs;
    const bool fails = n == 4;
    if (fails && !run->is_drift_check) ++failed[n];
    schedule.note(*run,
                  fails ? std::nullopt
                        : std::optional(1000.0 * std::min(n, 6U) * (1 + 0.02 * random.normal())));
  }
  CHECK(failed[4] == 1);
}

TEST_CASE("repeats auto on a grid that was given measures that grid alone") {
  SweepSpec spec;
  spec.numjobs_auto = false;
  spec.numjobs = {1, 2, 4, 8, 16};
  spec.repeats_auto = true;
  spec.runtime_ns = 900'000'000;
  spec.ramp_time_ns = 100'000'000;
  REQUIRE(validate(spec).empty());
  Schedule schedule(spec, most_jobs, 1);
  Random random(19);
  std::size_t runs = 0;
  std::map<std::uint32_t, int> of;
  while (const auto run = schedule.next()) {
    const std::uint32_t n = run->setting.numjobs;
    ++of[n];
    schedule.note(*run, 1000.0 * std::min(n, 6U) * (1 + 0.02 * random.normal()));
    ++runs;
  }
  CHECK(of.size() == 5);
  CHECK(runs <= 60);
  CHECK(of[8] + of[4] > of[16]);  // runs go where the band's ends are
}

}  // namespace
}  // namespace iobenchd::scheduler
