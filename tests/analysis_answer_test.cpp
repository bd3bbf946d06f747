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
