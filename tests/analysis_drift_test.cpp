// Drift of curves that run along another axis than numjobs.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/analysis/analysis.h"
#include "tests/runs.h"

using namespace iobenchd;
using analysis::analyse;

namespace {

// 30 s at so many IOPS.
Run run_at(const Setting& setting, std::uint64_t iops) {
  Run run = tests::clean_run();
  run.setting = setting;
  tests::set_traffic(run, iops * 30, 30'000'000'000);
  for (Sample& sample : run.measurement.samples) sample.read_ios = iops;
  return run;
}

// The sentence about drift of the one curve through these settings, whose first is measured again
// last; empty: there is none.
std::string drift(const std::string& axis, const std::vector<Setting>& settings,
                  std::uint64_t iops_at_last) {
  std::vector<Run> runs;
  for (const Setting& setting : settings) runs.push_back(run_at(setting, 10'000));
  runs.push_back(run_at(settings.front(), iops_at_last));
  runs.back().is_drift_check = true;
  SweepSpec spec;
  spec.numjobs_auto = false;
  spec.numjobs = {1};
  const SweepResult result = analyse(spec, runs);
  REQUIRE(result.curves.size() == 1);
  CHECK(result.curves[0].axis == axis);
  const std::vector<Verdict>& verdicts = result.curves[0].verdicts;
  const auto drifted = std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.name == "drifted";
  });
  return drifted == verdicts.end() ? "" : drifted->sentence;
}

}  // namespace

TEST_CASE("drifted: of a curve along iodepth or bs, too") {
  const std::vector<Setting> depths{
      {Rw::randread, 4096, 1, 1}, {Rw::randread, 4096, 8, 1}, {Rw::randread, 4096, 32, 1}};
  const std::vector<Setting> blocks{
      {Rw::randread, 4096, 8, 1}, {Rw::randread, 16384, 8, 1}, {Rw::randread, 65536, 8, 1}};
  const std::string less = drift("iodepth", depths, 8'000);
  CHECK(less.starts_with("Depth 1 gave 20 % fewer IOPS when measured again at the end."));
  const std::string more = drift("bs", blocks, 12'000);
  CHECK(more.starts_with("4k blocks gave 20 % more IOPS when measured again at the end."));
  CHECK(drift("iodepth", depths, 9'900).empty());  // 1 % is within the assumed 2 %
  CHECK(drift("bs", blocks, 9'900).empty());
}
