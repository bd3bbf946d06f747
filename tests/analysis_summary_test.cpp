#include <doctest/doctest.h>

#include <vector>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/summary.h"
#include "tests/published.h"
#include "tests/runs.h"

using namespace iobenchd;
using namespace iobenchd::analysis;
using tests::clean_run;

TEST_CASE("one run in a line: figures by hand") {
  Run run = clean_run();
  run.measurement.cpu_user_ns = 3'000'000'000;
  run.measurement.cpu_system_ns = 6'000'000'000;
  const RunSummary line = summarise(run);
  CHECK(line.iops == 10'000);
  CHECK(line.bandwidth_bytes_per_s == 40'960'000);
  CHECK(line.latency_mean_ns == 100'000);
  CHECK(line.latency_p50_ns == 100'000);
  CHECK(line.latency_p99_99_ns == 100'000);
  CHECK(line.concurrency == doctest::Approx(1));
  CHECK(line.depth_attained == doctest::Approx(1));
  CHECK(line.cpu_user_percent == doctest::Approx(10));
  CHECK(line.cpu_system_percent == doctest::Approx(20));
  CHECK(line.cpu_per_io_ns == doctest::Approx(30'000));  // 9 s of 300 000 I/Os
  CHECK(line.measured_seconds == 30);
  CHECK(line.ioengine == IoEngine::io_uring);
}

TEST_CASE("a mixed point says reads and writes apart and together") {
  Run run = clean_run();
  run.setting.rw = Rw::randrw;
  run.measurement.write = run.measurement.read;  // 10 000 reads and 10 000 writes a second
  run.measurement.write.latency = Histogram{};
  for (int i = 0; i < 300'000; ++i) run.measurement.write.latency.add(300'000);
  const SweepResult result = analyse(SweepSpec{}, std::vector<Run>{run});
  REQUIRE(result.points.size() == 1);
  const Point& point = result.points[0];
  CHECK(point.iops == 20'000);
  CHECK(point.latency_mean_ns == doctest::Approx(200'000));
  REQUIRE(point.read);
  REQUIRE(point.write);
  CHECK(point.read->iops == 10'000);
  CHECK(point.write->iops == 10'000);
  CHECK(point.read->latency_mean_ns == doctest::Approx(100'000));
  CHECK(point.write->latency_max_ns == 300'000);
  CHECK(point.write->bandwidth_bytes_per_s == 40'960'000);
  const SweepResult plain = analyse(SweepSpec{}, std::vector<Run>{clean_run()});
  CHECK_FALSE(plain.points[0].read);
}

TEST_CASE("a point's fsyncs are its runs' together: the median rate, merged buckets") {
  std::vector<Run> runs(2, clean_run());
  runs[1].id = 2;
  runs[1].repeat = 1;
  for (Run& run : runs) run.setting.rw = Rw::randwrite;
  runs[0].measurement.fsync.ios = 60;  // in 30 s
  for (int i = 0; i < 60; ++i) runs[0].measurement.fsync.latency.add(100);
  runs[1].measurement.fsync.ios = 120;
  for (int i = 0; i < 120; ++i) runs[1].measurement.fsync.latency.add(120);
  const SweepResult result = analyse(SweepSpec{}, runs);
  REQUIRE(result.points.size() == 1);
  REQUIRE(result.points[0].fsync);
  const DirectionFigures& fsync = *result.points[0].fsync;
  CHECK(fsync.iops == doctest::Approx(3));  // between 2 and 4 a second
  CHECK(fsync.latency_mean_ns == doctest::Approx(110));
  CHECK(fsync.latency_p50_ns == 120);  // the 90th of 180
  CHECK(fsync.latency_min_ns == 100);
  CHECK(fsync.latency_max_ns == 120);
  CHECK_FALSE(analyse(SweepSpec{}, std::vector<Run>{clean_run()}).points[0].fsync);
}

TEST_CASE("an imported run is what was printed, a failed one is zeros") {
  const RunSummary line = summarise(published::runs(published::randread, Rw::randread)[3]);
  CHECK(line.iops == 439'728);
  CHECK(line.latency_mean_ns == doctest::Approx(58'220));
  CHECK(line.latency_p99_ns == 0);
  const RunSummary nothing = summarise(Run{});
  CHECK(nothing.iops == 0);
  CHECK(nothing.latency_min_ns == 0);
}

namespace {

// 100 IOPS with its percentiles as fio prints them without buckets.
Run printed_run(std::uint64_t p50_ns, std::uint64_t max_ns) {
  Run run;
  run.state = RunState::done;
  run.setting = {Rw::randread, 4096, 1, 1};
  run.imported_figures = true;
  run.imported = {100, 409'600, 150'000};
  run.imported.read = {100, 409'600, 150'000, 50'000, p50_ns, 0, 300'000, 0, 0, max_ns};
  return run;
}

}  // namespace

TEST_CASE(
    "printed percentiles are those of their run; of several such runs only extremes are left") {
  const Run one = printed_run(140'000, 900'000);
  const RunSummary line = summarise(one);
  CHECK(line.latency_p50_ns == 140'000);
  CHECK(line.latency_p90_ns == 0);  // not printed
  CHECK(line.latency_p99_ns == 300'000);
  CHECK(line.latency_max_ns == 900'000);
  const SweepResult single = analyse(SweepSpec{}, std::vector<Run>{one});
  CHECK(single.points[0].has_percentiles);
  CHECK(single.points[0].latency_p50_ns == 140'000);
  Run two = printed_run(240'000, 700'000);
  two.repeat = 1;
  const SweepResult both = analyse(SweepSpec{}, std::vector<Run>{one, two});
  CHECK(both.points[0].latency_p50_ns == 0);  // 190 000 would be an average of percentiles
  CHECK(both.points[0].latency_min_ns == 50'000);
  CHECK(both.points[0].latency_max_ns == 900'000);
}

TEST_CASE("buckets of an imported run win over what was printed, and its CPU counts") {
  Run run = printed_run(140'000, 900'000);
  for (int i = 0; i < 10; ++i) run.measurement.read.latency.add(100);
  run.measurement.measured_ns = 2'000'000'000;
  run.measurement.cpu_user_ns = 500'000'000;
  run.measurement.cpu_system_ns = 100'000'000;
  const RunSummary line = summarise(run);
  CHECK(line.iops == 100);
  CHECK(line.latency_mean_ns == 150'000);  // as printed: the buckets may be of another latency
  CHECK(line.latency_p50_ns == 100);
  CHECK(line.measured_seconds == doctest::Approx(2));
  CHECK(line.cpu_user_percent == doctest::Approx(25));
  CHECK(line.cpu_system_percent == doctest::Approx(5));
  CHECK(line.cpu_per_io_ns == doctest::Approx(3'000'000));  // 600 ms over 200 I/Os
}

TEST_CASE("reads and writes printed apart stay apart, and together they have no percentiles") {
  Run run = printed_run(140'000, 900'000);
  run.setting.rw = Rw::randrw;
  run.imported.write = {50, 204'800, 90'000, 40'000, 80'000, 0, 200'000, 0, 0, 400'000};
  const SweepResult result = analyse(SweepSpec{}, std::vector<Run>{run});
  REQUIRE(result.points.size() == 1);
  const Point& point = result.points[0];
  CHECK(point.latency_p50_ns == 0);
  CHECK(point.latency_min_ns == 40'000);
  CHECK(point.latency_max_ns == 900'000);
  REQUIRE(point.write);
  CHECK(point.write->iops == 50);
  CHECK(point.write->latency_p50_ns == 80'000);
  CHECK(point.read->latency_p99_ns == 300'000);
}
