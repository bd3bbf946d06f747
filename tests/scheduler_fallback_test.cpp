// From io_uring to another engine: when `auto` may, and what then is judged anew.
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>

#include "tests/scheduler_workshop.h"

namespace iobenchd::scheduler {
namespace {

using namespace fakes;

// The trial of io_uring ends with this failure of an engine that has just begun; all else is well.
void fail_trials(Workshop& workshop, const char* operation, int error_number) {
  workshop.machine.io_uring = [](std::string&) { return true; };
  workshop.host.script = [=](EngineEnd& end, const OpenRun&) {
    if (end.load.task == Task::trial)
      return end.failure(Phase::starting, error_number, operation, 0);
    if (prepares(end)) return;
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.final(100, 1'000'000);
  };
}

TEST_CASE("auto falls back where io_uring itself can't be had") {
  for (const char* operation : {"io_uring_setup", "io_uring_register"}) {
    Workshop workshop;
    fail_trials(workshop, operation, EPERM);
    Life life(workshop);
    const Sweep sweep = life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1, 2})).id);
    CHECK(sweep.state == SweepState::done);
    CHECK(sweep.plan.ioengine == "psync");
    for (const Run& run : life.store.runs().of_sweep(sweep.id))
      CHECK(run.measurement.ioengine == IoEngine::psync);
  }
}

TEST_CASE("a busy disk, short memory or a missing CPU never change the engine of a sweep") {
  struct Case {
    const char* operation;
    int error_number;
  };
  for (const Case& one : {Case{"open", EBUSY}, {"mmap", ENOMEM}, {"cpus_allowed", EINVAL}}) {
    CAPTURE(one.operation);
    Workshop workshop;
    fail_trials(workshop, one.operation, one.error_number);
    Life life(workshop);
    const Sweep sweep = life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1, 2})).id);
    CHECK(sweep.state == SweepState::failed);
    CHECK(sweep.error.find(one.operation) == 0);
    CHECK(sweep.plan.ioengine == "io_uring");
    CHECK(sweep.runs_done == 0);
  }
}

TEST_CASE("who asks for io_uring by name gets no other engine") {
  Workshop workshop;
  fail_trials(workshop, "io_uring_setup", EPERM);
  Life life(workshop);
  SweepSpec spec = grid_on("/dev/sda", {1});
  spec.ioengine = IoEngine::io_uring;
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(spec).id);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.error == "io_uring_setup failed: Operation not permitted");
}

TEST_CASE("a grid that only io_uring could hold fails with the figures when it falls back late") {
  Workshop workshop;
  fail_trials(workshop, "io_uring_setup", EPERM);
  Life life(workshop);
  SweepSpec spec = grid_on("/dev/sda", {1, 128});  // 128 x 64 would be 8192 threads
  spec.iodepth = {64};
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(spec).id);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.error ==
        "numjobs: without io_uring (io_uring_setup failed: Operation not permitted) depth takes "
        "threads, and numjobs x iodepth is at most 4096: at depth 64 at most 64 jobs");
  CHECK(sweep.runs_done == 0);
}

TEST_CASE("auto stops at the jobs that threads can hold when it falls back late") {
  Workshop workshop;
  fail_trials(workshop, "io_uring_setup", EPERM);
  std::atomic<std::uint32_t> most_jobs = 0, layouts = 0, last_files = 0;
  const Script rest = workshop.host.script;
  workshop.host.script = [&, rest](EngineEnd& end, const OpenRun& request) {
    if (end.load.task == Task::layout) {
      ++layouts;
      last_files = end.load.files;
    }
    if (end.load.task != Task::measure) return rest(end, request);
    most_jobs = std::max<std::uint32_t>(most_jobs, end.load.numjobs);
    const std::uint64_t ios = 100ULL * end.load.numjobs;  // grows for ever
    end.tick(Phase::measure, ios, 1'000'000, end.load.runtime_ns);
    end.final(ios, 1'000'000);
  };
  Life life(workshop);
  SweepSpec spec = grid_on("", {});
  spec.numjobs_auto = true;
  spec.iodepth = {64};
  spec.layout = Layout::per_job;
  spec.size_bytes = 1 << 30;
  const Sweep queued = life.scheduler.submit(spec);
  CHECK(queued.plan.settings.back().numjobs == 128);
  const Sweep sweep = life.wait_for_end(queued.id);
  CHECK(sweep.state == SweepState::done);
  CHECK(sweep.error == "");
  CHECK(sweep.plan.ioengine == "threads");
  CHECK(sweep.plan.settings.back().numjobs == 64);
  CHECK(most_jobs == 64);
  CHECK(layouts == 2);  // 128 files became 64 of twice the size
  CHECK(last_files == 64);
}

}  // namespace
}  // namespace iobenchd::scheduler
