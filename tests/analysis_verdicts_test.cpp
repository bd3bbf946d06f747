#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

TEST_CASE("a clean run has no verdict, and a short one only that it is short") {
  CHECK(run_verdicts(clean_run()).empty());
  Run run = clean_run();
  set_seconds(run, {10'000, 10'000, 10'000});
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "short");
  CHECK(verdict.severity == Severity::info);
  CHECK(verdict.sentence ==
        "Measured for 3 s. Good for a first look; measure 10 s or more before you rely on it.");
}

TEST_CASE("debug_build: any build but an optimised one") {
  Run run = clean_run();
  run.circumstances.build_type = "Debug";
  CHECK(only_verdict(run) ==
        Verdict{"debug_build", Severity::invalid,
                "Measured by a build of type Debug. Its loops are slower than what you will run: "
                "build with CMAKE_BUILD_TYPE=Release and measure again."});
  for (const char* type : {"Release", "RelWithDebInfo", "MinSizeRel"}) {
    run.circumstances.build_type = type;
    CHECK(run_verdicts(run).empty());
  }
}

TEST_CASE("cached: the device moved less than nine tenths of what the jobs read or wrote") {
  Run run = clean_run();
  const std::uint64_t bytes = run.measurement.read.bytes;
  run.measurement.device_counters_known = true;
  run.measurement.device_read_bytes = bytes;
  CHECK(run_verdicts(run).empty());
  run.measurement.device_read_bytes = bytes / 100 * 91;
  CHECK(run_verdicts(run).empty());
  run.measurement.device_read_bytes = bytes / 100 * 12;
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "cached");
  CHECK(verdict.severity == Severity::invalid);
  CHECK(verdict.sentence.find("moved only 12 % of the 1.1 GiB that were read") !=
        std::string::npos);

  Run written = clean_run();
  std::swap(written.measurement.read, written.measurement.write);
  written.setting.rw = Rw::randwrite;
  written.measurement.device_counters_known = true;
  written.measurement.device_read_bytes = bytes;
  CHECK(only_verdict(written).name == "cached");
  written.measurement.device_write_bytes = bytes;
  written.measurement.device_read_bytes = 0;
  CHECK(run_verdicts(written).empty());
}

