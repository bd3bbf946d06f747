#include <doctest/doctest.h>

#include "daemon/model/error.h"
#include "tests/scheduler_workshop.h"

using namespace iobenchd;
using namespace iobenchd::scheduler;
using namespace iobenchd::scheduler::fakes;

TEST_CASE("a day of sweeps may write so much to one target, and the refusal says what is left") {
  Workshop workshop;
  Life life(workshop);
  SweepSpec spec = grid_on("", {1});
  spec.size_bytes = 3 << 20;
  CHECK(life.scheduler.plan(spec).write_bytes == 3 << 20);
  Sweep earlier;
  earlier.spec = spec;
  earlier.plan = life.scheduler.plan(spec);
  earlier = life.store.sweeps().create(earlier);
  life.store.sweeps().set_started(earlier.id);

  Settings settings = workshop.settings;
  settings.write_budget_bytes = 6 << 20;
  life.scheduler.reload(settings);
  CHECK(life.scheduler.plan(spec).write_bytes == 3 << 20);  // 3 of 6 are spent, 3 are left
  settings.write_budget_bytes = 5 << 20;
  life.scheduler.reload(settings);
  try {
    static_cast<void>(life.scheduler.plan(spec));
    FAIL("5 MiB a day do not hold two sweeps of 3 MiB");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::confirmation_needed);
    CHECK(error.fields().at(0).message.find("2097152 of its write_budget") != std::string::npos);
  }
  life.store.sweeps().finish(earlier.id, SweepState::cancelled, "", "");
}

TEST_CASE("what was written today counts after a restart, too") {
  Workshop workshop;
  workshop.settings.write_budget_bytes = 5 << 20;
  SweepSpec spec = grid_on("", {1});
  spec.size_bytes = 3 << 20;
  {
    Life life(workshop);
    CHECK(life.wait_for_end(life.scheduler.submit(spec).id).state == SweepState::done);
  }
  Life life(workshop);
  CHECK_THROWS_WITH_AS(static_cast<void>(life.scheduler.submit(spec)),
                       doctest::Contains("2097152 of its write_budget"), Error);
}

TEST_CASE("a sweep that was cancelled before it began has written nothing") {
  Workshop workshop;
  Life life(workshop);
  Sweep sweep;
  sweep.spec = grid_on("", {1});
  sweep.plan.target = "/dev/sdx";
  sweep.plan.write_bytes = 7;
  sweep = life.store.sweeps().create(sweep);
  CHECK(life.store.sweeps().planned_writes("/dev/sdx", 0) == 7);
  CHECK(life.store.sweeps().planned_writes("/dev/sdy", 0) == 0);
  life.store.sweeps().finish(sweep.id, SweepState::cancelled, "", "");
  CHECK(life.store.sweeps().planned_writes("/dev/sdx", 0) == 0);
}
