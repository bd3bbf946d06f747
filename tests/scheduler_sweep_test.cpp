// Whole sweeps on a real store, with engines and disks made of threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "daemon/analysis/analysis.h"
#include "tests/scheduler_workshop.h"

namespace iobenchd::scheduler {
namespace {

using namespace fakes;

TEST_CASE("a good sweep: every run stored with its histogram, then told, then the answer") {
  Workshop workshop;
  // 1000 IOPS a job up to four jobs, no more beyond.
  workshop.host.script = fakes::disk_of([](std::uint32_t n) { return 1000.0 * std::min(n, 4U); });
  Life life(workshop);
  const auto listener = life.hub.subscribe(0, 0);
  const Sweep queued = life.scheduler.submit(grid_on("/dev/sda", {1, 2, 4, 8, 16}));
  CHECK(queued.state == SweepState::queued);
  CHECK(queued.plan.runs == 6);
  const Sweep sweep = life.wait_for_end(queued.id);
  CHECK(sweep.state == SweepState::done);
  CHECK(sweep.error == "");
  CHECK(sweep.runs_done == 6);
  CHECK(sweep.runs_failed == 0);
  CHECK(sweep.answer.find("4 jobs") != std::string::npos);
  const auto runs = life.store.runs().of_sweep(sweep.id);
  REQUIRE(runs.size() == 6);
  CHECK(runs[2].setting.numjobs == 4);
  CHECK(runs[2].measurement.read.ios == 400);  // 4000 a second for 100 ms
  CHECK(runs[2].measurement.read.latency.count == 400);
  CHECK(runs[2].measurement.samples.size() == 1);
  CHECK(runs[2].circumstances.serial == "S1");
  CHECK(runs[5].is_drift_check);

  std::vector<SweepState> states;
  int told_runs = 0;
  Event event;
  while (states.size() < 3 && listener->next(event, milliseconds(2000)) == events::Next::event) {
    if (event.kind == EventKind::state) states.push_back(event.state);
    if (event.kind != EventKind::run) continue;
    ++told_runs;
    CHECK(life.store.runs().find(event.run.run_id)->state == RunState::done);
  }
  CHECK(told_runs == 6);
  CHECK(states == std::vector{SweepState::queued, SweepState::running, SweepState::done});
}

TEST_CASE("every run has a seed of its own, which every reader of JSON keeps exactly") {
  Workshop workshop;
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1, 2, 4})).id);
  std::set<std::uint64_t> seeds;
  for (const Run& run : life.store.runs().of_sweep(sweep.id)) {
    CHECK(run.seed < (std::uint64_t{1} << 53));
    seeds.insert(run.seed);
  }
  CHECK(seeds.size() == 4);  // three points, and the first of them again
}

TEST_CASE("auto on a simulated disk that saturates finds the sweet spot of its law") {
  Workshop workshop;
  workshop.host.script = fakes::disk_of([](std::uint32_t n) {
    const double jobs = n;
    return 20'000 * jobs / (1 + 0.1 * (jobs - 1) + 0.005 * jobs * (jobs - 1));
  });
  Life life(workshop);
  SweepSpec spec = grid_on("", {});
  spec.numjobs_auto = true;
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(spec).id);
  CHECK(sweep.state == SweepState::done);
  // X^3/n, relative: 6 jobs .970, 7 jobs 1, 8 jobs .997; 5 and 9 are below .95.
  CHECK(sweep.answer.find("6 to 8 jobs.") == 0);
  CHECK(life.runs_in(sweep.id, RunState::done) <= 15);
}

TEST_CASE("one failed run fails its point, the sweep goes on") {
  Workshop workshop;
  workshop.host.script = [](EngineEnd& end, const OpenRun&) {
    if (fakes::prepares(end)) return;
    if (end.load.numjobs == 2) return end.failure(Phase::measure, EIO, "read", 4096);
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.final(100, 1'000'000);
  };
  Life life(workshop);
  const Sweep sweep =
      life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3, 4})).id);
  CHECK(sweep.state == SweepState::done);
  CHECK(sweep.runs_failed == 1);
  CHECK(life.runs_in(sweep.id, RunState::done) == 4);
  const auto runs = life.store.runs().of_sweep(sweep.id);
  CHECK(runs[1].error == "read failed at offset 4096 (job 0): Input/output error");
}

