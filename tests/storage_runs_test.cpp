#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

Circumstances full_circumstances() {
  Circumstances c;
  c.host = "alpha";
  c.os = "OpenBSD 7.7";
  c.cpu = "AMD EPYC";
  c.program_version = "0.1.0";
  c.build_type = "Release";
  c.compiler = "clang 16";
  c.memory_bytes = 8ULL << 30;
  c.cpus = 4;
  c.target = "/dev/rsd1c";
  c.target_kind = "raw_device";
  c.model =
      "MOD\xFF"
      "EL";  // not UTF-8, as disks have it
  c.serial = "S1";
  c.firmware = "F";
  c.filesystem = "ffs";
  c.mount_options = "noatime";
  c.io_scheduler = "none";
  c.target_bytes = 1ULL << 40;
  c.logical_sector_bytes = 512;
  c.physical_sector_bytes = 4096;
  c.virtual_machine = c.in_use = c.database_on_target = true;
  c.block_storage = false;
  return c;
}

Run full_run(std::int64_t sweep_id) {
  Run run;
  run.sweep_id = sweep_id;
  run.setting = {Rw::randrw, 8192, 32, 18};
  run.repeat = 2;
  run.is_drift_check = true;
  run.started_at_ns = 1'000;
  run.seed = ~std::uint64_t{0} - 5;
  run.circumstances = full_circumstances();
  Measurement& m = run.measurement;
  m.measured_ns = 3'000'000'000;
  for (std::uint64_t i = 1; i <= 1'000; ++i) m.read.latency.add(i * 977);
  m.read.ios = 1'000;
  m.read.bytes = 8'192'000;
  m.write.latency.add(5);
  m.write.ios = 1;
  m.write.bytes = 8192;
  m.write.errors = 3;
  m.samples.resize(2);
  m.samples[1].second = 1;
  m.samples[1].latency_p99_ns = 77;
  m.jobs.resize(18);
  m.jobs[17].job = 17;
  m.jobs[17].cpu_user_ns = 123;
  m.cpu_user_ns = 11;
  m.cpu_system_ns = 12;
  m.machine_cpu_busy_percent = 99.5;
  m.load_average = 0.25;
  m.wakeup_delay = {1, 2, 3, 4};
  m.wakeup_reference = {5, 6, 7, 8};
  m.device_read_bytes = 9;
  m.device_write_bytes = 10;
  m.device_counters_known = true;
  m.clock_source = ClockSource::tsc;
  m.ioengine = IoEngine::io_uring;
  m.direct = true;
  m.engine_flags = engine_flag::fixed_buffers | engine_flag::fixed_files;
  m.batch_submit = 4;
  m.batch_complete = 1;
  m.in_flight_max = 576;
  m.fsync.ios = 2;
  m.fsync.latency.add(1'000'000);
  m.fsync.latency.add(3'000'000);
  m.voluntary_context_switches = 13;
  m.involuntary_context_switches = 14;
  m.minor_page_faults = 15;
  m.major_page_faults = 16;
  m.verified_bytes = 19;
  m.rounds = 7;
  m.rounds_steady = true;
  m.samples_variation = 0.125;
  m.device_read_ios = 17;
  m.device_write_ios = 18;
  run.health.temperature_celsius = 41.5;  // what it doesn't tell stays NaN
  run.hole_percent = 12.5;
  run.governor = "performance";
  run.container = "docker";
  return run;
}

bool same(const Circumstances& a, const Circumstances& b) {
  return a.host == b.host && a.os == b.os && a.cpu == b.cpu &&
         a.program_version == b.program_version && a.build_type == b.build_type &&
         a.compiler == b.compiler && a.memory_bytes == b.memory_bytes && a.cpus == b.cpus &&
         a.target == b.target && a.target_kind == b.target_kind && a.model == b.model &&
         a.serial == b.serial && a.firmware == b.firmware && a.filesystem == b.filesystem &&
         a.mount_options == b.mount_options && a.io_scheduler == b.io_scheduler &&
         a.target_bytes == b.target_bytes && a.logical_sector_bytes == b.logical_sector_bytes &&
         a.physical_sector_bytes == b.physical_sector_bytes &&
         a.virtual_machine == b.virtual_machine && a.in_use == b.in_use &&
         a.block_storage == b.block_storage && a.database_on_target == b.database_on_target;
}

bool same(const Histogram& a, const Histogram& b) {
  return a.buckets == b.buckets && a.count == b.count && a.sum_ns == b.sum_ns &&
         a.min_ns == b.min_ns && a.max_ns == b.max_ns;
}

bool same(const WakeupDelay& a, const WakeupDelay& b) {
  return a.count == b.count && a.p50_ns == b.p50_ns && a.p99_ns == b.p99_ns && a.max_ns == b.max_ns;
}

void check_same(const Measurement& a, const Measurement& b) {
  CHECK(a.measured_ns == b.measured_ns);
  CHECK(a.read.ios == b.read.ios);
  CHECK(a.read.bytes == b.read.bytes);
  CHECK(a.read.errors == b.read.errors);
  CHECK(same(a.read.latency, b.read.latency));
  CHECK(a.write.ios == b.write.ios);
  CHECK(a.write.bytes == b.write.bytes);
  CHECK(a.write.errors == b.write.errors);
  CHECK(same(a.write.latency, b.write.latency));
  REQUIRE(a.samples.size() == b.samples.size());
  CHECK(a.samples.back().second == b.samples.back().second);
  CHECK(a.samples.back().latency_p99_ns == b.samples.back().latency_p99_ns);
  REQUIRE(a.jobs.size() == b.jobs.size());
  CHECK(a.jobs.back().job == b.jobs.back().job);
  CHECK(a.jobs.back().cpu_user_ns == b.jobs.back().cpu_user_ns);
  CHECK(a.cpu_user_ns == b.cpu_user_ns);
  CHECK(a.cpu_system_ns == b.cpu_system_ns);
  CHECK(a.machine_cpu_busy_percent == b.machine_cpu_busy_percent);
  CHECK(a.load_average == b.load_average);
  CHECK(same(a.wakeup_delay, b.wakeup_delay));
  CHECK(same(a.wakeup_reference, b.wakeup_reference));
  CHECK(a.fsync.ios == b.fsync.ios);
  CHECK(a.fsync.latency.sum_ns == b.fsync.latency.sum_ns);
  CHECK(a.voluntary_context_switches == b.voluntary_context_switches);
  CHECK(a.involuntary_context_switches == b.involuntary_context_switches);
  CHECK(a.minor_page_faults == b.minor_page_faults);
  CHECK(a.major_page_faults == b.major_page_faults);
  CHECK(a.verified_bytes == b.verified_bytes);
  CHECK(a.rounds == b.rounds);
  CHECK(a.rounds_steady == b.rounds_steady);
  CHECK(a.samples_variation == b.samples_variation);
  CHECK(a.device_read_ios == b.device_read_ios);
  CHECK(a.device_write_ios == b.device_write_ios);
  CHECK(a.device_read_bytes == b.device_read_bytes);
  CHECK(a.device_write_bytes == b.device_write_bytes);
  CHECK(a.device_counters_known == b.device_counters_known);
  CHECK(a.clock_source == b.clock_source);
  CHECK(a.ioengine == b.ioengine);
  CHECK(a.direct == b.direct);
  CHECK(a.engine_flags == b.engine_flags);
  CHECK(a.batch_submit == b.batch_submit);
  CHECK(a.batch_complete == b.batch_complete);
  CHECK(a.in_flight_max == b.in_flight_max);
}

}  // namespace

