// What survives the end of a daemon: sweeps, runs and test files over two lives.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <memory>

#include "daemon/scheduler/scratch.h"
#include "tests/scheduler_workshop.h"

namespace iobenchd::scheduler {
namespace {

using namespace fakes;

TEST_CASE("a stopped daemon's sweep goes on at the next start, and measures nothing twice") {
  Workshop workshop;
  std::atomic<int> measured = 0;
  std::atomic<bool> blocks = true;
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    if (fakes::prepares(end)) return;
    if (blocks && end.load.numjobs == 3) return work_on(end);
    ++measured;
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.final(100, 1'000'000);
  };
  std::int64_t id = 0;
  {
    Life life(workshop);
    SweepSpec spec = grid_on("/dev/sda", {1, 2, 3, 4});
    spec.runtime_ns = 5'000'000'000;
    id = life.scheduler.submit(spec).id;
    REQUIRE(wait_until([&] {
      const auto progress = life.scheduler.progress(id);
      return progress && progress->current.numjobs == 3 && progress->iops > 0;
    }));
    const auto begin = Clock::now();
    life.scheduler.stop();
    CHECK(Clock::now() - begin < milliseconds(1000));
    CHECK(life.store.sweeps().find(id)->state == SweepState::queued);
    CHECK(life.runs_in(id, RunState::interrupted) == 1);
  }
  CHECK(measured == 2);
  blocks = false;
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(id);
  CHECK(sweep.state == SweepState::done);
  CHECK(measured == 5);  // 3, 4 and the drift check came on top
  CHECK(life.runs_in(id, RunState::done) == 5);
  CHECK(sweep.runs_failed == 0);
}

// One life that is stopped at three jobs, and a second one that may or may not have io_uring.
Sweep over_a_restart(Workshop& workshop, bool uring_at_first, bool uring_later) {
  const auto has_uring = std::make_shared<std::atomic<bool>>(uring_at_first);
  std::atomic<bool> blocks = true;
  workshop.machine.io_uring = [](std::string&) { return true; };
  workshop.host.script = [&blocks, has_uring](EngineEnd& end, const OpenRun&) {
    const bool uring = end.load.ioengine == IoEngine::io_uring;
    if (uring && !*has_uring) return end.failure(Phase::starting, EPERM, "io_uring_setup", 0);
    if (fakes::prepares(end)) return;
    if (blocks && end.load.numjobs == 3) return work_on(end);
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.final(100, 1'000'000);
  };
  std::int64_t id = 0;
  {
    Life life(workshop);
    SweepSpec spec = grid_on("/dev/sda", {1, 2, 3, 4});
    spec.iodepth = {8};
    id = life.scheduler.submit(spec).id;
    REQUIRE(wait_until([&] {
      const auto progress = life.scheduler.progress(id);
      return progress && progress->current.numjobs == 3 && progress->iops > 0;
    }));
    life.scheduler.stop();
  }
  blocks = false;
  *has_uring = uring_later;
  workshop.machine.io_uring = [uring_later](std::string& why) {
    if (!uring_later) why = "the kernel says no";
    return uring_later;
  };
  Life life(workshop);
  return life.wait_for_end(id);
}

TEST_CASE("a sweep that fell back to threads stays with threads over a restart") {
  for (const bool uring_later : {false, true}) {
    Workshop workshop;
    const Sweep sweep = over_a_restart(workshop, false, uring_later);
    CHECK(sweep.state == SweepState::done);
    CHECK(sweep.error == "");
    CHECK(sweep.plan.ioengine == "threads");
    CHECK(sweep.runs_failed == 0);
    storage::Store store(workshop.database());
    for (const Run& run : store.runs().of_sweep(sweep.id))
      CHECK(run.measurement.ioengine == IoEngine::threads);
  }
}

TEST_CASE("a sweep begun with io_uring isn't ended with another engine") {
  Workshop workshop;
  const Sweep sweep = over_a_restart(workshop, true, false);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.error ==
        "its runs before the restart were measured with io_uring, which can't be had any more "
        "(the kernel says no): a curve is of one engine, so post the sweep again");
  CHECK(sweep.runs_done == 2);  // what was measured stands
}

// What a kill -9 leaves: a sweep and a run that say they are running.
std::int64_t torn_away(Workshop& workshop, SweepSpec spec, std::uint32_t numjobs, int times) {
  storage::Store store(workshop.database());
  Sweep sweep;
  sweep.spec = std::move(spec);
  sweep = store.sweeps().create(std::move(sweep));
  store.sweeps().set_started(sweep.id);
  for (int i = 0; i < times; ++i) {
    Run run;
    run.sweep_id = sweep.id;
    run.setting.numjobs = numjobs;
    static_cast<void>(store.runs().begin(run));
  }
  return sweep.id;
}

