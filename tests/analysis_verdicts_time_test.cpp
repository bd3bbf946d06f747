#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/little.h"
#include "daemon/analysis/steady_state.h"
#include "daemon/analysis/strain.h"
#include "daemon/analysis/verdicts.h"
#include "tests/published.h"
#include "tests/runs.h"
#include "tests/verdict_checks.h"

using namespace iobenchd;
using namespace iobenchd::analysis;
using tests::clean_run;
using tests::has;
using tests::names_of;
using tests::only_verdict;
using tests::set_seconds;

TEST_CASE("not_steady: five rounds within 20 %, and climbing by 10 % at most (SNIA)") {
  const auto check = [](std::vector<double> rounds, double range, double excursion, bool steady) {
    const Steadiness s = steadiness(rounds);
    CHECK(s.range == doctest::Approx(range).epsilon(1e-3));
    CHECK(s.excursion == doctest::Approx(excursion).epsilon(1e-3));
    CHECK(s.steady() == steady);
  };
  check({228.90, 240.21, 240.60, 240.71, 240.71}, .04957, .04050, true);
  check({90, 110, 90, 110, 100}, .200, .080, true);
  check({95, 97.5, 100, 102.6, 105.1}, .10098, .10116, false);
}

TEST_CASE("not_steady: a run of 5 s and more is judged by five equal slices of it") {
  Run run = clean_run();
  set_seconds(run, {9'000, 9'000, 9'400, 9'400, 10'000, 10'000, 10'400, 10'400, 11'000, 11'000});
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "not_steady");
  // 9000, 9400, 10000, 10400, 11000: 2000 of 9960; the line climbs 500 a slice, 2000 over four.
  CHECK(verdict.sentence.find("ranged over 20 % of their average and drifted by 20 %") !=
        std::string::npos);
  set_seconds(run, {9'000, 9'000, 9'400, 11'000});  // 4 s: too short to be judged
  CHECK_FALSE(has(run, "not_steady"));
}

TEST_CASE("slices count I/Os as evenly spread within a sample, and leave out the ramp") {
  std::vector<Sample> samples(3);
  samples[0].ramp = true;
  samples[0].span_ns = 1'000'000'000;
  samples[0].read_ios = 1'000'000;
  samples[1].span_ns = 1'000'000'000;
  samples[1].read_ios = 100;
  samples[2].span_ns = 1'000'000'000;
  samples[2].write_ios = 200;
  const std::vector<double> quarters = slice_iops(samples, 4);
  REQUIRE(quarters.size() == 4);
  CHECK(quarters[0] == doctest::Approx(100));
  CHECK(quarters[3] == doctest::Approx(200));
  const std::vector<double> whole = slice_iops(samples, 1);
  CHECK(whole[0] == doctest::Approx(150));
  CHECK(slice_iops({}, 5).empty());
  CHECK(per_second_iops(samples) == std::vector<double>{100, 200});
}

TEST_CASE("noisy: ten seconds and more that vary by over 20 %") {
  Run run = clean_run();
  std::vector<std::uint64_t> seconds;
  for (int i = 0; i < 30; ++i) seconds.push_back(i % 2 == 0 ? 7'000 : 13'000);
  set_seconds(run, seconds);
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "noisy");
  CHECK(verdict.sentence.find("varied by 31 %") != std::string::npos);  // 3051 of 10 000
  seconds.resize(8);
  set_seconds(run, seconds);
  CHECK_FALSE(has(run, "noisy"));
}

TEST_CASE("noisy: thinned samples are believed in how their seconds varied") {
  Run run = clean_run();
  set_seconds(run, std::vector<std::uint64_t>(30, 10'000));
  run.measurement.samples_variation = 0.31;
  CHECK(only_verdict(run).sentence.find("varied by 31 %") != std::string::npos);
  run.measurement.samples_variation = 0.1;
  CHECK_FALSE(has(run, "noisy"));
}

// A run of 5 s and more whose thirds are so far apart is never steady: both are true of it.
TEST_CASE("slowed_down: the last third below 80 % of the first") {
  Run run = clean_run();
  std::vector<std::uint64_t> seconds(30, 10'000);
  std::fill(seconds.begin() + 20, seconds.end(), 7'900);
  set_seconds(run, seconds);
  CHECK(names_of(run_verdicts(run)) == std::vector<std::string>{"not_steady", "slowed_down"});
  std::fill(seconds.begin() + 20, seconds.end(), 8'100);
  set_seconds(run, seconds);
  CHECK(names_of(run_verdicts(run)) == std::vector<std::string>{"not_steady"});
  set_seconds(run, {10'000, 9'000, 5'000});
  const std::vector<Verdict> verdicts = run_verdicts(run);
  REQUIRE(names_of(verdicts) == std::vector<std::string>{"slowed_down", "short"});
  CHECK(verdicts[0] == Verdict{"slowed_down", Severity::caution,
                               "The last third ran at 50 % of the first. A cache may have filled, "
                               "or the disk become warm: measure longer, and take the later part "
                               "as the truth."});
}

TEST_CASE("not_steady: of rounds the sentence speaks of rounds, and earlier ones don't count") {
  Run run = clean_run();
  set_seconds(run, {50'000, 20'000, 10'000, 11'000, 12'000, 13'000, 14'000});
  run.measurement.samples[0].ramp = run.measurement.samples[1].ramp = true;
  tests::set_traffic(run, 60'000, 5'000'000'000);
  SweepSpec spec;
  spec.ioengine = IoEngine::io_uring;
  spec.steady_rounds = 7;
  const std::vector<Verdict> verdicts = run_verdicts(run, &spec);
  REQUIRE(names_of(verdicts) == std::vector<std::string>{"not_steady", "short"});
  // 4000 of 12 000, and the line climbs by all of it.
  CHECK(verdicts[0].sentence ==
        "Over the last 5 of at most 7 rounds IOPS ranged over 33 % of their average and drifted "
        "by 33 %. Steady is 20 % and 10 % at most: precondition the disk, or ask steady_state for "
        "more or longer rounds.");
}
