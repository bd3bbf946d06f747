// When a schedule's sweep counts as worse than those before it.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "daemon/analysis/comparison.h"
#include "daemon/scheduler/regression.h"
#include "daemon/scheduler/schedules.h"
#include "tests/scheduler_workshop.h"

using namespace iobenchd;
using namespace iobenchd::scheduler;
using namespace iobenchd::scheduler::fakes;

namespace {

// A store of sweeps that were made by schedule 1, each with one run at 1 and one at 8 jobs.
struct Shelf {
  Workshop workshop;
  storage::Store store{workshop.database()};

  // At 1, 2, 3 ... jobs, each so often as it has figures.
  Sweep add_points(const std::vector<std::vector<double>>& points) {
    Sweep sweep;
    sweep.schedule_id = 1;
    sweep.spec = grid_on("/dev/sda", {1, 8});
    sweep = store.sweeps().create(std::move(sweep));
    store.sweeps().set_started(sweep.id);
    std::uint32_t numjobs = 0;
    for (const std::vector<double>& repeats : points) {
      ++numjobs;
      for (const double iops : repeats) add_run(sweep, numjobs, iops, IoEngine::psync, false);
    }
    store.sweeps().finish(sweep.id, SweepState::done, "answer", "");
    return *store.sweeps().find(sweep.id);
  }

  Sweep add(double iops_at_1, double iops_at_8, IoEngine ioengine = IoEngine::psync,
            std::int64_t schedule_id = 1) {
    Sweep sweep;
    sweep.schedule_id = schedule_id;
    sweep.spec = grid_on("/dev/sda", {1, 8});
    sweep = store.sweeps().create(std::move(sweep));
    store.sweeps().set_started(sweep.id);
    add_run(sweep, 1, iops_at_1, ioengine, false);
    add_run(sweep, 8, iops_at_8, ioengine, false);
    add_run(sweep, 1, 1, ioengine, true);  // drift checks are no points
    store.sweeps().finish(sweep.id, SweepState::done, "answer", "");
    return *store.sweeps().find(sweep.id);
  }

 private:
  void add_run(const Sweep& sweep, std::uint32_t numjobs, double iops, IoEngine ioengine,
               bool is_drift_check) {
    Run run;
    run.sweep_id = sweep.id;
    run.setting.numjobs = numjobs;
    run.is_drift_check = is_drift_check;
    run.id = store.runs().begin(run);
    run.state = RunState::done;
    RunSummary summary;
    summary.iops = iops;
    summary.ioengine = ioengine;
    store.runs().finish(run, summary);
  }
};

}  // namespace

TEST_CASE("8 jobs with 48 % fewer IOPS than in the five sweeps before are a regression") {
  Shelf shelf;
  shelf.add(1, 1);  // the sixth before: not looked at
  for (const double iops : {1000, 1010, 990, 1005, 995}) shelf.add(iops, 8 * iops);
  const Sweep newest = shelf.add(1000, 4160);
  const RegressionFinding found = find_regression(shelf.store, newest, 0);
  CHECK(found.comparable);
  CHECK(found.sentence ==
        "randread 4k, depth 1, 8 jobs: 48 % fewer IOPS than in the 5 sweeps before "
        "(1 of 2 points are worse)");
}

TEST_CASE("one of many points that is worse by chance is no regression; with most others it is") {
  // 8 % fewer, with a deviation of 5 %: t is 2.9 with 8 degrees of freedom, p 0.02. Among ten
  // points that happens every fifth night.
  const std::vector<double> before{95, 100, 105, 95, 100, 105};
  const std::vector<double> after{88, 92, 96, 92};
  const double p = analysis::compare(before, after, analysis::Good::more)->p.value();
  CHECK(p < 0.05);
  CHECK(p > 0.005);
  Shelf shelf;
  shelf.add_points(std::vector<std::vector<double>>(10, before));
  std::vector<std::vector<double>> newest(10, before);
  newest[3] = after;
  CHECK(find_regression(shelf.store, shelf.add_points(newest), 0).sentence.empty());
  Shelf another;
  another.add_points(std::vector<std::vector<double>>(10, before));
  std::fill_n(newest.begin(), 6, after);
  CHECK(find_regression(another.store, another.add_points(newest), 0)
            .sentence.find("(6 of 10 points are worse)") != std::string::npos);
}

