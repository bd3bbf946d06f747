// Verdicts that compare what a run was told to do with what it did: engine, depth, rate.
#include <doctest/doctest.h>

#include "tests/verdict_checks.h"

using namespace iobenchd;
using tests::clean_run;
using tests::names_of;
using tests::run_verdicts;

TEST_CASE("engine_fallback: automatic on Linux means io_uring, and what was asked for is kept") {
  Run run = clean_run();
  SweepSpec spec;
  const auto raised = [&] { return names_of(run_verdicts(run, &spec)); };
  const std::vector<std::string> none, fallback{"engine_fallback"};
  CHECK(raised() == none);
  run.measurement.ioengine = IoEngine::threads;
  REQUIRE(raised() == fallback);
  CHECK(
      run_verdicts(run, &spec)[0] ==
      Verdict{"engine_fallback", Severity::caution,
              "Measured with threads where io_uring is usual. It costs more CPU for each I/O: "
              "check that io_uring is built in and allowed (sysctl kernel.io_uring_disabled=0)."});
  run.circumstances.os = "OpenBSD 7.7";  // there threads are what automatic means
  CHECK(raised() == none);
  spec.ioengine = IoEngine::io_uring;
  REQUIRE(raised() == fallback);
  CHECK(run_verdicts(run, &spec)[0].sentence ==
        "Measured with threads although io_uring was asked for. Don't compare it with runs of the "
        "other engine.");
  spec.ioengine = IoEngine::threads;
  CHECK(raised() == none);
}

TEST_CASE("engine_fallback: at depth 1 psync asks the disk the same, and costs other CPU") {
  Run run = clean_run();
  SweepSpec spec;
  run.measurement.ioengine = IoEngine::psync;
  REQUIRE(names_of(run_verdicts(run, &spec)) == std::vector<std::string>{"engine_fallback"});
  CHECK(run_verdicts(run, &spec)[0].sentence ==
        "Measured with psync where io_uring is usual. One I/O at a time asks the disk the same, "
        "but costs another amount of CPU: compare it with runs of psync alone, or check that "
        "io_uring is built in and allowed (sysctl kernel.io_uring_disabled=0).");
  run.circumstances.os = "OpenBSD 7.7";
  CHECK(run_verdicts(run, &spec).empty());
  run.circumstances.os = "Linux 6.1";
  spec.ioengine = IoEngine::psync;
  CHECK(run_verdicts(run, &spec).empty());
}

TEST_CASE("rate_not_attained: an open loop that did less than 95 % of what was due") {
  Run run = clean_run();  // 10 000 a second of one job
  SweepSpec spec;
  spec.ioengine = IoEngine::io_uring;
  const auto raised = [&] { return names_of(run_verdicts(run, &spec)); };
  const std::vector<std::string> none, missed{"rate_not_attained"};
  spec.workload.rate_iops = 10'500;  // 95.2 %
  CHECK(raised() == none);
  spec.workload.rate_iops = 10'600;  // 94.3 %
  CHECK(raised() == missed);
  spec.workload.rate_iops = 40'000;
  REQUIRE(raised() == missed);
  const Verdict verdict = run_verdicts(run, &spec)[0];
  CHECK(verdict.severity == Severity::caution);
  CHECK(
      verdict.sentence.starts_with("Only 10 000 of the 40 000 IOPS asked for were done (25 %). "));
  spec.workload.rate_iops = 5'000;  // of each job
  run.setting.numjobs = 2;
  CHECK(raised() == none);
  run.setting.numjobs = 4;
  CHECK(raised() == missed);
}

TEST_CASE("rate_not_attained: what may be missing by chance is no doubt") {
  Run run = clean_run();
  SweepSpec spec;
  spec.ioengine = IoEngine::io_uring;
  spec.workload.rate_iops = 1;
  const auto raised = [&](std::uint64_t ios) {
    tests::set_traffic(run, ios, 10'000'000'000);
    for (Sample& sample : run.measurement.samples) sample.read_ios = 1;
    return names_of(run_verdicts(run, &spec));
  };
  const std::vector<std::string> none, missed{"rate_not_attained"};
  CHECK(raised(9) == none);  // 10 were due; the last may have been a moment late
  CHECK(raised(8) == missed);
  spec.workload.rate_process = RateProcess::poisson;  // 10 +- 9.5 by chance
  CHECK(raised(1) == none);
  CHECK(raised(0) == missed);
  spec.workload.rate_iops = 10;  // 100 +- 30
  CHECK(raised(70) == none);
  CHECK(raised(69) == missed);
}

TEST_CASE("depth_not_attained: not where an open loop or fsync leaves the disk idle on purpose") {
  Run run = clean_run();
  run.setting.iodepth = 32;  // 1 of 32 in flight
  SweepSpec spec;
  spec.ioengine = IoEngine::io_uring;
  const auto raised = [&] { return names_of(run_verdicts(run, &spec)); };
  CHECK(raised() == std::vector<std::string>{"depth_not_attained"});
  spec.workload.rate_iops = 10'000;
  CHECK(raised().empty());
  spec.workload.rate_iops = 0;
  spec.workload.fsync = 8;
  CHECK(raised().empty());
}