TEST_CASE("two failures in a row fail the sweep, and the rest is not tried") {
  Workshop workshop;
  workshop.host.script = [](EngineEnd& end, const OpenRun&) {
    if (!fakes::prepares(end)) end.failure(Phase::measure, EIO, "read", 0);
  };
  Life life(workshop);
  const Sweep sweep =
      life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3, 4})).id);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.runs_failed == 2);
  CHECK(sweep.error.find("two runs in a row failed: read failed") == 0);
}

TEST_CASE("a disk that is gone fails its sweep at the first run") {
  Workshop workshop;
  workshop.host.script = [](EngineEnd& end, const OpenRun&) {
    if (!fakes::prepares(end)) end.failure(Phase::measure, ENXIO, "read", 0);
  };
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3})).id);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.runs_failed == 1);
}

TEST_CASE("a disk is gone, whatever its last I/O said, when it can no longer be found") {
  Workshop workshop;
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    if (fakes::prepares(end)) return;
    workshop.host.facts.erase("/dev/sda");
    end.failure(Phase::measure, EIO, "read", 4096);
  };
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3})).id);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.runs_failed == 1);
  CHECK(sweep.error == "/dev/sda is gone: read failed at offset 4096 (job 0): Input/output error");
}

TEST_CASE("a hung engine fails run and sweep; its disk is stuck until it is reaped") {
  Workshop workshop;
  std::atomic<bool> over = false;
  workshop.host.killable = false;
  workshop.timing.deadlines.setup = workshop.timing.deadlines.silence = milliseconds(300);
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    if (fakes::prepares(end)) return;
    while (!over) std::this_thread::sleep_for(milliseconds(2));
  };
  Life life(workshop);
  const Sweep hung = life.scheduler.submit(grid_on("/dev/sda", {1, 2}));
  const Sweep waits = life.scheduler.submit(grid_on("/dev/sda", {1}));
  const Sweep ended = life.wait_for_end(hung.id);
  CHECK(ended.state == SweepState::failed);
  CHECK(ended.error.find("hung") == 0);
  const auto stuck = [&] {
    for (const TargetView& view : life.scheduler.targets())
      if (text_of(view.facts.path) == "/dev/sda") return view.state == TargetState::stuck;
    return false;
  };
  CHECK(wait_until(stuck));
  std::this_thread::sleep_for(milliseconds(100));
  CHECK(life.scheduler.position(waits.id) == 1U);
  over = true;  // the disk answers at last, and the kernel lets the engine die
  {
    const auto life_of_engine = workshop.host.last_life();
    const std::lock_guard lock(life_of_engine->mutex);
    life_of_engine->killed = false;
  }
  CHECK(wait_until([&] { return life.store.sweeps().find(waits.id)->finished_at_ns != 0; }));
  CHECK_FALSE(stuck());
}

TEST_CASE("cancel ends a running sweep in under a second; twice is a conflict") {
  Workshop workshop;
  workshop.host.script = [](EngineEnd& end, const OpenRun&) {
    if (!fakes::prepares(end)) work_on(end);
  };
  Life life(workshop);
  SweepSpec spec = grid_on("", {1});
  spec.runtime_ns = 60'000'000'000;
  const Sweep sweep = life.scheduler.submit(spec);
  const auto measuring = [&] {
    const auto progress = life.scheduler.progress(sweep.id);
    return progress && progress->phase == SweepPhase::measure;
  };
  REQUIRE(wait_until(measuring));
  const auto begin = Clock::now();
  life.scheduler.cancel(sweep.id);
  const Sweep ended = life.wait_for_end(sweep.id);
  CHECK(Clock::now() - begin < milliseconds(1000));
  CHECK(ended.state == SweepState::cancelled);
  CHECK(life.runs_in(sweep.id, RunState::cancelled) == 1);
  try {
    life.scheduler.cancel(sweep.id);
    FAIL("cancelled twice");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::conflict);
  }
  try {
    life.scheduler.cancel(4711);
    FAIL("cancelled nothing");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::not_found);
  }
}

