#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/curves.h"
#include "tests/published.h"
#include "tests/runs.h"

using namespace iobenchd;
using namespace iobenchd::analysis;
using tests::clean_run;

namespace {

// A clean run of a setting with so many IOPS. Latency follows Little's law.
Run run_at(const Setting& setting, double iops, std::int64_t id = 0) {
  Run run = clean_run();
  run.id = id;
  run.setting = setting;
  const auto ios = static_cast<std::uint64_t>(iops * 30);
  tests::set_traffic(run, ios, 30'000'000'000);
  const double in_flight = double(setting.numjobs) * setting.iodepth;
  run.measurement.read.latency.sum_ns =
      static_cast<std::uint64_t>(in_flight / iops * 1e9 * static_cast<double>(ios));
  for (Sample& sample : run.measurement.samples) {
    sample.read_ios = static_cast<std::uint64_t>(iops);
  }
  return run;
}

Setting jobs(std::uint32_t n, std::uint32_t iodepth = 1) {
  return {Rw::randread, 4096, iodepth, n};
}

// A disk that has what it has with 4 jobs: 8 is as fast and twice as late.
std::vector<Run> knee_at_4(std::uint32_t iodepth = 1) {
  std::vector<Run> runs;
  const double iops[] = {10'000, 19'000, 36'000, 36'000, 36'000};
  for (std::uint32_t i = 0; i < 5; ++i) {
    runs.push_back(run_at(jobs(1U << i, iodepth), iops[i], i + 1));
  }
  return runs;
}

const Verdict* find(const std::vector<Verdict>& verdicts, std::string_view name) {
  const auto it = std::find_if(verdicts.begin(), verdicts.end(),
                               [name](const Verdict& verdict) { return verdict.name == name; });
  return it == verdicts.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("the published sweep: the article's advice, word for word in numbers") {
  const SweepResult result = analyse(SweepSpec{}, published::both());
  REQUIRE(result.points.size() == 12);
  REQUIRE(result.curves.size() == 2);
  const Curve& reads = result.curves[0];
  const Curve& writes = result.curves[1];
  CHECK(reads.axis == "numjobs");
  CHECK(reads.setting == Setting{Rw::randread, 4096, 32, 0});
  REQUIRE(reads.sweet_spot.has_value());
  CHECK(reads.sweet_spot->at == 8);
  CHECK(reads.sweet_spot->low == 6);
  CHECK(reads.sweet_spot->high == 8);
  CHECK(reads.sweet_spot->rule == "balance");
  CHECK(reads.sweet_spot->confidence > 0.99);
  CHECK(reads.sweet_spot->confidence_basis == "assumed 2 % noise");
  CHECK(reads.sweet_spot->sentence ==
        "6 to 8 jobs (8 jobs × depth 32 = 256 in flight). Beyond, up to 32, latency triples and "
        "IOPS fall by 5 %.");
  REQUIRE(writes.sweet_spot.has_value());
  CHECK(writes.sweet_spot->low == 8);
  CHECK(writes.sweet_spot->high == 8);
  CHECK(reads.latency_first.value().at == 4);
  CHECK(reads.throughput_first.value().at == 8);
  CHECK(reads.kneedle.value().at == 8);
  CHECK_FALSE(reads.under_limit.has_value());
  CHECK(reads.usl.value().sigma == doctest::Approx(.147282).epsilon(1e-5));
  CHECK_FALSE(reads.no_usl.has_value());
  CHECK_FALSE(reads.no_sweet_spot.has_value());
  std::vector<std::string> words;
  for (const std::size_t index : writes.points) words.push_back(result.points[index].note);
  CHECK(words == std::vector<std::string>{"baseline", "strong_scaling", "strong_scaling",
                                          "near_peak", "saturated", "regression"});
  CHECK(result.points[0].has_latency);
  CHECK_FALSE(result.points[0].has_percentiles);
  CHECK_FALSE(result.points[0].iops_ci95.has_value());
  CHECK(result.answer ==
        "6 to 8 jobs (reads 6 to 8, writes 8; 8 jobs × depth 32 = 256 in flight). Beyond, up to "
        "32, reads: latency triples and IOPS fall by 5 %; writes: latency grows 2.4-fold and IOPS "
        "rise by only 12 %.");
}

TEST_CASE("the published sweep: its doubts, once for each curve and once for all") {
  const SweepResult result = analyse(SweepSpec{}, published::both());
  REQUIRE(result.warnings.size() == 2);
  CHECK(result.warnings[0].name == "exceeds_sync_bound");  // invalid before caution
  CHECK(result.warnings[1].name == "depth_not_attained");
  CHECK(
      result.warnings[0].sentence.starts_with("At all 12 points, most at randwrite 4k, depth 32, "
                                              "1 job: 68 223 IOPS at 58.6 µs"));
  for (const Curve& curve : result.curves) {
    CHECK(curve.verdicts.size() == 2);
    CHECK(find(curve.verdicts, "exceeds_sync_bound") != nullptr);
    CHECK(find(curve.verdicts, "depth_not_attained") != nullptr);
  }
  CHECK(find(result.curves[0].verdicts, "depth_not_attained")
            ->sentence.starts_with("At all 6 points, most at 32 jobs: only 75.0 of 1 024 I/Os"));
  CHECK(result.points[0].verdicts.size() == 2);
}

TEST_CASE("the plain case: jobs without depth, nothing to doubt") {
  const SweepResult result = analyse(SweepSpec{}, knee_at_4());
  CHECK(result.answer == "4 jobs. Beyond, up to 16, latency grows 4-fold and IOPS don't rise.");
  CHECK(result.warnings.empty());
  const std::vector<Run> runs = knee_at_4();
  const SweepResult shorter = analyse(SweepSpec{}, std::span(runs).first(4));
  CHECK(shorter.answer == "4 jobs. Beyond, up to 8, latency doubles and IOPS don't rise.");
}

TEST_CASE("with depth the answer says what is in flight, and psync that it is not") {
  std::vector<Run> runs = knee_at_4(8);
  CHECK(analyse(SweepSpec{}, runs)
            .answer.starts_with("4 jobs (4 jobs × depth 8 = 32 in flight). Beyond"));
  for (Run& run : runs) run.measurement.ioengine = IoEngine::psync;
  CHECK(analyse(SweepSpec{}, runs)
            .answer.starts_with("4 jobs (4 jobs with one I/O each = 4 in flight). Beyond"));
}

TEST_CASE("reads and writes far apart are named apart") {
  std::vector<Run> runs;
  const double reads[] = {100, 190, 195, 195, 195, 195};
  const double writes[] = {100, 190, 360, 690, 1300, 1310};
  for (std::uint32_t i = 0; i < 6; ++i) {
    runs.push_back(run_at({Rw::randread, 4096, 1, 1U << i}, reads[i]));
    runs.push_back(run_at({Rw::randwrite, 4096, 1, 1U << i}, writes[i]));
  }
  const SweepResult result = analyse(SweepSpec{}, runs);
  CHECK(result.answer ==
        "Reads: 2 jobs. Beyond, up to 32, latency grows 16-fold and IOPS rise by only 3 %. "
        "Writes: 16 jobs. Beyond, up to 32, latency doubles and IOPS don't rise.");
}

TEST_CASE("no sweet spot is an answer too: what to do next") {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < 6; ++i) runs.push_back(run_at(jobs(1U << i), 100 * (1U << i)));
  const SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.curves.size() == 1);
  CHECK_FALSE(result.curves[0].sweet_spot.has_value());
  CHECK(result.curves[0].no_sweet_spot.value().name == "not_saturated");
  CHECK(result.answer == "More jobs still pay at 32, the most measured: measure more.");

  const SweepResult one = analyse(SweepSpec{}, std::span(runs).first(1));
  CHECK(one.curves[0].no_sweet_spot.value().name == "too_few_points");
  CHECK(one.answer ==
        "At least 4 different numbers of jobs are needed for an answer, and 1 was measured: "
        "measure more of them.");
  CHECK(one.curves[0].no_usl.value().name == "too_few_points");
  CHECK(one.points[0].note == "baseline");
}

TEST_CASE("a flat disk is worth one job") {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < 4; ++i) runs.push_back(run_at(jobs(1U << i), 100));
  const SweepResult result = analyse(SweepSpec{}, runs);
  CHECK(result.curves[0].sweet_spot.value().rule == "first");
  CHECK(result.answer == "1 job. Beyond, up to 8, latency grows 8-fold and IOPS don't rise.");
  CHECK(result.curves[0].no_usl.value().name == "flat");
}

TEST_CASE("repeats: medians, the interval, percentiles from merged buckets, noise from the runs") {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < 5; ++i) {
    for (const double factor : {0.99, 1.0, 1.04}) {
      Run run = run_at(jobs(1U << i), std::min(10'000.0 * (1U << i), 40'000.0) * factor,
                       static_cast<std::int64_t>(runs.size()) + 1);
      run.repeat = static_cast<std::uint32_t>(runs.size() % 3);
      runs.push_back(run);
    }
  }
  const SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.points.size() == 5);
  const Point& first = result.points[0];
  CHECK(first.repeats == 3);
  CHECK(first.iops == doctest::Approx(10'000));
  REQUIRE(first.iops_ci95.has_value());
  // mean 10 100, s = sqrt((200^2 + 100^2 + 300^2) / 2) = 264.6, times 4.303 / sqrt 3
  CHECK(first.iops_ci95->first == doctest::Approx(10'100 - 657.3).epsilon(1e-4));
  CHECK(first.iops_ci95->second == doctest::Approx(10'100 + 657.3).epsilon(1e-4));
  CHECK(first.run_ids == std::vector<std::int64_t>{1, 2, 3});
  CHECK(first.repeat_iops.size() == 3);
  CHECK(result.curves[0].noise == doctest::Approx(.0262 * 2.228 / std::sqrt(3)).epsilon(0.002));
  CHECK(result.curves[0].sweet_spot.value().confidence_basis == "repeats");
  CHECK(result.curves[0].sweet_spot->at == 4);
}

TEST_CASE("failed, interrupted and running runs are left out; a point that failed says so") {
  std::vector<Run> runs = knee_at_4();
  Run failed;
  failed.setting = jobs(32);
  failed.state = RunState::failed;
  runs.push_back(failed);
  Run interrupted = run_at(jobs(4), 1e9);
  interrupted.state = RunState::interrupted;
  runs.push_back(interrupted);
  Run running = run_at(jobs(64), 1e9);
  running.state = RunState::running;
  runs.push_back(running);
  const SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.points.size() == 6);
  CHECK(result.points[5].failed);
  CHECK(result.points[5].repeats == 0);
  CHECK(result.curves[0].points.size() == 5);
  CHECK(result.curves[0].sweet_spot.value().at == 4);

  const SweepResult nothing = analyse(SweepSpec{}, std::vector<Run>{failed});
  CHECK(nothing.curves.empty());
  CHECK(nothing.answer == "No run succeeded, so there is no answer.");
  CHECK(analyse(SweepSpec{}, {}).answer.empty());
}

TEST_CASE("a way of measuring is described with every flag there is") {
  CHECK(describe({IoEngine::io_uring, engine_flag::polled, true}) ==
        "io_uring, direct I/O, polled");
  for (std::uint32_t flag = 1; flag <= engine_flag::all; flag <<= 1) {
    CAPTURE(flag);
    CHECK(describe({IoEngine::io_uring, flag, true}) != describe({IoEngine::io_uring, 0, true}));
  }
}

TEST_CASE("points of another engine or other flags never share a curve: the minority is left out") {
  std::vector<Run> runs = knee_at_4();
  for (Run& run : runs) run.measurement.engine_flags = engine_flag::fixed_buffers;
  runs[1].measurement.engine_flags = 0;
  const SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.points.size() == 5);
  CHECK(result.curves[0].points == std::vector<std::size_t>{0, 2, 3, 4});
  CHECK(result.points[1].note.empty());
  const Verdict* doubt = find(result.points[1].verdicts, "engine_fallback");
  REQUIRE(doubt != nullptr);
  CHECK(doubt->severity == Severity::caution);
  CHECK(doubt->sentence ==
        "Measured in another way than the rest of its curve (io_uring, direct I/O). It was left "
        "out of the curve: measure this point again.");
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].sentence.starts_with("At randread 4k, 2 jobs: measured in another way"));
  CHECK(result.curves[0].verdicts.empty());

  // A repeat of another engine inside a point is left out of the point.
  std::vector<Run> mixed = knee_at_4();
  Run stranger = run_at(jobs(4), 90'000, 99);
  stranger.measurement.ioengine = IoEngine::threads;
  mixed.push_back(stranger);
  const SweepResult kept = analyse(SweepSpec{}, mixed);
  CHECK(kept.points[2].repeats == 1);
  CHECK(kept.points[2].iops == doctest::Approx(36'000));
}

TEST_CASE("drifted: the first point measured again last differs by more than the noise") {
  std::vector<Run> runs = knee_at_4();
  Run again = run_at(jobs(1), 9'900);
  again.is_drift_check = true;
  runs.push_back(again);
  SweepResult result = analyse(SweepSpec{}, runs);
  CHECK(result.warnings.empty());        // 1 % is within the assumed 2 %
  CHECK(result.points[0].repeats == 1);  // and a drift check is no repeat
  runs.back() = run_at(jobs(1), 8'000);
  runs.back().is_drift_check = true;
  result = analyse(SweepSpec{}, runs);
  REQUIRE(result.curves[0].verdicts.size() == 1);
  CHECK(result.curves[0].verdicts[0].name == "drifted");
  CHECK(result.curves[0].verdicts[0].sentence.starts_with(
      "1 job gave 20 % fewer IOPS when measured again at the end."));
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].name == "drifted");
  CHECK(result.warnings[0].sentence == result.curves[0].verdicts[0].sentence);
}

TEST_CASE("drifted: of two curves the one that did is named, once") {
  std::vector<Run> runs = knee_at_4();
  for (Run write : knee_at_4()) {
    write.setting.rw = Rw::randwrite;
    runs.push_back(write);
  }
  for (const Rw rw : {Rw::randread, Rw::randwrite}) {
    runs.push_back(run_at({rw, 4096, 1, 1}, rw == Rw::randwrite ? 8'000 : 10'000));
    runs.back().is_drift_check = true;
  }
  SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.curves.size() == 2);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].sentence.starts_with(
      "At randwrite 4k: 1 job gave 20 % fewer IOPS when measured again at the end."));
  CHECK(result.curves[0].verdicts.empty());
  REQUIRE(result.curves[1].verdicts.size() == 1);
  CHECK(result.curves[1].verdicts[0].sentence.starts_with("1 job gave 20 % fewer IOPS"));

  runs[runs.size() - 2] = run_at(jobs(1), 7'000);
  runs[runs.size() - 2].is_drift_check = true;
  result = analyse(SweepSpec{}, runs);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].sentence.starts_with(
      "At both curves, most at randread 4k: 1 job gave 30 % fewer IOPS"));
}

