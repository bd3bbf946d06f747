// What sources of imported runs printed.
#include <doctest/doctest.h>

#include "storage/statement.h"
#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

TEST_CASE("what a source printed of each direction comes back, and goes with its sweep") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  Sweep sweep = sweep_named("fio");
  sweep.state = SweepState::done;
  std::vector<Run> runs{run_of(0, 1, 0)};
  Run& run = runs[0];
  run.state = RunState::done;
  run.imported_figures = true;
  run.imported = {300, 1'228'800, 200'000};
  run.imported.read = {100, 409'600, 150'000.5, 1, 2, 3, 4, 5, 6, 7};
  run.imported.fsync = {0.25, 0, 9'000};
  const std::int64_t id = store.runs().import(sweep, runs, {summary_of(run)});
  const Run back = store.runs().of_sweep(id).at(0);
  CHECK(back.imported.iops == 300);
  CHECK(back.imported.read.iops == 100);
  CHECK(back.imported.read.bandwidth_bytes_per_s == 409'600);
  CHECK(back.imported.read.latency_mean_ns == 150'000.5);
  CHECK(back.imported.read.latency_min_ns == 1);
  CHECK(back.imported.read.latency_p50_ns == 2);
  CHECK(back.imported.read.latency_p90_ns == 3);
  CHECK(back.imported.read.latency_p99_ns == 4);
  CHECK(back.imported.read.latency_p99_9_ns == 5);
  CHECK(back.imported.read.latency_p99_99_ns == 6);
  CHECK(back.imported.read.latency_max_ns == 7);
  CHECK(back.imported.write.iops == 0);  // it wasn't printed
  CHECK(back.imported.fsync.iops == 0.25);
  store.sweeps().remove(id);
  Connection reader(dir / "db", Access::read);
  CHECK(reader.integer("SELECT count(*) FROM printed_figures") == 0);
}
