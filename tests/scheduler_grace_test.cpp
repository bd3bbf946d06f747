// Before the first write to a device: time to think better of it, and the disk that was confirmed.
#include <doctest/doctest.h>

#include <atomic>

#include "daemon/model/target.h"
#include "tests/scheduler_workshop.h"

using namespace iobenchd;
using namespace iobenchd::scheduler;
using namespace iobenchd::scheduler::fakes;

namespace {

constexpr milliseconds for_ever{600'000};

SweepSpec overwriting(const std::string& confirm = "destroy Test Disk S1 1.1 GB") {
  SweepSpec spec = grid_on("/dev/sda", {1});
  spec.rw = {Rw::randwrite};
  spec.confirm = confirm;
  return spec;
}

struct Bench {
  Bench() { workshop.settings.targets[0].write = 1; }
  Workshop workshop;

  static bool in_grace(Life& life, std::int64_t id) {
    return wait_until([&] {
      const auto progress = life.scheduler.progress(id);
      return progress && progress->phase == SweepPhase::grace;
    });
  }
};

}  // namespace

TEST_CASE("a cancel in the grace time comes before the first write, and nothing is opened") {
  Bench bench;
  bench.workshop.timing.grace = for_ever;
  Life life(bench.workshop);
  const Sweep sweep = life.scheduler.submit(overwriting());
  REQUIRE(Bench::in_grace(life, sweep.id));
  CHECK(life.scheduler.progress(sweep.id)->eta_s > 500);
  life.scheduler.cancel(sweep.id);
  CHECK(life.wait_for_end(sweep.id).state == SweepState::cancelled);
  CHECK(bench.workshop.host.opened == 0);
}

TEST_CASE("the grace time passes once, before the first engine, and then all points are measured") {
  Bench bench;
  bench.workshop.timing.grace = milliseconds(80);
  std::atomic<std::int64_t> first_open_ns = 0;
  bench.workshop.host.on_open = [&](const OpenRun& request) {
    CHECK(request.write == 1);
    CHECK(text_of(request.confirm) == "destroy Test Disk S1 1.1 GB");
    CHECK(request.expected_bytes == std::uint64_t{1} << 30);
    std::int64_t none = 0;
    first_open_ns.compare_exchange_strong(none, Clock::now().time_since_epoch().count());
  };
  Life life(bench.workshop);
  SweepSpec spec = overwriting();
  spec.numjobs = {1, 2, 4};
  const auto begin_ns = Clock::now().time_since_epoch().count();
  const Sweep sweep = life.scheduler.submit(spec);
  CHECK(life.wait_for_end(sweep.id).state == SweepState::done);
  CHECK(first_open_ns - begin_ns >= 80'000'000);
}

TEST_CASE("what only reads, or writes to a scratch file, needs no grace") {
  Bench bench;
  bench.workshop.timing.grace = for_ever;
  Life life(bench.workshop);
  const Sweep reads = life.scheduler.submit(grid_on("/dev/sda", {1}));
  CHECK(life.wait_for_end(reads.id).state == SweepState::done);
  SweepSpec spec = grid_on("", {1});
  spec.rw = {Rw::randwrite};
  spec.size_bytes = 1 << 20;
  CHECK(life.wait_for_end(life.scheduler.submit(spec).id).state == SweepState::done);
}

TEST_CASE("after a restart there is a grace time again") {
  Bench bench;
  bench.workshop.host.script = [](EngineEnd& end, const OpenRun&) {
    if (!prepares(end)) work_on(end);
  };
  std::int64_t id = 0;
  {
    Life life(bench.workshop);
    id = life.scheduler.submit(overwriting()).id;
    REQUIRE(wait_until([&] {
      const auto progress = life.scheduler.progress(id);
      return progress && progress->phase == SweepPhase::measure;
    }));
  }
  const std::uint32_t opened = bench.workshop.host.opened;
  CHECK(opened > 0);
  bench.workshop.timing.grace = for_ever;
  Life life(bench.workshop);
  REQUIRE(Bench::in_grace(life, id));
  life.scheduler.cancel(id);
  CHECK(life.wait_for_end(id).state == SweepState::cancelled);
  CHECK(bench.workshop.host.opened == opened);
}

TEST_CASE("another disk under the confirmed name is not written: it is judged again at the start") {
  Bench bench;
  const std::uint32_t workers = bench.workshop.settings.workers;
  bench.workshop.settings.workers = 0;  // it only waits in the queue
  std::int64_t id = 0;
  {
    Life life(bench.workshop);
    id = life.scheduler.submit(overwriting()).id;
  }
  bench.workshop.settings.workers = workers;
  set_text(bench.workshop.host.facts["/dev/sda"].serial, "S2");
  Life life(bench.workshop);
  const Sweep ended = life.wait_for_end(id);
  CHECK(ended.state == SweepState::failed);
  CHECK(ended.error.find("serial S2") != std::string::npos);
  CHECK(bench.workshop.host.opened == 0);
}

TEST_CASE("the plan counts the grace time") {
  Bench bench;
  bench.workshop.settings.workers = 0;
  Life life(bench.workshop);
  SweepSpec reading = grid_on("/dev/sda", {1});
  reading.runtime_ns = 30'000'000'000;  // long enough that the reference is the same
  SweepSpec writing = overwriting();
  writing.runtime_ns = reading.runtime_ns;
  CHECK(life.scheduler.plan(writing).seconds - life.scheduler.plan(reading).seconds ==
        doctest::Approx(10));
}