TEST_CASE("a cancelled run keeps what it had measured, and makes no point of it") {
  Workshop workshop;
  workshop.timing.deadlines.stop_grace = milliseconds(10'000);
  workshop.host.script = [](EngineEnd& end, const OpenRun&) {
    if (fakes::prepares(end)) return;
    end.tick(Phase::measure, 100, 1'000'000, tick_ns);
    end.stopped_within(milliseconds(10'000));
    end.final(100, 1'000'000);
  };
  Life life(workshop);
  const Sweep sweep = life.scheduler.submit(grid_on("/dev/sda", {1}));
  REQUIRE(wait_until([&] {
    const auto progress = life.scheduler.progress(sweep.id);
    return progress && progress->phase == SweepPhase::measure;
  }));
  life.scheduler.cancel(sweep.id);
  CHECK(life.wait_for_end(sweep.id).state == SweepState::cancelled);
  const auto runs = life.store.runs().of_sweep(sweep.id);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].state == RunState::cancelled);
  CHECK(runs[0].measurement.measured_ns == 100'000'000);
  CHECK(runs[0].measurement.read.ios == 100);
  CHECK(analysis::analyse(sweep.spec, runs).points.empty());
}

TEST_CASE("the queue has an end: with queue_limit 1 the third sweep is one too many") {
  Workshop workshop;
  workshop.settings.queue_limit = 1;
  workshop.host.script = [](EngineEnd& end, const OpenRun&) {
    if (!fakes::prepares(end)) work_on(end);
  };
  Life life(workshop);
  SweepSpec spec = grid_on("/dev/sda", {1});
  spec.runtime_ns = 60'000'000'000;
  const Sweep first = life.scheduler.submit(spec);
  REQUIRE(wait_until([&] { return life.scheduler.queued() == 0; }));
  const Sweep second = life.scheduler.submit(spec);
  CHECK(life.scheduler.position(second.id) == 1U);
  CHECK_THROWS_AS(static_cast<void>(life.scheduler.submit(spec)), Error);
  life.scheduler.cancel(second.id);
  CHECK(life.store.sweeps().find(second.id)->state == SweepState::cancelled);
  CHECK(life.scheduler.queued() == 0);
  life.scheduler.cancel(first.id);
  life.wait_for_end(first.id);
}

TEST_CASE("two sweeps on one disk never overlap; two disks work side by side") {
  for (const bool same_disk : {true, false}) {
    Workshop workshop;
    workshop.settings.workers = 2;
    if (same_disk) workshop.host.facts["/dev/sdb"] = fakes::disk_facts("/dev/sdb", "sda");
    workshop.host.script = [](EngineEnd& end, const OpenRun&) {
      if (fakes::prepares(end)) return;
      std::this_thread::sleep_for(milliseconds(50));
      end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
      end.final(100, 1'000'000);
    };
    Life life(workshop);
    const Sweep one = life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3, 4}));
    const Sweep other = life.scheduler.submit(grid_on("/dev/sdb", {1, 2, 3, 4}));
    CHECK(life.wait_for_end(one.id).state == SweepState::done);
    CHECK(life.wait_for_end(other.id).state == SweepState::done);
    CHECK(workshop.host.most_alive == (same_disk ? 1 : 2));
  }
}

TEST_CASE("targets: what is a disk, what is the scratch directory, and who shares what") {
  Workshop workshop;
  workshop.host.facts["/dev/sdb"] = fakes::disk_facts("/dev/sdb", "leaf0");
  Life life(workshop);
  const auto views = life.scheduler.targets();
  REQUIRE(views.size() == 3);
  CHECK(views[0].scratch);
  CHECK(views[0].may_write);
  CHECK(views[0].shares_device_with == std::vector<std::string>{"/dev/sdb"});
  CHECK(views[1].allowed);
  CHECK_FALSE(views[1].may_write);
  CHECK(views[1].state == TargetState::free);
}

TEST_CASE("stopping twice is stopping once, and nothing is accepted afterwards") {
  Workshop workshop;
  Life life(workshop);
  life.scheduler.stop();
  life.scheduler.stop();
  CHECK_THROWS_AS(static_cast<void>(life.scheduler.submit(grid_on("/dev/sda", {1}))), Error);
}

}  // namespace
}  // namespace iobenchd::scheduler
