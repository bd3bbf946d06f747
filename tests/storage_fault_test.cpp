// Every write, sync, open and truncation of a sweep's life in the store fails once, and once for
// good. Whatever the store said yes to is there afterwards, and the file is whole.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

#include "storage/inspect.h"
#include "storage/store.h"
#include "tests/storage_fault_vfs.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;
namespace fs = std::filesystem;

namespace {

// What the store said yes to.
struct Promised {
  std::set<std::int64_t> sweeps, runs_begun, runs_done, sweeps_done;
  bool all = false;
};

// Said no, for a reason that is the file's or the disk's; a bug would say `internal`.
bool refused(const std::function<void()>& call) {
  try {
    call();
    return false;
  } catch (const Error& error) {
    CAPTURE(error.what());
    CHECK((error.code() == ErrorCode::storage_full || error.code() == ErrorCode::unavailable));
    return true;
  }
}

Run full_run(std::int64_t sweep_id, std::uint32_t numjobs) {
  Run run = run_of(sweep_id, numjobs, 5);
  for (std::uint32_t i = 0; i < histogram_buckets; i += 3) {
    run.measurement.read.latency.add(bucket_midpoint_ns(i));
  }
  run.measurement.jobs.resize(100);  // some pages of it
  return run;
}

// A daemon's life with one sweep of two runs. What fails is tried again, as the runner does it;
// what fails a second time ends that life.
void live(const std::string& path, Promised& promised) {
  Store store(path);
  const auto keep = [](const std::function<void()>& call) {
    return !refused(call) || !refused(call);
  };
  std::int64_t id = 0;
  if (!keep([&] { id = store.sweeps().create(sweep_named("new")).id; })) return;
  promised.sweeps.insert(id);
  if (!keep([&] { store.sweeps().set_started(id); })) return;
  for (const std::uint32_t numjobs : {1U, 2U}) {
    Run run = full_run(id, numjobs);
    if (!keep([&] { run.id = store.runs().begin(run); })) return;
    promised.runs_begun.insert(run.id);
    run.state = RunState::done;
    if (!keep([&] { store.runs().finish(run, summary_of(run)); })) return;
    promised.runs_done.insert(run.id);
  }
  if (!keep([&] { store.sweeps().finish(id, SweepState::done, "2 jobs.", ""); })) return;
  promised.sweeps_done.insert(id);
  promised.all = true;
}

void check_promises(const std::string& path, const Promised& promised) {
  CHECK(inspect(path).findings.empty());
  Store store(path);
  CHECK(store.damage().empty());
  CHECK(store.sweeps().find(1)->spec.label == "old");
  for (const std::int64_t id : promised.sweeps) CHECK(store.sweeps().find(id));
  for (const std::int64_t id : promised.runs_begun) CHECK(store.runs().find(id));
  for (const std::int64_t id : promised.runs_done) {
    const auto run = store.runs().find(id);
    REQUIRE(run);
    CHECK(run->state == RunState::done);
    CHECK(run->measurement.read.latency.count == (histogram_buckets + 2) / 3);
    CHECK(run->measurement.jobs.size() == 100);
  }
  for (const std::int64_t id : promised.sweeps_done)
    CHECK(store.sweeps().find(id)->state == SweepState::done);
  CHECK(store.sweeps().create(sweep_named("afterwards")).id > 1);
}

std::string step_text(Step step) {
  switch (step) {
    case Step::write:
      return "write";
    case Step::sync:
      return "sync";
    case Step::open:
      return "open";
    case Step::truncate:
      return "truncation";
  }
  return "";
}

// Strikes at 1, 1 + stride, ... until a life is over before it is struck. Returns how often it was.
int strike(FaultPlan plan, int stride, const std::function<void(const FaultVfs&)>& life,
           const std::function<void()>& afterwards) {
  int strikes = 0;
  for (plan.nth = 1;; plan.nth += stride) {
    const std::string what = step_text(plan.step) + " " + std::to_string(plan.nth) +
                             (plan.from_then_on ? " and all after it" : "");
    CAPTURE(what);
    bool struck = false;
    {
      const FaultVfs faults(plan);
      life(faults);
      struck = faults.has_struck();
    }
    {
      const FaultVfs calm({});  // the system's files again, without waiting for the disk
      afterwards();
    }
    if (!struck) return strikes;
    REQUIRE(++strikes < 2'000);
  }
}

void remove_database(const std::string& path) {
  for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(path + end);
}

}  // namespace

TEST_CASE("a sweep is stored whole, whichever write, sync, open or truncation fails") {
  TempDir dir;
  const std::string original = dir / "original", path = dir / "db";
  {
    Store store(original);
    const std::int64_t id = store.sweeps().create(sweep_named("old")).id;
    stored_run(store, run_of(id, 4, 5));
  }
  const FaultPlan plans[] = {{Step::write, 1, false, SQLITE_FULL},
                             {Step::write, 1, true, SQLITE_IOERR_WRITE},
                             {Step::sync, 1, false, SQLITE_IOERR_FSYNC},
                             {Step::sync, 1, true, SQLITE_IOERR_FSYNC},
                             {Step::open, 1, false, SQLITE_CANTOPEN},
                             {Step::open, 1, true, SQLITE_CANTOPEN},
                             {Step::truncate, 1, false, SQLITE_IOERR_TRUNCATE},
                             {Step::truncate, 1, true, SQLITE_IOERR_TRUNCATE}};
  for (const FaultPlan& plan : plans) {
    Promised promised;
    int strikes = strike(
        plan, 1,
        [&](const FaultVfs&) {
          remove_database(path);
          fs::copy_file(original, path);
          promised = {};
          // A file that can't even be opened ends the life before it begins.
          const bool opened = !refused([&] { live(path, promised); });
          if (opened && !plan.from_then_on) CHECK(promised.all);
        },
        [&] { check_promises(path, promised); });
    CAPTURE(step_text(plan.step));
    if (plan.step == Step::write) CHECK(strikes > 30);
    if (plan.step == Step::sync) CHECK(strikes > 5);
    if (plan.step == Step::open) CHECK(strikes > 1);
  }
}

TEST_CASE("a database that was cut off in its making is made at the next start") {
  TempDir dir;
  const std::string path = dir / "db";
  for (const Step step : {Step::write, Step::sync, Step::open}) {
    const int strikes = strike(
        {step, 1, true, SQLITE_IOERR}, step == Step::write ? 11 : 1,
        [&](const FaultVfs&) {
          remove_database(path);
          static_cast<void>(refused([&] { const Store store(path); }));
        },
        [&] {
          Store store(path);
          CHECK(store.sweeps().create(sweep_named("first")).id == 1);
        });
    CHECK(strikes > 1);
  }
}

TEST_CASE("an upgrade that is cut off leaves the old tables or the new ones, with all in them") {
  TempDir dir;
  const std::string path = dir / "db";
  const std::string old = std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/store_v3.sqlite3";
  for (const Step step : {Step::write, Step::sync}) {
    const int strikes = strike(
        {step, 1, true, SQLITE_FULL}, step == Step::write ? 17 : 1,
        [&](const FaultVfs&) {
          remove_database(path);
          fs::copy_file(old, path);
          static_cast<void>(refused([&] { const Store store(path); }));
        },
        [&] {
          Store store(path);
          CHECK(store.sweeps().find(1)->spec.label == "version 3");
          CHECK(store.runs().of_sweep(1).size() == 3);
        });
    CHECK(strikes > 1);
  }
}
