// What is counted for /metrics.
#include <doctest/doctest.h>

#include <string>

#include "daemon/scheduler/meters.h"

using namespace iobenchd;
using namespace iobenchd::scheduler;

TEST_CASE("each bucket holds those before it, and what is too slow for all is in the count alone") {
  Histogram histogram;
  histogram.add(900);             // below 1 us
  histogram.add(1'500);           // 2 us
  histogram.add(1'900);           // 2 us
  histogram.add(9'000'000'000);   // 10 s
  histogram.add(15'000'000'000);  // beyond
  LatencyCounts counts;
  counts.add(histogram);
  CHECK(counts.at_most[0] == 1);
  CHECK(counts.at_most[1] == 3);
  CHECK(counts.at_most[20] == 3);
  CHECK(counts.at_most[21] == 4);
  CHECK(counts.count == 5);
  CHECK(counts.sum_s == doctest::Approx(24.0000043));
  counts.add(histogram);
  CHECK(counts.at_most[1] == 6);
  CHECK(counts.at_most[21] == 8);
  CHECK(counts.count == 10);
}

TEST_CASE("only good runs tell of latencies; every run is counted by its end") {
  Meters meters;
  Run run;
  run.state = RunState::done;
  run.measurement.read.latency.add(1'500);
  meters.count_run("/dev/sda", run);
  run.state = RunState::failed;
  meters.count_run("/dev/sda", run);
  run.state = RunState::interrupted;
  meters.count_run("/dev/sda", run);
  meters.count_sweep(SweepState::failed);
  const Counts counts = meters.now();
  CHECK(counts.runs == std::array<std::uint64_t, 5>{0, 1, 1, 1, 0});
  CHECK(counts.sweeps == std::array<std::uint64_t, 5>{0, 0, 0, 1, 0});
  CHECK(counts.targets.at("/dev/sda").read.count == 1);
  CHECK(counts.targets.at("/dev/sda").write.count == 0);
}

TEST_CASE("32 targets have figures of their own, all others share theirs") {
  Meters meters;
  for (int i = 0; i < 40; ++i) meters.count_written("/data/" + std::to_string(i), 100);
  meters.count_written("/data/0", 11);
  meters.count_written("/data/39", 11);
  const Counts counts = meters.now();
  CHECK(counts.targets.size() == 33);
  CHECK(counts.targets.at("/data/0").written_bytes == 111);
  CHECK(counts.targets.at("/data/31").written_bytes == 100);
  CHECK(counts.targets.at("other").written_bytes == 811);
}