TEST_CASE("the axis is numjobs where it varies, else iodepth, else bs") {
  std::vector<Run> runs;
  SweepSpec spec;
  spec.numjobs_auto = false;
  spec.numjobs = {2};
  for (const std::uint32_t depth : {1U, 2U, 4U, 8U}) {
    runs.push_back(run_at(jobs(2, depth), std::min(100 * depth, 200U)));
  }
  SweepResult result = analyse(spec, runs);
  REQUIRE(result.curves.size() == 1);
  CHECK(result.curves[0].axis == "iodepth");
  CHECK(result.curves[0].setting == Setting{Rw::randread, 4096, 0, 2});
  CHECK(result.answer == "Depth 2. Beyond, up to 8, latency grows 4-fold and IOPS don't rise.");
  CHECK(result.points[0].note.empty());
  CHECK(result.curves[0].no_usl.value().name == "other_axis");

  runs.clear();
  for (const std::uint32_t bs : {4096U, 8192U, 16384U, 32768U}) {
    // bandwidth 400, 800, 800, 800 MB/s: IOPS fall, yet 8k is the answer
    runs.push_back(run_at({Rw::read, bs, 1, 2}, bs == 4096 ? 97'656 : 8e8 / bs));
  }
  result = analyse(spec, runs);
  CHECK(result.curves[0].axis == "bs");
  CHECK(
      result.answer.starts_with("8k blocks. Beyond, up to 32k, latency grows 4-fold and "
                                "bandwidth doesn't rise."));
}

TEST_CASE("each depth of a numjobs sweep has a curve of its own") {
  std::vector<Run> runs = knee_at_4(1);
  for (const Run& run : knee_at_4(8)) runs.push_back(run);
  const SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.curves.size() == 2);
  CHECK(result.curves[0].setting.iodepth == 1);
  CHECK(result.curves[1].setting.iodepth == 8);
  CHECK(result.curves[1].points == std::vector<std::size_t>{5, 6, 7, 8, 9});
  CHECK(result.answer.starts_with("4 jobs ("));
}

TEST_CASE("eight curves are answered with their span, and who wants least and most") {
  std::vector<Run> runs;
  for (const Rw rw : {Rw::read, Rw::randread}) {
    for (const std::uint32_t bs : {4096U, 16384U, 32768U, 65536U}) {
      const double knee = bs == 65536 && rw == Rw::read ? 2 : 4;
      for (const std::uint32_t n : {1U, 2U, 4U, 8U}) {
        runs.push_back(run_at({rw, bs, 1, n}, 1000 * std::min<double>(n, knee)));
      }
    }
  }
  const SweepResult result = analyse(SweepSpec{}, runs);
  CHECK(result.curves.size() == 8);
  CHECK(result.answer ==
        "2 to 4 jobs, depending on the workload: fewest for read 64k (2), most for read 4k (4).");
}

TEST_CASE("a curve names its first strained n, and under a limit the p99 decides") {
  std::vector<Run> runs = knee_at_4();
  for (std::size_t i = 3; i < 5; ++i) runs[i].measurement.wakeup_delay.p99_ns = 50'000'000;
  SweepSpec spec;
  spec.latency_limit = LatencyLimit{Statistic::p99, 200'000};
  const SweepResult result = analyse(spec, runs);
  CHECK(result.curves[0].strain_numjobs == 8);
  CHECK(result.curves[0].under_limit.value().at == 4);
  CHECK(result.curves[0].under_limit->rule == "under_limit");
  spec.latency_limit->limit_ns = 50'000;
  CHECK_FALSE(analyse(spec, runs).curves[0].under_limit.has_value());
  REQUIRE(find(result.warnings, "system_strained") != nullptr);
  CHECK(find(result.warnings, "system_strained")->sentence.starts_with("At 2 of 5 points: "));
}

TEST_CASE("figures that are no numbers lead to a named reason") {
  std::vector<Run> runs = published::runs(published::randread, Rw::randread);
  for (Run& run : runs) run.imported.iops = std::nan("");
  const SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.curves.size() == 1);
  CHECK(result.curves[0].no_sweet_spot.value().name == "too_few_points");
  for (Run& run : runs) run.imported = {-5, 0, -1};
  CHECK(analyse(SweepSpec{}, runs).curves[0].no_usl.value().name == "too_few_points");
  runs = published::runs(published::randread, Rw::randread);
  for (Run& run : runs) run.imported.latency_mean_ns = 0;  // X without R
  const SweepResult without = analyse(SweepSpec{}, runs);
  CHECK(without.curves[0].sweet_spot.value().at == 8);
  CHECK_FALSE(without.curves[0].latency_first.has_value());
  CHECK(without.answer ==
        "6 to 8 jobs (8 jobs × depth 32 = 256 in flight). Beyond, up to 32, IOPS fall by 5 %.");
}