TEST_CASE("cached: counters are read up to a tick away, and two ticks are half of a second") {
  Run run = clean_run();
  set_seconds(run, {10'000});
  run.measurement.device_counters_known = true;
  run.measurement.device_read_bytes = run.measurement.read.bytes / 100 * 46;  // 45 % is the limit
  CHECK_FALSE(has(run, "cached"));
  run.measurement.device_read_bytes = run.measurement.read.bytes / 100 * 44;
  CHECK(has(run, "cached"));
}

TEST_CASE("cached: no direct I/O and a working set below twice the memory") {
  Run run = clean_run();
  run.circumstances.memory_bytes = std::uint64_t{8} << 30;
  run.circumstances.target_bytes = std::uint64_t{4} << 30;
  CHECK(run_verdicts(run).empty());  // direct
  run.measurement.direct = false;
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "cached");
  CHECK(verdict.sentence.find("the 4 GiB fit into twice the memory of 8 GiB") != std::string::npos);
  CHECK(verdict.sentence.find("at least 16 GiB") != std::string::npos);
  run.circumstances.target_bytes = std::uint64_t{16} << 30;
  CHECK(run_verdicts(run).empty());
  // What the sweep asked for counts where the target is larger.
  SweepSpec spec;
  spec.size_bytes = std::uint64_t{1} << 30;
  spec.ioengine = IoEngine::io_uring;
  const std::vector<Doubt> doubts = run_doubts(run, &spec);
  REQUIRE(doubts.size() == 1);
  CHECK(doubts[0].name == "cached");
}

TEST_CASE("exceeds_sync_bound: one job that waits 100 us for each I/O can't do 11 000 a second") {
  Run run = clean_run();  // 10 000 IOPS at 100 us
  run.measurement.ioengine = IoEngine::psync;
  CHECK(run_verdicts(run).empty());
  set_seconds(run, std::vector<std::uint64_t>(30, 10'400));
  CHECK(run_verdicts(run).empty());  // within the 5 %
  set_seconds(run, std::vector<std::uint64_t>(30, 11'000));
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "exceeds_sync_bound");
  CHECK(verdict.severity == Severity::invalid);
  CHECK(verdict.sentence.find("11 000 IOPS at 100 µs") != std::string::npos);
  CHECK(verdict.sentence.find("can't exceed 10 000") != std::string::npos);
  run.measurement.ioengine = IoEngine::io_uring;
  CHECK(run_verdicts(run).empty());
  run.measurement.ioengine = IoEngine::threads;  // numjobs x iodepth threads
  run.setting.iodepth = 2;
  CHECK_FALSE(has(run, "exceeds_sync_bound"));
}

TEST_CASE("exceeds_sync_bound: not of an open loop, where I/Os that are due wait their turn") {
  Run run = clean_run();
  run.measurement.ioengine = IoEngine::psync;
  set_seconds(run, std::vector<std::uint64_t>(30, 11'000));
  SweepSpec spec;
  spec.ioengine = IoEngine::psync;
  spec.workload.rate_iops = 11'000;
  CHECK(run_doubts(run, &spec).empty());
}

TEST_CASE("exceeds_sync_bound: an unknown engine counts where the OS has no asynchronous I/O") {
  Run run = clean_run();
  run.measurement.ioengine = IoEngine::automatic;
  set_seconds(run, std::vector<std::uint64_t>(30, 20'000));
  CHECK(run_verdicts(run).empty());  // on Linux nobody knows
  run.circumstances.os = "OpenBSD 7.7";
  CHECK(only_verdict(run).name == "exceeds_sync_bound");
}

TEST_CASE("the published rows can't be: one job says 121 318 IOPS where 37 864 are possible") {
  const std::vector<Run> reads = published::runs(published::randread, Rw::randread);
  const std::vector<Run> writes = published::runs(published::randwrite, Rw::randwrite);
  const auto sentence = [](const Run& run) {
    for (const Verdict& verdict : run_verdicts(run)) {
      if (verdict.name == "exceeds_sync_bound") return verdict.sentence;
    }
    return std::string("none");
  };
  CHECK(sentence(reads[0]).find("121 318 IOPS") != std::string::npos);
  CHECK(sentence(reads[0]).find("can't exceed 37 864") != std::string::npos);
  CHECK(sentence(writes[0]).find("68 223 IOPS") != std::string::npos);
  CHECK(sentence(writes[0]).find("can't exceed 17 053") != std::string::npos);
  for (const auto* rows : {&reads, &writes}) {
    for (const Run& run : *rows) {
      CHECK(names_of(run_verdicts(run)) ==
            std::vector<std::string>{"exceeds_sync_bound", "depth_not_attained"});
    }
  }
}

TEST_CASE("Little's law on the published rows: three I/Os in flight where 32 were asked") {
  const double reads[] = {3.20, 3.19, 3.17, 3.20, 2.86, 2.35};
  const double writes[] = {4.00, 3.87, 3.77, 3.87, 3.51, 2.60};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto per_job = [](const published::Row& row) {
      return concurrency(row.iops, row.latency_mean_us * 1e3) / row.numjobs;
    };
    CHECK(std::abs(per_job(published::randread[i]) - reads[i]) < 0.006);
    CHECK(std::abs(per_job(published::randwrite[i]) - writes[i]) < 0.006);
  }
  const RunSummary first = summarise(published::runs(published::randread, Rw::randread)[0]);
  const RunSummary last = summarise(published::runs(published::randread, Rw::randread)[5]);
  CHECK(first.depth_attained == doctest::Approx(.100).epsilon(.005));
  CHECK(last.depth_attained == doctest::Approx(.073).epsilon(.005));
}

TEST_CASE("depth_not_attained: less than 70 % of numjobs x iodepth in flight") {
  Run run = clean_run();
  run.measurement.ioengine = IoEngine::io_uring;
  set_seconds(run, std::vector<std::uint64_t>(30, 7'100));  // 0.71 of 1
  CHECK(run_verdicts(run).empty());
  set_seconds(run, std::vector<std::uint64_t>(30, 6'500));
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "depth_not_attained");
  CHECK(verdict.severity == Severity::caution);
  CHECK(verdict.sentence.find("Only 0.65 of 1 I/Os were in flight on average (65 %)") !=
        std::string::npos);
}

TEST_CASE("depth_not_attained: psync holds one a job, and the sentence says so; threads hold all") {
  Run run = clean_run();  // 1 in flight
  run.setting.iodepth = 32;
  run.measurement.ioengine = IoEngine::psync;
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "depth_not_attained");
  CHECK(verdict.sentence.find("psync holds one I/O per job whatever iodepth says") !=
        std::string::npos);
  run.measurement.ioengine = IoEngine::threads;
  set_seconds(run, std::vector<std::uint64_t>(30, 320'000));
  CHECK(run_verdicts(run).empty());
}

TEST_CASE("inconsistent_units: bandwidth and IOPS x block size are more than 0.5 % apart") {
  for (const auto* rows : {&published::randread, &published::randwrite}) {
    for (const published::Row& row : *rows) {
      const auto gap = unit_gap(row.bandwidth_mib_per_s * 1048576, row.iops, 4096);
      REQUIRE(gap.has_value());
      CHECK(*gap < 0.0035);
    }
  }
  Run run = clean_run();
  run.imported_figures = true;
  run.imported = {10'000, 40.96e6, 100'000};
  run.measurement.ioengine = IoEngine::automatic;
  CHECK(run_verdicts(run).empty());
  run.imported.bandwidth_bytes_per_s = 40.96e6 * 1.048576;  // MiB read as MB
  CHECK(only_verdict(run) ==
        Verdict{"inconsistent_units", Severity::invalid,
                "Bandwidth and IOPS x block size are 5 % apart. One of the three is in another "
                "unit than it says: check the block size and MB against MiB."});
  run.imported.bandwidth_bytes_per_s = 0;  // not printed
  CHECK(run_verdicts(run).empty());
}

TEST_CASE("io_errors: a number that counts failed I/Os is no number") {
  Run run = clean_run();
  run.measurement.read.errors = 3;
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "io_errors");
  CHECK(verdict.severity == Severity::invalid);
  CHECK(verdict.sentence.starts_with("3 I/Os failed."));
}

TEST_CASE("cpu_bound: all CPUs at least 95 % busy") {
  Run run = clean_run();
  run.measurement.machine_cpu_busy_percent = 94.9;
  CHECK(run_verdicts(run).empty());
  run.measurement.machine_cpu_busy_percent = 97;
  CHECK(only_verdict(run).sentence.starts_with("All CPUs were 97 % busy."));
  CHECK(only_verdict(run).name == "cpu_bound");
}

TEST_CASE("other_load: the device moved over 5 % more than these jobs, a tick at each end apart") {
  Run run = clean_run();  // 30 s: the two ticks are 1.7 %
  Measurement& m = run.measurement;
  m.device_counters_known = true;
  m.device_read_bytes = m.read.bytes;
  m.device_write_bytes = m.read.bytes / 100 * 6;
  CHECK(run_verdicts(run).empty());
  m.device_write_bytes = m.read.bytes / 100 * 9;
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "other_load");
  CHECK(verdict.sentence.starts_with("The device moved 9 % more"));
  m.direct = false;  // read-ahead is no other load
  CHECK_FALSE(has(run, "other_load"));
}

TEST_CASE("in_use, not_block_storage and database_on_target come from the circumstances") {
  Run run = clean_run();
  run.circumstances.target = "/dev/nvme0n1";
  run.circumstances.in_use = true;
  CHECK(only_verdict(run).name == "in_use");
  CHECK(only_verdict(run).sentence.starts_with("/dev/nvme0n1 was in use"));
  run.circumstances.in_use = false;
  run.circumstances.block_storage = false;
  run.circumstances.filesystem = "tmpfs";
  CHECK(only_verdict(run).name == "not_block_storage");
  CHECK(only_verdict(run).sentence.find("no block storage (tmpfs)") != std::string::npos);
  run.circumstances.block_storage = true;
  run.circumstances.database_on_target = true;
  CHECK(only_verdict(run).name == "database_on_target");
  CHECK(only_verdict(run).severity == Severity::info);
}

TEST_CASE("system_strained: a sleeper wakes 5 ms later than before, and three times as late") {
  const auto delay = [](std::uint64_t p99_ns) {
    return WakeupDelay{500, p99_ns / 2, p99_ns, p99_ns};
  };
  CHECK_FALSE(strained(delay(5'100'000), delay(100'001)));      // 4.999999 ms more
  CHECK(strained(delay(5'100'002), delay(100'001)));            // 5.000001 ms more
  CHECK_FALSE(strained(delay(30'000'000), delay(10'000'000)));  // just three times: OpenBSD's tick
  CHECK(strained(delay(30'000'001), delay(10'000'000)));
  CHECK_FALSE(strained(delay(30'000'000), WakeupDelay{}));  // no reference was taken
  CHECK_FALSE(strained(WakeupDelay{}, delay(1)));

  Run run = clean_run();
  run.measurement.wakeup_reference = delay(100'000);
  run.measurement.wakeup_delay = delay(12'000'000);
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "system_strained");
  CHECK(verdict.sentence.find("woke 12.0 ms late (p99), against 100 µs") != std::string::npos);
}

TEST_CASE("hole_reads: what was never written is read from nowhere") {
  Run run = clean_run();
  run.circumstances.target = "/srv/image";
  run.hole_percent = 0.5;  // the last block
  CHECK(run_verdicts(run).empty());
  run.hole_percent = 40;
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "hole_reads");
  CHECK(verdict.severity == Severity::invalid);
  CHECK(verdict.sentence.find("40 % of /srv/image is not on the disk") != std::string::npos);
  run.measurement.write = std::exchange(run.measurement.read, Traffic{});
  CHECK_FALSE(tests::has(run, "hole_reads"));  // a write fills its hole
}

TEST_CASE("throttled: the disk is as warm as its own limit") {
  Run run = clean_run();
  run.health.temperature_celsius = 84;
  CHECK(run_verdicts(run).empty());  // no limit is known
  run.health.temperature_limit_celsius = 84.85;
  CHECK(run_verdicts(run).empty());
  run.health.temperature_celsius = 85;
  const Verdict verdict = only_verdict(run);
  CHECK(verdict.name == "throttled");
  CHECK(verdict.severity == Severity::caution);
  CHECK(verdict.sentence.find("85 degrees Celsius, its own limit is 85") != std::string::npos);
}

TEST_CASE("imported rows are not asked for what no table prints") {
  Run run = published::runs(published::randread, Rw::randread)[0];
  run.circumstances.os = "Linux";
  run.setting.iodepth = 3;
  run.circumstances.build_type = "";
  run.circumstances.memory_bytes = std::uint64_t{8} << 30;
  run.circumstances.target_bytes = 1;
  CHECK(run_verdicts(run).empty());
}

TEST_CASE("nonsense in a run is no crash") {
  CHECK(run_verdicts(Run{}).empty());
  Run run;
  run.imported_figures = true;
  run.imported = {std::nan(""), -1, std::nan("")};
  CHECK(run_verdicts(run).empty());
  run.setting = {Rw::read, 0, 0, 0};
  run.imported = {1e308, 1e308, 1e308};
  (void)run_verdicts(run);
  CHECK(summarise(run).depth_attained == 0);
}
