// Others on the disk: when a run makes room for them, and what becomes of its point.
#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <string>

#include "daemon/model/error.h"
#include "daemon/scheduler/other_io.h"
#include "daemon/scheduler/plan.h"
#include "daemon/scheduler/runner.h"
#include "tests/scheduler_workshop.h"

using namespace iobenchd;
using namespace iobenchd::scheduler;
using namespace iobenchd::scheduler::fakes;

namespace {

using std::chrono::seconds;

// A disk whose counters a test moves by hand, a second at a time.
struct Counted {
  DeviceCounters counters{true, 0, 0, 0, 0};
  MachineProbe machine;
  OtherIo::Clock::time_point now{};

  Counted() {
    machine.device_counters = [this](const std::string&) { return counters; };
  }
  OtherIo watch(bool reads_only = false) {
    OtherIo others(machine, {"sda"}, milliseconds(1'000), reads_only);
    others.restart(now);
    return others;
  }
  void reads(std::uint64_t ios, std::uint64_t bytes_each = 4096) {
    counters.read_ios += ios;
    counters.read_bytes += ios * bytes_each;
  }
  void writes(std::uint64_t ios) {
    counters.write_ios += ios;
    counters.write_bytes += ios * 4096;
  }
  // A second is over in which we read so many blocks of 4 KiB.
  void second(OtherIo& others, std::uint64_t our_reads, std::uint64_t our_writes = 0) {
    now += seconds(1);
    others.notice(our_reads * 4096, our_writes * 4096, now);
  }
};

// A machine with one disk, that does 5000 I/Os of 4 KiB a second while others are busy, 1000 of
// them ours.
struct Shared {
  Workshop workshop;
  std::mutex mutex;
  DeviceCounters counters{true, 0, 0, 0, 0};
  std::atomic<bool> busy = false;
  Clock::time_point looked = Clock::now();

  Shared() {
    workshop.timing.yield_round = milliseconds(20);
    workshop.timing.yield_quiet = milliseconds(60);
    workshop.machine.device_counters = [this](const std::string&) {
      const std::lock_guard lock(mutex);
      const Clock::time_point now = Clock::now();
      const double spent = std::chrono::duration<double>(now - looked).count();
      looked = now;
      if (busy) {
        counters.read_bytes += static_cast<std::uint64_t>(spent * 5'000 * 4096);
        counters.read_ios = counters.read_bytes / 4096;
      }
      return counters;
    };
    // Others come with a run, for as many runs as are to be disturbed, and go when it is stopped.
    workshop.host.script = [this](EngineEnd& end, const OpenRun& request) {
      if (end.load.task == Task::measure && disturbed_runs < disturbing) {
        busy = true;
        work_on(end);
        busy = others_stay.load();
        ++disturbed_runs;
        end.final(10, 1'000'000);
        return;
      }
      disk_of([](std::uint32_t n) { return 1000.0 * n; })(end, request);
    };
  }
  std::atomic<std::uint32_t> disturbed_runs = 0, disturbing = 1;
  std::atomic<bool> others_stay = false;
};

SweepSpec yielding() {
  SweepSpec spec = grid_on("/dev/sda", {1});
  spec.runtime_ns = 20'000'000'000;
  spec.yield_to_other_io = true;
  return spec;
}

std::string complaint(Scheduler& scheduler, const SweepSpec& spec) {
  try {
    static_cast<void>(scheduler.plan(spec));
  } catch (const Error& error) {
    REQUIRE(error.code() == ErrorCode::invalid);
    REQUIRE(error.fields().size() == 1);
    CHECK(error.fields()[0].field == "yield_to_other_io");
    return error.fields()[0].message;
  }
  return "";
}

}  // namespace

TEST_CASE("our own I/O disturbs nobody, however the device splits it") {
  Counted disk;
  OtherIo others = disk.watch();
  for (int i = 0; i < 5; ++i) {
    disk.reads(2'000, 2048);
    disk.second(others, 1'000);
  }
  CHECK_FALSE(others.disturbed());
  CHECK(others.others_per_s() == doctest::Approx(0));
  CHECK(others.quiet_for() == seconds(5));
}

TEST_CASE("6 % beside us disturb after three seconds in a row, 4 % never") {
  Counted disk;
  OtherIo others = disk.watch();
  for (const bool disturbed : {false, false, true}) {
    disk.reads(1'060);
    disk.second(others, 1'000);
    CHECK(others.disturbed() == disturbed);
  }
  CHECK(others.others_per_s() == doctest::Approx(60));
  others.restart(disk.now);
  for (int i = 0; i < 5; ++i) {
    disk.reads(1'040);
    disk.second(others, 1'000);
  }
  CHECK_FALSE(others.disturbed());
}

TEST_CASE("two disturbed seconds, a quiet one and two more are no three in a row") {
  Counted disk;
  OtherIo others = disk.watch();
  for (const std::uint64_t beside : {100U, 100U, 0U, 100U, 100U}) {
    disk.reads(100 + beside);
    disk.second(others, 100);
    CHECK_FALSE(others.disturbed());
  }
}

TEST_CASE("of a slow disk 6 I/Os a second are others', 4 are nobody's") {
  Counted disk;
  OtherIo others = disk.watch();
  for (int i = 0; i < 4; ++i) {
    disk.reads(10 + 4);
    disk.second(others, 10);
  }
  CHECK_FALSE(others.disturbed());
  CHECK(others.quiet_for() == seconds(4));
  for (int i = 0; i < 3; ++i) {
    disk.reads(10 + 6);
    disk.second(others, 10);
  }
  CHECK(others.disturbed());
  CHECK(others.quiet_for() == seconds(0));
}

TEST_CASE("where writes take a journal along only reads are judged") {
  Counted disk;
  OtherIo all = disk.watch(), reads = disk.watch(true);
  for (int i = 0; i < 3; ++i) {
    disk.writes(300);  // 100 of ours and 200 of the journal
    disk.now += seconds(1);
    all.notice(0, 100 * 4096, disk.now);
    reads.notice(0, 100 * 4096, disk.now);
  }
  CHECK(all.disturbed());
  CHECK_FALSE(reads.disturbed());
}

TEST_CASE("counters that can't be read any more say nothing") {
  Counted disk;
  OtherIo others = disk.watch();
  CHECK_FALSE(others.blind());
  disk.counters.known = false;
  disk.second(others, 0);
  CHECK(others.blind());
  CHECK_FALSE(others.disturbed());
}

TEST_CASE("a run makes room for others, and its point is measured when the disk is quiet") {
  Shared shared;
  Life life(shared.workshop);
  const Sweep queued = life.scheduler.submit(yielding());
  const Sweep sweep = life.wait_for_end(queued.id);
  CHECK(sweep.state == SweepState::done);
  CHECK(sweep.runs_failed == 0);
  const auto runs = life.store.runs().of_sweep(queued.id);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].state == RunState::interrupted);
  CHECK(runs[0].error.find("yielded: others did ") == 0);
  CHECK(runs[0].error.find(" I/O/s on the disk") != std::string::npos);
  CHECK(runs[1].state == RunState::done);
  CHECK(runs[1].setting == runs[0].setting);
}

TEST_CASE("a point that made room five times fails its sweep, and says why") {
  Shared shared;
  shared.disturbing = 5;
  Life life(shared.workshop);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(yielding()).id);
  CHECK(sweep.state == SweepState::failed);
  CHECK(sweep.error.find("randread 4k, depth 1, 1 job made room for others 5 times") == 0);
  CHECK(sweep.error.find("measure when the machine is quiet") != std::string::npos);
  CHECK(life.runs_in(sweep.id, RunState::interrupted) == 5);
}

TEST_CASE("four times are borne") {
  Shared shared;
  shared.disturbing = 4;
  Life life(shared.workshop);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(yielding()).id);
  CHECK(sweep.state == SweepState::done);
  CHECK(life.runs_in(sweep.id, RunState::interrupted) == 4);
}

TEST_CASE("a sweep that waits for quiet is cancelled at once") {
  Shared shared;
  shared.others_stay = true;
  Life life(shared.workshop);
  const Sweep queued = life.scheduler.submit(yielding());
  REQUIRE(wait_until([&] {
    const auto progress = life.scheduler.progress(queued.id);
    return progress && progress->phase == SweepPhase::yielding;
  }));
  life.scheduler.cancel(queued.id);
  const auto before = Clock::now();
  CHECK(life.wait_for_end(queued.id).state == SweepState::cancelled);
  CHECK(Clock::now() - before < seconds(2));
}

TEST_CASE("runs that made room are not what a crash tore away") {
  Shared shared;
  shared.disturbing = 0;
  std::int64_t id = 0;
  {
    storage::Store store(shared.workshop.database());
    Sweep sweep;
    sweep.spec = yielding();
    sweep.plan.target = "/dev/sda";
    sweep = store.sweeps().create(std::move(sweep));
    id = sweep.id;
    store.sweeps().set_started(id);
    for (int i = 0; i < 3; ++i) {
      Run run;
      run.sweep_id = id;
      run.error = std::string(yielded_text) + "others did 900 I/O/s on the disk";
      run.id = store.runs().begin(run);
      run.state = RunState::interrupted;
      store.runs().finish(run, RunSummary{});
    }
  }
  Life life(shared.workshop);
  CHECK(life.wait_for_end(id).state == SweepState::done);
}

TEST_CASE("where others can't be told from the run it is refused, and no default") {
  Shared shared;
  {
    Life life(shared.workshop);
    CHECK(complaint(life.scheduler, yielding()) == "");
    SweepSpec spec = yielding();
    spec.direct = false;
    CHECK(complaint(life.scheduler, spec).find("direct I/O") != std::string::npos);
    spec.yield_to_other_io = false;
    CHECK(complaint(life.scheduler, spec) == "");
    shared.counters.known = false;
    CHECK(complaint(life.scheduler, yielding()).find("the counters of sda can't be read") !=
          std::string::npos);
  }
  shared.workshop.machine.counters_while_measuring = false;
  Life life(shared.workshop);
  CHECK(complaint(life.scheduler, yielding()).find("only between runs") != std::string::npos);
  Settings settings = shared.workshop.settings;
  settings.yield_to_other_io = 1;
  SweepSpec spec = grid_on("/dev/sda", {1});
  const TargetFacts facts = disk_facts("/dev/sda", "sda");
  Ability ability;
  CHECK_FALSE(judge(spec, facts, settings, ability).yields);
  ability.counts = [](const std::string&) { return true; };
  CHECK(judge(spec, facts, settings, ability).yields);
  spec.yield_to_other_io = false;
  CHECK_FALSE(judge(spec, facts, settings, ability).yields);
  spec.yield_to_other_io.reset();
  settings.yield_to_other_io = 0;
  CHECK_FALSE(judge(spec, facts, settings, ability).yields);
}