TEST_CASE("nothing is said of what is as it was, or better") {
  Shelf shelf;
  for (const double iops : {1000, 1010, 990}) shelf.add(iops, 8 * iops);
  CHECK(find_regression(shelf.store, shelf.add(1000, 8000), 0).sentence.empty());
  const RegressionFinding better = find_regression(shelf.store, shelf.add(2000, 16000), 0);
  CHECK(better.comparable);
  CHECK(better.sentence.empty());
}

TEST_CASE("the first sweep, another engine and another schedule have nothing to be compared with") {
  Shelf shelf;
  CHECK_FALSE(find_regression(shelf.store, shelf.add(1000, 8000), 0).comparable);
  CHECK_FALSE(find_regression(shelf.store, shelf.add(10, 80, IoEngine::io_uring), 0).comparable);
  CHECK_FALSE(find_regression(shelf.store, shelf.add(10, 80, IoEngine::psync, 2), 0).comparable);
}

TEST_CASE("sweeps before the schedule asked for something else are not looked at") {
  Shelf shelf;
  const Sweep before = shelf.add(1000, 8000);
  const Sweep newest = shelf.add(10, 80);
  CHECK_FALSE(find_regression(shelf.store, newest, before.id).comparable);
  CHECK(find_regression(shelf.store, newest, 0)
            .sentence.find("99 % fewer IOPS than in the sweep "
                           "before (2 of 2 points are worse)") != std::string::npos);
}

TEST_CASE("a schedule keeps its regression over a restart, until a sweep is not worse") {
  Workshop workshop;
  std::atomic<std::int64_t> now_ns = wall_now_ns();
  std::atomic<double> iops = 1000;
  workshop.host.script = [&](EngineEnd& end, const OpenRun& request) {
    disk_of([&](std::uint32_t n) { return iops * n; })(end, request);
  };
  const auto clock = [&] { return now_ns.load(); };
  const auto run_once = [&](Schedules& schedules) {
    now_ns += 3'600'000'000'000;
    REQUIRE(wait_until([&] {
      schedules.look();
      const SweepSchedule shown = schedules.list().at(0);
      return shown.last_at_ns == now_ns && shown.last_outcome == LastOutcome::done;
    }));
    return schedules.list().at(0);
  };
  {
    Life life(workshop);
    Schedules schedules(life.store, life.scheduler, workshop.settings, nullptr, clock);
    SweepSchedule wish;
    wish.when.every_ns = 3'600'000'000'000;
    wish.spec = grid_on("/dev/sda", {1});
    static_cast<void>(schedules.create(wish));
    for (int i = 0; i < 3; ++i) CHECK_FALSE(run_once(schedules).regression.has_value());
    iops = 400;
    CHECK(run_once(schedules).regression->sweep_id == 4);
  }
  Life life(workshop);
  Schedules schedules(life.store, life.scheduler, workshop.settings, nullptr, clock);
  const SweepSchedule taken_up = schedules.list().at(0);
  REQUIRE(taken_up.regression.has_value());
  CHECK(taken_up.regression->sentence ==
        "randread 4k, depth 1, 1 job: 60 % fewer IOPS than in the 3 sweeps before "
        "(1 of 1 point is worse)");
  const SweepSchedule again = run_once(schedules);
  CHECK(again.regression->sweep_id == 4);  // worse since then
  CHECK(again.regression->since_ns == taken_up.regression->since_ns);
  iops = 1000;
  CHECK_FALSE(run_once(schedules).regression.has_value());
}
