// Two sweeps side by side: what pairs, what is said, and the mistakes that other tools make.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/compare_sweeps.h"
#include "tests/published.h"
#include "tests/runs.h"

using namespace iobenchd;
using namespace iobenchd::analysis;

namespace {

// So many reads a second, for one second at 100 us each.
Run run_of(const Setting& setting, std::uint64_t iops, std::uint32_t repeat = 0) {
  Run run = tests::clean_run();
  run.setting = setting;
  run.repeat = repeat;
  tests::set_traffic(run, iops, 1'000'000'000);
  run.measurement.samples.clear();
  return run;
}

Setting jobs(std::uint32_t n, std::uint32_t depth = 1, Rw rw = Rw::randread) {
  return {rw, 4096, depth, n};
}

ComparedSweep sweep_of(const std::string& name, const std::vector<Run>& runs) {
  ComparedSweep sweep;
  sweep.name = name;
  sweep.spec.numjobs_auto = false;
  sweep.size_bytes = std::uint64_t{4} << 30;
  sweep.result = analyse(sweep.spec, runs);
  return sweep;
}

// One run for each number of jobs.
ComparedSweep curve_of(const std::string& name,
                       const std::vector<std::pair<std::uint32_t, std::uint64_t>>& points) {
  std::vector<Run> runs;
  for (const auto& [n, iops] : points) runs.push_back(run_of(jobs(n), iops));
  return sweep_of(name, runs);
}

// So many I/Os of so long, beside those the run has already.
void add_slow(Run& run, std::uint64_t ios, std::uint64_t latency_ns) {
  Traffic& read = run.measurement.read;
  for (std::uint64_t i = 0; i < ios; ++i) read.latency.add(latency_ns);
  read.ios += ios;
  read.bytes += ios * run.setting.block_bytes;
}

const Mismatch* named(const SweepComparison& found, const std::string& field) {
  const auto at = std::find_if(found.mismatches.begin(), found.mismatches.end(),
                               [&](const Mismatch& one) { return one.field == field; });
  return at == found.mismatches.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("points of one setting pair, and the others are named for each side") {
  const ComparedSweep base = curve_of("sweep 1", {{1, 1000}, {2, 2000}, {4, 3000}});
  const ComparedSweep with = curve_of("sweep 2", {{2, 3000}, {4, 1500}, {8, 9000}});
  const SweepComparison found = compare_sweeps(base, with);
  REQUIRE(found.points.size() == 2);
  CHECK(base.result.points[found.points[0].base].setting == jobs(2));
  CHECK(with.result.points[found.points[0].with].setting == jobs(2));
  CHECK(found.points[0].iops->comparison.ratio == doctest::Approx(1.5));
  CHECK(found.points[0].iops->comparison.change == Change::likely_better);
  CHECK(found.points[1].iops->comparison.ratio == doctest::Approx(0.5));
  CHECK(found.points[1].iops->comparison.change == Change::likely_worse);
  CHECK_FALSE(found.points[0].iops->comparison.ci95.has_value());
  REQUIRE(found.only_in_base.size() == 1);
  CHECK(base.result.points[found.only_in_base[0]].setting == jobs(1));
  REQUIRE(found.only_in_with.size() == 1);
  CHECK(with.result.points[found.only_in_with[0]].setting == jobs(8));
}

TEST_CASE("a point that failed on one side is no pair") {
  Run failed = run_of(jobs(2), 100);
  failed.state = RunState::failed;
  const ComparedSweep base = sweep_of("sweep 1", {run_of(jobs(1), 1000), failed});
  const ComparedSweep with = curve_of("sweep 2", {{1, 1000}, {2, 2000}});
  const SweepComparison found = compare_sweeps(base, with);
  CHECK(found.points.size() == 1);
  CHECK(found.only_in_base.empty());
  CHECK(found.only_in_with.size() == 1);
}

TEST_CASE("the interval of a ratio is that of the sample's deviation, not of the population's") {
  std::vector<Run> slow, fast;
  for (const std::uint64_t iops : {100U, 110U, 120U}) {
    slow.push_back(run_of(jobs(1), iops));
    fast.push_back(run_of(jobs(1), 2 * iops));
  }
  const SweepComparison found = compare_sweeps(sweep_of("a", slow), sweep_of("b", fast));
  REQUIRE(found.points.size() == 1);
  const Comparison& iops = found.points[0].iops->comparison;
  CHECK(iops.ratio == doctest::Approx(2));
  // ln 1, ln 1.1, ln 1.2: deviation 0.09119 over n - 1; t of 4 degrees 2.7764; half 0.20673.
  // Over n it would be 0.07446, and the interval 1.69 to 2.37.
  REQUIRE(iops.ci95.has_value());
  CHECK(iops.ci95->first == doctest::Approx(1.6264).epsilon(1e-3));
  CHECK(iops.ci95->second == doctest::Approx(2.4594).epsilon(1e-3));
  CHECK(iops.change == Change::better);
}

TEST_CASE("the p99 of two runs is that of their I/Os together, not the mean of two percentiles") {
  // 1000 I/Os of 100 us, and 980 of them with 20 of 1 ms: p99 is 100 us and 1 ms. Of all 2000 the
  // 1980th is 100 us; the mean of percentiles would be 550 us.
  Run even = run_of(jobs(1), 1000);
  Run uneven = run_of(jobs(1), 980, 1);
  add_slow(uneven, 20, 1'000'000);
  const ComparedSweep base = sweep_of("a", {even, uneven});
  const ComparedSweep with = sweep_of("b", {even, even});
  const SweepComparison found = compare_sweeps(base, with);
  REQUIRE(found.points.size() == 1);
  REQUIRE(found.points[0].latency_p99_ns.has_value());
  const FigurePair& p99 = *found.points[0].latency_p99_ns;
  CHECK(p99.base == doctest::Approx(100'000).epsilon(0.01));
  CHECK(p99.comparison.ratio == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("the mean latency is that of I/Os, not of jobs") {
  // One job did 900 I/Os of 100 us, the other 100 of 1 ms: 190 us an I/O, where the mean of the
  // two jobs' means is 550 us.
  Run run = run_of(jobs(2), 900);
  add_slow(run, 100, 1'000'000);
  const ComparedSweep base = sweep_of("a", {run});
  const SweepComparison found = compare_sweeps(base, base);
  REQUIRE(found.points.size() == 1);
  CHECK(found.points[0].latency_mean_ns->base == doctest::Approx(190'000));
}

TEST_CASE("less latency is better, and what a table doesn't print is compared with nothing") {
  std::vector<Run> twice = published::runs(published::randread, Rw::randread);
  for (Run& run : twice) run.imported.latency_mean_ns *= 2;
  const ComparedSweep base = sweep_of("a", published::runs(published::randread, Rw::randread));
  const SweepComparison found = compare_sweeps(base, sweep_of("b", twice));
  REQUIRE(found.points.size() == 6);
  for (const PointPair& pair : found.points) {
    CHECK(pair.iops->comparison.change == Change::undecided);  // one run each, and no difference
    REQUIRE(pair.latency_mean_ns.has_value());
    CHECK(pair.latency_mean_ns->comparison.change == Change::likely_worse);
    CHECK_FALSE(pair.latency_p99_ns.has_value());
  }
}

TEST_CASE("where only depth differs the nearest depths are compared, and it is said") {
  const ComparedSweep base =
      sweep_of("sweep 1", {run_of(jobs(1, 1), 1000), run_of(jobs(2, 1), 2000)});
  const ComparedSweep with =
      sweep_of("sweep 2", {run_of(jobs(1, 4), 3000), run_of(jobs(2, 4), 6000),
                           run_of(jobs(1, 32), 9000), run_of(jobs(2, 32), 9500)});
  const SweepComparison found = compare_sweeps(base, with);
  CHECK(found.nearest_along == "iodepth");
  REQUIRE(found.points.size() == 2);
  CHECK(with.result.points[found.points[1].with].setting == jobs(2, 4));
  CHECK(found.points[1].iops->comparison.ratio == doctest::Approx(3));
  CHECK(found.only_in_with.size() == 2);
  REQUIRE(named(found, "iodepth") != nullptr);
  CHECK(named(found, "iodepth")->base == "1");
  CHECK(named(found, "iodepth")->with == "4, 32");
  CHECK(named(found, "iodepth")->sentence ==
        "Sweep 1 has iodepth 1, sweep 2 4, 32: the nearest are compared. More depth means more "
        "IOPS and more latency.");
  CHECK(found.summary.front() ==
        "No setting is in both, so the nearest stand side by side: depth 1 (sweep 1) and depth 4.");
  REQUIRE(found.curves.size() == 1);
  CHECK(with.result.curves[found.curves[0].with].setting.iodepth == 4);
}

TEST_CASE("of several block sizes each is compared once, the nearest first") {
  const auto of_bs = [](std::uint32_t bytes, std::uint64_t iops) {
    return run_of({Rw::read, bytes, 1, 1}, iops);
  };
  const ComparedSweep base = sweep_of("a", {of_bs(4096, 100), of_bs(16384, 100)});
  const ComparedSweep with = sweep_of("b", {of_bs(8192, 100), of_bs(65536, 100)});
  const SweepComparison found = compare_sweeps(base, with);
  CHECK(found.nearest_along == "bs");
  REQUIRE(found.points.size() == 2);
  // 4k and 8k are a factor of 2 apart, and so are 8k and 16k: the smaller first; 16k and 64k rest.
  CHECK(with.result.points[found.points[0].with].setting.block_bytes == 8192);
  CHECK(with.result.points[found.points[1].with].setting.block_bytes == 65536);
}

TEST_CASE("sweeps that share nothing say so in one sentence, and have no points") {
  const ComparedSweep base = sweep_of("sweep 1", {run_of(jobs(1, 1, Rw::read), 1000)});
  const ComparedSweep with = sweep_of("sweep 2", {run_of(jobs(1, 1, Rw::randwrite), 1000)});
  const SweepComparison found = compare_sweeps(base, with);
  CHECK(found.points.empty());
  CHECK(found.summary ==
        std::vector<std::string>{"There is no setting that both measured, so no point can be "
                                 "compared: sweep 1 has read 4k; sweep 2 has randwrite 4k."});
  REQUIRE(named(found, "rw") != nullptr);
  CHECK(named(found, "rw")->sentence == "Sweep 1 has rw read, sweep 2 randwrite: they share none.");
}

TEST_CASE("sweeps without a point compare to nothing, without harm") {
  const ComparedSweep none = sweep_of("sweep 1", {});
  const ComparedSweep with = curve_of("sweep 2", {{1, 1000}});
  CHECK(compare_sweeps(none, with).points.empty());
  CHECK(compare_sweeps(none, none).summary.size() == 1);
  CHECK(compare_sweeps(with, none).only_in_base.size() == 1);
}

TEST_CASE("another engine, the page cache, another size and a distrusted side are named") {
  const ComparedSweep base = curve_of("sweep 1", {{1, 1000}, {2, 2000}});
  std::vector<Run> runs{run_of(jobs(1), 1000), run_of(jobs(2), 2000)};
  for (Run& run : runs) {
    run.measurement.ioengine = IoEngine::psync;
    run.measurement.direct = false;
    run.circumstances.target_bytes = std::uint64_t{1} << 30;
  }
  ComparedSweep with = sweep_of("sweep 2", runs);
  with.size_bytes = std::uint64_t{1} << 30;
  const SweepComparison found = compare_sweeps(base, with);
  for (const char* field : {"ioengine", "direct", "size", "cached"}) {
    CAPTURE(field);
    CHECK(named(found, field) != nullptr);
  }
  CHECK(named(found, "ioengine")->with == "psync");
  CHECK(named(found, "direct")->base == "yes");
  CHECK(named(found, "size")->sentence.starts_with("Sweep 1 has a working set of 4 GiB, sweep 2 "));
  CHECK(named(found, "cached")->sentence ==
        "Only sweep 2 has the verdict cached: its numbers can't be trusted.");
  CHECK(named(found, "bs") == nullptr);
  CHECK(compare_sweeps(base, base).mismatches.empty());
}

TEST_CASE("a workload that differs is named where it matters, and only where both are known") {
  ComparedSweep base = curve_of("sweep 1", {{1, 1000}});
  ComparedSweep with = curve_of("sweep 2", {{1, 1000}});
  with.spec.workload.norandommap = 0;
  with.spec.workload.fsync = 8;  // of no meaning for reads
  with.spec.workload.rate_iops = 500;
  const SweepComparison found = compare_sweeps(base, with);
  CHECK(named(found, "norandommap") != nullptr);
  CHECK(named(found, "rate_iops")->sentence == "Sweep 1 has rate_iops 0, sweep 2 500.");
  CHECK(named(found, "fsync") == nullptr);
  ComparedSweep table = sweep_of("a table", published::runs(published::randread, Rw::randread));
  CHECK(named(compare_sweeps(table, with), "rate_iops") == nullptr);
  CHECK(named(compare_sweeps(table, with), "direct")->base == "unknown");
}

TEST_CASE("the summary says what a person would: factors, percents, equals, at its ends") {
  const ComparedSweep base = curve_of("sweep 1", {{1, 1000}, {2, 2000}, {4, 3000}});
  const auto first = [&](const ComparedSweep& with) {
    return compare_sweeps(base, with).summary.front();
  };
  CHECK(first(curve_of("sweep 2", {{1, 1020}, {2, 5000}, {4, 12'000}})) ==
        "Random reads of 4 KiB: sweep 2 and sweep 1 are equal with 1 job, 4.0 × with 4 jobs.");
  CHECK(first(curve_of("sweep 2", {{1, 1120}, {2, 2000}, {4, 2400}})) ==
        "Random reads of 4 KiB: sweep 2 does 12 % more IOPS than sweep 1 with 1 job, 20 % fewer "
        "with 4 jobs.");
  CHECK(first(curve_of("sweep 2", {{1, 12'000}, {2, 24'000}, {4, 36'000}})) ==
        "Random reads of 4 KiB: sweep 2 does 12 × the IOPS of sweep 1 throughout (1 to 4 jobs).");
  CHECK(first(curve_of("sweep 2", {{2, 500}})) ==
        "Random reads of 4 KiB: sweep 2 does 0.25 × the IOPS of sweep 1 with 2 jobs.");
}

TEST_CASE("the summary counts the points, names the worst p99 and says what can't be decided") {
  const ComparedSweep base = curve_of("sweep 1", {{1, 1000}, {2, 2000}});
  std::vector<Run> runs{run_of(jobs(1), 1500), run_of(jobs(2), 1900)};
  add_slow(runs[1], 100, 1'000'000);
  const SweepComparison found = compare_sweeps(base, sweep_of("sweep 2", runs));
  const auto says = [&](const std::string& sentence) {
    return std::find(found.summary.begin(), found.summary.end(), sentence) != found.summary.end();
  };
  CHECK(says("By IOPS, of 2 points 1 is likely better, 1 undecided."));
  CHECK(says(
      "The p99 of latency differs most at randread 4k, 2 jobs: 1.00 ms against 100 µs (sweep 1)."));
  CHECK(says(
      "No point was measured twice on both sides: what differs by 10 % or less is undecided."));
}

TEST_CASE("a ratio that the repeats can't tell from noise is not quoted") {
  const auto repeated = [](std::uint32_t n, std::uint64_t one, std::uint64_t other) {
    return std::vector<Run>{run_of(jobs(n), one), run_of(jobs(n), other, 1)};
  };
  // 1000 and 4000 against 2000 and 8000: twice as much, and an interval that holds anything.
  std::vector<Run> slow = repeated(1, 1000, 4000), fast = repeated(1, 2000, 8000);
  const SweepComparison unsure = compare_sweeps(sweep_of("a", slow), sweep_of("b", fast));
  REQUIRE(unsure.points.size() == 1);
  CHECK(unsure.points[0].iops->comparison.ratio == doctest::Approx(2));
  CHECK(unsure.points[0].iops->comparison.change == Change::undecided);
  CHECK(unsure.summary.front() ==
        "Random reads of 4 KiB: the repeats vary too much to tell b from a.");
  for (const Run& run : repeated(2, 1000, 1001)) slow.push_back(run);
  for (const Run& run : repeated(2, 3000, 3003)) fast.push_back(run);
  const SweepComparison half = compare_sweeps(sweep_of("a", slow), sweep_of("b", fast));
  CHECK(half.summary.front() == "Random reads of 4 KiB: b does 3.0 × the IOPS of a with 2 jobs.");
  CHECK(half.summary[1] == "By IOPS, of 2 points 1 is better, 1 undecided.");
}

TEST_CASE("curves of one setting show both sweet spots and both fits") {
  const ComparedSweep reads = sweep_of("a", published::runs(published::randread, Rw::randread));
  std::vector<Run> half = published::runs(published::randread, Rw::randread);
  for (Run& run : half) run.imported.iops /= 2;
  const SweepComparison found = compare_sweeps(reads, sweep_of("b", half));
  REQUIRE(found.curves.size() == 1);
  const auto sentence = std::find(found.summary.begin(), found.summary.end(),
                                  "Sweet spot of random reads of 4 KiB at depth 32: 8 jobs for "
                                  "both.");
  CHECK(sentence != found.summary.end());
}
