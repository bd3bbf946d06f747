// Schedules in the store: nothing is lost on the way there and back.
#include <doctest/doctest.h>

#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

SweepSchedule filled() {
  SweepSchedule schedule;
  schedule.label = "nightly";
  schedule.when.daily_minute = 210;
  schedule.when.jitter_ns = 5;
  schedule.max_load = 1.5;
  schedule.spec.label = "of the sweep";
  schedule.spec.target = "/dev/sd1c";
  schedule.spec.numjobs_auto = false;
  schedule.spec.numjobs = {1, 8};
  schedule.spec.workload.rwmixread = 70;
  schedule.spec.yield_to_other_io = true;
  schedule.spec.latency_limit = LatencyLimit{Statistic::p99, 2'000'000};
  schedule.anchor_ns = 1;
  schedule.due_at_ns = 2;
  schedule.next_at_ns = 3;
  schedule.last_at_ns = 4;
  schedule.last_sweep_id = 5;
  schedule.last_outcome = LastOutcome::refused;
  schedule.last_error = "why";
  schedule.missed = 6;
  schedule.judged_after_id = 7;
  schedule.regression = Regression{8, 9, "worse"};
  return schedule;
}

void check_same(const SweepSchedule& a, const SweepSchedule& b) {
  CHECK(a.id == b.id);
  CHECK(a.label == b.label);
  CHECK(a.when == b.when);
  CHECK(a.max_load == b.max_load);
  CHECK(a.paused == b.paused);
  CHECK(a.spec == b.spec);
  CHECK(a.seed == b.seed);
  CHECK(a.created_at_ns == b.created_at_ns);
  CHECK(a.anchor_ns == b.anchor_ns);
  CHECK(a.due_at_ns == b.due_at_ns);
  CHECK(a.next_at_ns == b.next_at_ns);
  CHECK(a.last_at_ns == b.last_at_ns);
  CHECK(a.last_sweep_id == b.last_sweep_id);
  CHECK(a.last_outcome == b.last_outcome);
  CHECK(a.last_error == b.last_error);
  CHECK(a.missed == b.missed);
  CHECK(a.judged_after_id == b.judged_after_id);
  CHECK(a.regression == b.regression);
}

}  // namespace

TEST_CASE("a schedule comes back as it was stored, after each change and after a restart") {
  TempDir dir;
  Clock clock;
  SweepSchedule schedule;
  {
    Store store(dir / "db", clock.function());
    schedule = store.schedules().create(filled());
    CHECK(schedule.id == 1);
    CHECK(schedule.created_at_ns == clock.now_ns);
    check_same(store.schedules().list().at(0), schedule);
    schedule.when = Recurrence{};
    schedule.when.every_ns = 86'400'000'000'000;
    schedule.max_load.reset();
    schedule.regression.reset();
    schedule.paused = true;
    schedule.spec = SweepSpec{};
    store.schedules().change(schedule);
  }
  Store store(dir / "db", clock.function());
  check_same(store.schedules().list().at(0), schedule);
}

TEST_CASE("schedules are listed newest first; numbers of deleted ones are not used again") {
  TempDir dir;
  Store store(dir / "db");
  static_cast<void>(store.schedules().create(filled()));
  const SweepSchedule second = store.schedules().create(filled());
  CHECK(store.schedules().list().at(0).id == 2);
  store.schedules().remove(2);
  CHECK(store.schedules().create(filled()).id == 3);
  CHECK(store.schedules().list().size() == 2);
  CHECK(code_of([&] { store.schedules().remove(2); }) == ErrorCode::not_found);
  CHECK(code_of([&] { store.schedules().change(second); }) == ErrorCode::not_found);
}

TEST_CASE("sweeps are found by the schedule that made them, after it is gone, too") {
  TempDir dir;
  Store store(dir / "db");
  const std::int64_t id = store.schedules().create(filled()).id;
  Sweep sweep = sweep_named("scheduled");
  sweep.schedule_id = id;
  const Sweep made = store.sweeps().create(sweep);
  CHECK(store.sweeps().create(sweep_named("by hand")).schedule_id == 0);
  store.schedules().remove(id);
  SweepFilter filter;
  filter.schedule_id = id;
  const auto found = store.sweeps().list(filter, 0, 10).items;
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == made.id);
  CHECK(found[0].schedule_id == id);
}
