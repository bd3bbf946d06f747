#include <doctest/doctest.h>

#include <vector>

#include "daemon/analysis/analysis.h"

using namespace iobenchd;

namespace {

Run run_of(std::uint32_t numjobs, double iops) {
  Run run;
  run.id = numjobs;
  run.setting = {Rw::randread, 4096, 1, numjobs};
  run.state = RunState::done;
  run.imported_figures = true;
  run.imported = {iops, iops * 4096, numjobs / iops * 1e9};
  return run;
}

Run repeat_of(std::uint32_t numjobs, double iops, std::int64_t id) {
  Run run = run_of(numjobs, iops);
  run.id = id;
  return run;
}

}  // namespace

TEST_CASE("nothing is beyond a band that reaches to the most measured: the sentence says so") {
  // B = X³/n is greatest at 3 and still 97 % of that at 4; latency is n/X: 1154 us, then 1413 us.
  const std::vector<Run> runs{run_of(1, 1000), run_of(2, 1900), run_of(3, 2600), run_of(4, 2830)};
  CHECK(analysis::analyse(SweepSpec{}, runs).answer ==
        "3 to 4 jobs. At 4 jobs, latency rises by 22 % and IOPS rise by only 9 %.");
}

TEST_CASE("a curve that more than doubles beyond its answer doesn't rise by 'only' so much") {
  // B: 1, 0.67, 0.14, 0.09 millions. Latency is 1 ms, then 57.4 ms.
  const std::vector<Run> runs{run_of(1, 1000), run_of(2, 1100), run_of(16, 1300),
                              run_of(128, 2230)};
  CHECK(analysis::analyse(SweepSpec{}, runs).answer ==
        "1 job. Beyond, up to 128, latency grows 57-fold and IOPS rise by 123 %.");
}

TEST_CASE("runs that don't bear a narrow band are told as all that they could have said") {
  // B is greatest at 8, and 90, 84 and 45 % of that at 4, 16 and 32. Each was measured at 15 % less
  // and at 15 % more too: a median of three is off by 8 %, B by 25 %.
  std::vector<Run> runs{run_of(1, 10'000)};
  std::int64_t id = 100;
  const std::vector<std::pair<std::uint32_t, double>> medians{
      {4, 24'500}, {8, 32'000}, {16, 38'000}, {32, 39'000}};
  for (const auto& [numjobs, iops] : medians) {
    for (const double share : {0.85, 1.0, 1.15}) {
      runs.push_back(repeat_of(numjobs, iops * share, ++id));
    }
  }
  const SweepResult result = analysis::analyse(SweepSpec{}, runs);
  REQUIRE(result.curves[0].sweet_spot.has_value());
  const SweetSpot& spot = *result.curves[0].sweet_spot;
  CHECK(spot.at == 8);
  CHECK(spot.likely_in_band < 0.8);
  CHECK(spot.likely_low == 4);
  CHECK(spot.likely_high == 16);
  CHECK(result.answer ==
        "4 to 16 jobs. The runs differ too much to say it closer; this time it was 8 jobs. Beyond, "
        "up to 32, latency grows 3.3-fold and IOPS rise by only 22 %.");
}
