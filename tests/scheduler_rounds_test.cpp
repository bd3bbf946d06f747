#include <doctest/doctest.h>

#include <vector>

#include "daemon/scheduler/rounds.h"
#include "tests/scheduler_workshop.h"

namespace iobenchd::scheduler {
namespace {

using namespace fakes;

// A second of reads at 1 ms.
Measurement round_of(std::uint64_t iops) {
  Measurement round;
  round.measured_ns = 1'000'000'000;
  round.read.ios = iops;
  round.read.bytes = iops * 4096;
  for (std::uint64_t i = 0; i < iops; ++i) round.read.latency.add(1'000'000);
  round.samples.resize(1);
  round.samples[0].read_ios = iops;
  round.jobs.resize(2);
  round.jobs[1].job = 1;
  round.jobs[0].read_ios = round.jobs[1].read_ios = iops / 2;
  round.machine_cpu_busy_percent = 10;
  round.device_counters_known = true;
  round.device_read_bytes = round.read.bytes;
  return round;
}

std::vector<Measurement> rounds_of(const std::vector<std::uint64_t>& iops) {
  std::vector<Measurement> rounds;
  for (const std::uint64_t one : iops) rounds.push_back(round_of(one));
  return rounds;
}

TEST_CASE("five rounds are steady within 20 % of their average and 10 % of slope (SNIA)") {
  CHECK(are_steady(rounds_of({90, 110, 90, 110, 100})));
  CHECK_FALSE(are_steady(rounds_of({950, 975, 1000, 1026, 1051})));  // climbs by 10.1 %
  CHECK_FALSE(are_steady(rounds_of({100, 100, 100, 100})));
  CHECK_FALSE(are_steady(rounds_of({0, 0, 0, 0, 0})));
  CHECK(are_steady(rounds_of({500, 300, 100, 100, 100, 100, 100})));  // the last five count
}

TEST_CASE("the last five rounds are one measurement of five times the length") {
  const Measurement sum = merge_rounds(rounds_of({500, 10, 20, 30, 40, 50}));
  CHECK(sum.measured_ns == 5'000'000'000);
  CHECK(sum.read.ios == 150);
  CHECK(sum.read.latency.count == 150);
  CHECK(sum.device_read_bytes == 150 * 4096);
  CHECK(sum.machine_cpu_busy_percent == 10);
  CHECK(sum.rounds == 6);
  CHECK_FALSE(sum.rounds_steady);  // 10 to 50
  REQUIRE(sum.jobs.size() == 2);
  CHECK(sum.jobs[1].read_ios == 75);
  CHECK(merge_rounds({}).measured_ns == 0);
}

TEST_CASE("the seconds of all rounds are kept: those before the last five, and ramps, as ramp") {
  std::vector<Measurement> rounds = rounds_of({500, 400, 10, 20, 30, 40, 50});
  rounds[0].samples.insert(rounds[0].samples.begin(), Sample{});
  rounds[0].samples[0].ramp = true;
  rounds[2].samples.push_back(rounds[2].samples[0]);
  const Measurement sum = merge_rounds(rounds);
  std::vector<std::uint32_t> seconds;
  std::vector<std::uint64_t> ios;
  std::vector<bool> ramp;
  for (const Sample& sample : sum.samples) {
    seconds.push_back(sample.second);
    ios.push_back(sample.read_ios);
    ramp.push_back(sample.ramp);
  }
  CHECK(seconds == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(ios == std::vector<std::uint64_t>{0, 500, 400, 10, 10, 20, 30, 40, 50});
  CHECK(ramp == std::vector<bool>{true, true, true, false, false, false, false, false, false});
  // Few rounds: all of them count.
  CHECK_FALSE(merge_rounds(rounds_of({500, 400})).samples[0].ramp);
}

TEST_CASE("a sweep with steady_state measures rounds until they are steady") {
  Workshop workshop;
  int rounds = 0;
  // Falls by half each time, and is steady from the fourth round on.
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    if (prepares(end)) return;
    const std::uint64_t ios = std::max<std::uint64_t>(100, 800U >> rounds);
    CHECK((end.load.ramp_ns > 0) == (rounds == 0));
    ++rounds;
    end.tick(Phase::measure, ios, 1'000'000, end.load.runtime_ns);
    end.final(ios, 1'000'000);
  };
  Life life(workshop);
  SweepSpec spec = grid_on("/dev/sda", {1});
  spec.ramp_time_ns = 1;
  spec.steady_rounds = 25;
  spec.steady_round_ns = 1'000'000'000;
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(spec).id);
  CHECK(sweep.state == SweepState::done);
  CHECK(rounds == 8);  // 800, 400, 200, then five of 100
  const std::vector<Run> runs = life.store.runs().of_sweep(sweep.id);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].measurement.read.ios == 500);
  CHECK(runs[0].measurement.rounds == 8);
  CHECK(runs[0].measurement.rounds_steady);
  CHECK(runs[0].measurement.measured_ns == 5'000'000'000);
}

TEST_CASE("precondition writes a device over once, all of it, and only with its confirmation") {
  Workshop workshop;
  workshop.settings.targets[0].write = 1;
  std::uint64_t passed = 0;
  Workload compressible;  // nothing else of the workload is a filling's
  compressible.buffer_compress_percentage = 60;
  workshop.host.script = [&](EngineEnd& end, const OpenRun& request) {
    if (end.load.task == Task::layout) {
      CHECK(request.write == 1);
      CHECK(request.sync == Sync::none);  // a layout has its own way
      CHECK(end.load.workload == compressible);
      CHECK(end.load.offset_bytes == 0);
      passed += end.load.size_bytes;
    } else if (end.load.task == Task::measure) {
      CHECK(request.write == 0);
      CHECK(request.sync == Sync::dsync);
      CHECK(passed > 0);
    }
    if (prepares(end)) return;
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.final(100, 1'000'000);
  };
  Life life(workshop);
  SweepSpec spec = grid_on("/dev/sda", {1});
  spec.precondition = true;
  spec.offset_bytes = 1 << 20;
  spec.size_bytes = 64 << 20;
  spec.workload.sync = Sync::dsync;
  spec.workload.buffer_compress_percentage = 60;
  CHECK_THROWS_AS(static_cast<void>(life.scheduler.submit(spec)), Error);
  CHECK(passed == 0);
  spec.confirm = confirm_phrase(workshop.host.facts["/dev/sda"]);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(spec).id);
  CHECK(sweep.state == SweepState::done);
  CHECK(sweep.plan.size_bytes == 64 << 20);
  CHECK(passed == 1 << 30);
  CHECK(sweep.plan.write_bytes == 1 << 30);
}

TEST_CASE("a scratch file is as compressible as what the workload writes") {
  Workshop workshop;
  std::uint32_t laid_out = 0;
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    if (end.load.task == Task::layout) laid_out = end.load.workload.buffer_compress_percentage;
    if (prepares(end)) return;
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.final(100, 1'000'000);
  };
  Life life(workshop);
  SweepSpec spec = grid_on("", {1});
  spec.workload.buffer_compress_percentage = 75;
  CHECK(life.wait_for_end(life.scheduler.submit(spec).id).state == SweepState::done);
  CHECK(laid_out == 75);
}

}  // namespace
}  // namespace iobenchd::scheduler