TEST_CASE("a point torn away once is measured again; torn away twice it fails") {
  for (const int times : {1, 2}) {
    Workshop workshop;
    const std::int64_t id = torn_away(workshop, grid_on("/dev/sda", {1, 2}), 2, times);
    Life life(workshop);
    const Sweep sweep = life.wait_for_end(id);
    CHECK(sweep.state == SweepState::done);
    CHECK(sweep.runs_failed == (times == 2 ? 1 : 0));
    CHECK(life.runs_in(id, RunState::interrupted) == static_cast<std::size_t>(times));
    CHECK(life.runs_in(id, RunState::done) == (times == 2 ? 1 : 3));
  }
}

TEST_CASE("on_restart: fail is honoured") {
  Workshop workshop;
  SweepSpec spec = grid_on("/dev/sda", {1});
  spec.on_restart = OnRestart::fail;
  const std::int64_t id = torn_away(workshop, spec, 1, 1);
  Life life(workshop);
  CHECK(life.store.sweeps().find(id)->state == SweepState::failed);
  CHECK(workshop.host.opened == 0);
}

TEST_CASE("test files: made by the layout, gone after the sweep, leftovers gone at the start") {
  Workshop workshop;
  const std::string leftover = workshop.path() + "/iobenchd-0190-old.0";
  std::ofstream(leftover) << "x";
  std::atomic<bool> created = false;
  workshop.host.on_open = [&](const OpenRun& request) {
    if (request.create == 0) return;
    created = true;
    CHECK(request.scratch == 1);
    std::ofstream(workshop.path() + "/" + text_of(request.name) + ".0") << "x";
  };
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(grid_on("", {1, 2})).id);
  CHECK(sweep.state == SweepState::done);
  CHECK(created);
  CHECK(scratch_uuids(workshop.path()).empty());
}

TEST_CASE("keep_file keeps the file, over a restart too") {
  Workshop workshop;
  workshop.host.on_open = [&](const OpenRun& request) {
    if (request.create != 0)
      std::ofstream(workshop.path() + "/" + text_of(request.name) + ".0") << "x";
  };
  SweepSpec spec = grid_on("", {1});
  spec.keep_file = true;
  std::string uuid;
  for (int life_number = 0; life_number < 2; ++life_number) {
    Life life(workshop);
    const Sweep sweep = life.wait_for_end(life.scheduler.submit(spec).id);
    if (life_number == 0) uuid = sweep.uuid;
    const auto uuids = scratch_uuids(workshop.path());
    CHECK(std::find(uuids.begin(), uuids.end(), uuid) != uuids.end());
  }
}

TEST_CASE("a target that changed since it was queued fails its sweep with the reason") {
  Workshop workshop;
  workshop.settings.targets[0].read_in_use = 0;
  std::int64_t id = torn_away(workshop, grid_on("/dev/sda", {1}), 1, 0);
  workshop.host.facts["/dev/sda"].in_use = 1;
  set_text(workshop.host.facts["/dev/sda"].use, "mounted on /home");
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(id);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.error.find("mounted on /home") != std::string::npos);
}

TargetState state_of(Life& life, const std::string& path) {
  for (const TargetView& view : life.scheduler.targets())
    if (text_of(view.facts.path) == path) return view.state;
  FAIL("no such target: ", path);
  return TargetState::free;
}

TEST_CASE("a disk that an engine of an earlier life holds is stuck, and its sweeps wait") {
  Workshop workshop;
  const int engine =
      open((workshop.path() + "/lease-sda").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(flock(engine, LOCK_EX | LOCK_NB) == 0);
  Life life(workshop);
  const std::int64_t waiting = life.scheduler.submit(grid_on("/dev/sda", {1})).id;
  const std::int64_t other = life.scheduler.submit(grid_on("/dev/sdb", {1})).id;
  CHECK(life.wait_for_end(other).state == SweepState::done);
  CHECK(life.scheduler.position(waiting) == 1);
  CHECK(life.scheduler.progress(waiting)->waits_for ==
        "the disk is stuck: an engine from before the daemon's last start doesn't end");
  CHECK(state_of(life, "/dev/sda") == TargetState::stuck);
  CHECK(state_of(life, "/dev/sdb") == TargetState::free);
  close(engine);
  CHECK(life.wait_for_end(waiting).state == SweepState::done);
  CHECK(state_of(life, "/dev/sda") == TargetState::free);
}

}  // namespace
}  // namespace iobenchd::scheduler