TEST_CASE(
    "a run with histograms, samples and job figures comes back exactly, after a restart too") {
  TempDir dir;
  Clock clock;
  Run run;
  {
    Store store(dir / "db", clock.function());
    run = stored_run(store, full_run(store.sweeps().create(sweep_named("")).id));
  }
  Store store(dir / "db", clock.function());
  const Run found = store.runs().find(run.id).value();
  CHECK(found.id == run.id);
  CHECK(found.sweep_id == run.sweep_id);
  CHECK(found.setting == run.setting);
  CHECK(found.repeat == 2);
  CHECK(found.is_drift_check);
  CHECK(found.state == RunState::done);
  CHECK(found.started_at_ns == 1'000);
  CHECK(found.finished_at_ns == 1'001);
  CHECK(found.seed == run.seed);
  CHECK(same(found.circumstances, run.circumstances));
  check_same(found.measurement, run.measurement);
  CHECK(found.health.temperature_celsius == 41.5);
  CHECK(std::isnan(found.health.wear_percent_used));
  CHECK(found.hole_percent == 12.5);
  CHECK(found.governor == "performance");
  CHECK(found.container == "docker");
  CHECK_FALSE(found.imported_figures);
  const std::vector<Run> all = store.runs().of_sweep(run.sweep_id);
  REQUIRE(all.size() == 1);
  check_same(all[0].measurement, run.measurement);
}

TEST_CASE("a summary's figures come back exactly from the list, one that is no number as that") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  Run run = full_run(store.sweeps().create(sweep_named("")).id);
  run.id = store.runs().begin(run);
  run.state = RunState::failed;
  run.error = "read at 4096: EIO";
  run.finished_at_ns = 2'000;
  RunSummary in = summary_of(run);
  in.iops = 123.456;
  in.bandwidth_bytes_per_s = 1e9 + 0.5;
  in.latency_mean_ns = 1.0 / 3;
  in.latency_min_ns = 1;
  in.latency_p50_ns = 2;
  in.latency_p90_ns = 3;
  in.latency_p99_ns = 4;
  in.latency_p99_9_ns = 5;
  in.latency_p99_99_ns = 6;
  in.latency_max_ns = 7;
  in.concurrency = 8.5;
  in.depth_attained = 0.5;
  in.cpu_user_percent = 10.25;
  in.cpu_system_percent = std::numeric_limits<double>::quiet_NaN();
  in.cpu_per_io_ns = 12;
  in.load_average = 13;
  in.wakeup_delay_p99_ns = 14;
  in.measured_seconds = 15.5;
  store.runs().finish(run, in);
  const Page<RunSummary> page = store.runs().list({}, 0, 50);
  REQUIRE(page.items.size() == 1);
  const RunSummary& out = page.items[0];
  CHECK(out.run_id == run.id);
  CHECK(out.sweep_id == run.sweep_id);
  CHECK(out.setting == run.setting);
  CHECK(out.repeat == 2);
  CHECK(out.is_drift_check);
  CHECK(out.state == RunState::failed);
  CHECK(out.started_at_ns == 1'000);
  CHECK(out.finished_at_ns == 2'000);
  CHECK(out.error == run.error);
  CHECK(out.target == "/dev/rsd1c");
  CHECK(out.serial == "S1");
  CHECK(out.model == run.circumstances.model);
  CHECK(out.host == "alpha");
  CHECK(out.ioengine == IoEngine::io_uring);
  CHECK(out.direct);
  CHECK(out.engine_flags == in.engine_flags);
  CHECK(out.iops == in.iops);
  CHECK(out.bandwidth_bytes_per_s == in.bandwidth_bytes_per_s);
  CHECK(out.latency_mean_ns == in.latency_mean_ns);
  CHECK(out.latency_min_ns == 1);
  CHECK(out.latency_p50_ns == 2);
  CHECK(out.latency_p90_ns == 3);
  CHECK(out.latency_p99_ns == 4);
  CHECK(out.latency_p99_9_ns == 5);
  CHECK(out.latency_p99_99_ns == 6);
  CHECK(out.latency_max_ns == 7);
  CHECK(out.concurrency == 8.5);
  CHECK(out.depth_attained == 0.5);
  CHECK(out.cpu_user_percent == 10.25);
  CHECK(std::isnan(out.cpu_system_percent));
  CHECK(out.cpu_per_io_ns == 12);
  CHECK(out.load_average == 13);
  CHECK(out.wakeup_delay_p99_ns == 14);
  CHECK(out.measured_seconds == 15.5);
}

TEST_CASE("a sweep counts its runs as they end: failed ones too, interrupted ones not") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  const std::int64_t id = store.sweeps().create(sweep_named("")).id;
  stored_run(store, run_of(id, 1, 1), RunState::done);
  stored_run(store, run_of(id, 2, 2), RunState::failed);
  stored_run(store, run_of(id, 4, 3), RunState::interrupted);
  const Run last = stored_run(store, run_of(id, 4, 4), RunState::done);
  CHECK(store.sweeps().find(id)->runs_done == 3);
  CHECK(store.sweeps().find(id)->runs_failed == 1);
  CHECK_NOTHROW(store.runs().finish(last, summary_of(last)));  // an answer that was lost
  CHECK(store.sweeps().find(id)->runs_done == 3);
  Run other = last;
  other.state = RunState::failed;
  CHECK(code_of([&] { store.runs().finish(other, summary_of(other)); }) == ErrorCode::conflict);
  other.id = 99;
  CHECK(code_of([&] { store.runs().finish(other, summary_of(other)); }) == ErrorCode::not_found);
  CHECK(code_of([&] { static_cast<void>(store.runs().begin(run_of(99, 1, 1))); }) ==
        ErrorCode::not_found);
}

TEST_CASE("runs an earlier life left running are interrupted, and counted point by point") {
  TempDir dir;
  Clock clock;
  std::int64_t id = 0;
  Run begun;
  {
    Store store(dir / "db", clock.function());
    id = store.sweeps().create(sweep_named("")).id;
    stored_run(store, run_of(id, 8, 1));
    begun = run_of(id, 8, 2);
    begun.id = store.runs().begin(begun);
    static_cast<void>(store.runs().begin(run_of(id, 4, 3)));
  }
  Store store(dir / "db", clock.function());
  CHECK(store.runs().interrupt_running() == 2);
  CHECK(store.runs().interrupt_running() == 0);
  const Run found = store.runs().find(begun.id).value();
  CHECK(found.state == RunState::interrupted);
  CHECK(found.finished_at_ns == clock.now_ns);
  CHECK_FALSE(found.error.empty());
  CHECK(found.measurement.jobs.empty());
  CHECK(store.runs().interruptions(id, begun.setting, 0) == 1);
  CHECK(store.runs().interruptions(id, begun.setting, 1) == 0);
  static_cast<void>(store.runs().begin(run_of(id, 8, 4)));
  static_cast<void>(store.runs().interrupt_running());
  CHECK(store.runs().interruptions(id, begun.setting, 0) == 2);
}

TEST_CASE("an import keeps its uuid and its times, and is refused the second time") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  Sweep sweep = sweep_named("published");
  sweep.uuid = "019b7c90-d688-7000-8000-000000000001";
  sweep.state = SweepState::done;
  sweep.finished_at_ns = 77;
  std::vector<Run> runs{run_of(0, 1, 0), run_of(0, 2, 0)};
  for (Run& run : runs) {
    run.state = RunState::done;
    run.imported_figures = true;
    run.imported = {1'000 * run.setting.numjobs + 0.5, 4'096'000, 0};
  }
  const std::vector<RunSummary> lines{summary_of(runs[0]), summary_of(runs[1])};
  const std::int64_t id = store.runs().import(sweep, runs, lines);
  const Sweep found = store.sweeps().find(id).value();
  CHECK(found.origin == Origin::imported);
  CHECK(found.uuid == sweep.uuid);
  CHECK(found.state == SweepState::done);
  CHECK(found.created_at_ns == clock.now_ns);
  CHECK(found.finished_at_ns == 77);
  CHECK(found.runs_done == 2);
  const std::vector<Run> back = store.runs().of_sweep(id);
  REQUIRE(back.size() == 2);
  CHECK(back[1].imported_figures);
  CHECK(back[1].imported.iops == 2000.5);
  CHECK(back[1].imported.bandwidth_bytes_per_s == 4'096'000);
  RunFilter filter;
  filter.origin = Origin::imported;
  CHECK(store.runs().list(filter, 0, 50).items.size() == 2);
  CHECK(code_of([&] { static_cast<void>(store.runs().import(sweep, runs, lines)); }) ==
        ErrorCode::conflict);
  CHECK(store.sweeps().list({}, 0, 50).items.size() == 1);
}

TEST_CASE("runs that share a machine and a disk share one row of circumstances") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  const std::int64_t id = store.sweeps().create(sweep_named("")).id;
  Run run = run_of(id, 1, 1);
  run.id = store.runs().begin(run);
  run.state = RunState::done;
  run.circumstances.model = "known only at the end";
  store.runs().finish(run, summary_of(run));
  CHECK(store.runs().find(run.id)->circumstances.model == "known only at the end");
  RunFilter filter;
  filter.serial = "S1";
  CHECK(store.runs().list(filter, 0, 50).items[0].model == "known only at the end");
}
