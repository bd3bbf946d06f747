// Whole sweeps on a real store, with engines and disks made of threads.
#include <dirent.h>
#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "daemon/scheduler/scheduler.h"
#include "daemon/scheduler/scratch.h"
#include "tests/scheduler_fakes.h"

namespace iobenchd::scheduler {
namespace {

using fakes::EngineEnd;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A directory of the test's own, gone with it.
class Workshop {
 public:
  Workshop() {
    const char* place = std::getenv("TMPDIR");
    path_ = std::string(place == nullptr ? "/tmp" : place) + "/iobenchd-test-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw Error(ErrorCode::internal, "mkdtemp " + path_);
    spdlog::set_level(spdlog::level::off);
    host.facts[path_] = fakes::directory_facts(path_, "leaf0");
    host.facts["/dev/sda"] = fakes::disk_facts("/dev/sda", "sda");
    host.facts["/dev/sdb"] = fakes::disk_facts("/dev/sdb", "sdb");
    host.script = fakes::disk_of([](std::uint32_t n) { return 1000.0 * n; });
    set_text(settings.scratch_dir, path_);
    set_text(settings.database, path_ + "/db");
    settings.target_count = 1;
    set_text(settings.targets[0].pattern, "/dev/sd?");
    timing.reference_s = timing.short_reference_s = 0.01;
    timing.storage_retry = milliseconds(20);
  }
  ~Workshop() {
    if (DIR* directory = opendir(path_.c_str())) {
      while (const dirent* entry = readdir(directory))
        unlink((path_ + "/" + entry->d_name).c_str());
      closedir(directory);
    }
    rmdir(path_.c_str());
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  [[nodiscard]] std::string database() const { return path_ + "/db"; }
  [[nodiscard]] const std::string& path() const { return path_; }

  fakes::FakeHost host;
  Settings settings;
  Timing timing;

 private:
  std::string path_;
};

// A daemon's life: everything from store to scheduler.
struct Life {
  explicit Life(Workshop& workshop)
      : store(workshop.database()),
        scheduler(store, hub, workshop.host, workshop.settings, {}, workshop.timing) {}

  storage::Store store;
  events::Hub hub;
  Scheduler scheduler;

  Sweep wait_for_end(std::int64_t id) {
    const auto until = Clock::now() + std::chrono::seconds(20);
    for (;;) {
      const auto sweep = store.sweeps().find(id);
      REQUIRE(sweep);
      if (sweep->finished_at_ns != 0) return *sweep;
      REQUIRE_MESSAGE(Clock::now() < until, "the sweep doesn't end");
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  std::size_t runs_in(std::int64_t id, RunState state) {
    const auto runs = store.runs().of_sweep(id);
    return static_cast<std::size_t>(std::count_if(
        runs.begin(), runs.end(), [&](const Run& run) { return run.state == state; }));
  }
};

bool wait_until(const std::function<bool()>& true_at_last) {
  const auto until = Clock::now() + std::chrono::seconds(10);
  while (!true_at_last()) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

SweepSpec grid_on(const std::string& target, std::vector<std::uint32_t> numjobs) {
  SweepSpec spec;
  spec.target = target;
  spec.numjobs_auto = false;
  spec.numjobs = std::move(numjobs);
  spec.runtime_ns = 100'000'000;
  spec.ramp_time_ns = 0;
  spec.order = Order::given;
  spec.seed = 1;
  return spec;
}

// Works until it is told to stop.
void work_on(EngineEnd& end) {
  while (!end.stopped_within(milliseconds(10))) end.tick(Phase::measure, 10, 1'000'000, 10'000'000);
}

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
