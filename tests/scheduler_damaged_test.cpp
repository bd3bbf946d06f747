// A database that is damaged or taken away: nothing is measured that couldn't be kept, and with the
// database whole again everything goes on.
#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "tests/scheduler_workshop.h"

namespace iobenchd::scheduler {
namespace {

using namespace fakes;
namespace fs = std::filesystem;

ErrorCode refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  FAIL("it was taken");
  return ErrorCode::internal;
}

TEST_CASE("with a damaged database the daemon starts, serves, and measures nothing") {
  Workshop workshop;
  std::atomic<int> engines = 0;
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    ++engines;
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.final(100, 1'000'000);
  };
  std::int64_t id = 0;
  {
    storage::Store store(workshop.database());
    Sweep sweep;
    sweep.spec = grid_on("/dev/sda", {1, 2});
    sweep.plan.target = "/dev/sda";
    id = store.sweeps().create(sweep).id;
  }
  fs::copy_file(workshop.database(), workshop.path() + "/whole");
  fs::resize_file(workshop.database(), fs::file_size(workshop.database()) - 4096);
  {
    Life life(workshop);
    CHECK_FALSE(life.store.damage().empty());
    CHECK(refusal_of([&] { static_cast<void>(life.scheduler.submit(grid_on("/dev/sdb", {1}))); }) ==
          ErrorCode::unavailable);
    std::this_thread::sleep_for(milliseconds(100));
    CHECK(engines == 0);
    CHECK(life.store.sweeps().find(id)->state == SweepState::queued);
  }
  fs::rename(workshop.path() + "/whole", workshop.database());
  Life life(workshop);
  CHECK(life.wait_for_end(id).state == SweepState::done);
  CHECK(engines > 0);
}

TEST_CASE("a database that is taken away under a run ends the measuring, and its sweep goes on") {
  Workshop workshop;
  const std::string elsewhere = workshop.path() + "/elsewhere";
  std::atomic<int> engines = 0;
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    if (++engines == 2) fs::rename(workshop.database(), elsewhere);
    end.tick(Phase::measure, 100 * end.load.numjobs, 1'000'000, end.load.runtime_ns);
    end.final(100 * end.load.numjobs, 1'000'000);
  };
  std::int64_t id = 0;
  {
    Life life(workshop);
    id = life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3})).id;
    REQUIRE(wait_until([&] { return !life.store.damage().empty(); }));
    REQUIRE(wait_until([&] { return life.scheduler.running() == 0; }));
    CHECK(engines == 2);
    CHECK(refusal_of([&] { static_cast<void>(life.scheduler.submit(grid_on("/dev/sdb", {1}))); }) ==
          ErrorCode::unavailable);
  }
  fs::rename(elsewhere, workshop.database());
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(id);
  CHECK(sweep.state == SweepState::done);
  CHECK(life.runs_in(id, RunState::interrupted) == 1);
  CHECK(life.runs_in(id, RunState::done) == 4);
}

}  // namespace
}  // namespace iobenchd::scheduler
