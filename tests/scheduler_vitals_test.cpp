// What the machine did while a run was measured: a fake machine whose counters never stand still.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>

#include "daemon/scheduler/vitals.h"
#include "tests/scheduler_workshop.h"

namespace iobenchd::scheduler {
namespace {

using namespace fakes;

// Counters that a test moves by hand; each disk has its own.
struct FakeMachine {
  std::mutex mutex;
  std::map<std::string, DeviceCounters> disks{{"nvme0", {true, 0, 0, 0, 0}},
                                              {"nvme1", {true, 0, 0, 0, 0}}};
  CpuTime cpu;
  std::atomic<int> asked = 0;  // how often the last of the disks was

  // So much more, everywhere: another amount of each.
  void work(std::uint64_t amount) {
    const std::lock_guard lock(mutex);
    DeviceCounters& one = disks["nvme0"];
    one.read_ios += amount;
    one.write_ios += 2 * amount;
    one.read_bytes += 3 * amount;
    one.write_bytes += 4 * amount;
    DeviceCounters& other = disks["nvme1"];
    other.read_ios += 10 * amount;
    other.write_ios += 20 * amount;
    other.read_bytes += 30 * amount;
    other.write_bytes += 40 * amount;
  }
  void spend(std::uint64_t busy, std::uint64_t total) {
    const std::lock_guard lock(mutex);
    cpu.busy += busy;
    cpu.total += total;
  }
  MachineProbe probe() {
    MachineProbe probe;
    probe.cpu_time = [this] {
      const std::lock_guard lock(mutex);
      return cpu;
    };
    probe.device_counters = [this](const std::string& leaf) {
      const std::lock_guard lock(mutex);
      if (leaf == disks.rbegin()->first) ++asked;
      return disks[leaf];
    };
    probe.load_average = [] { return 2.5; };
    return probe;
  }
};

// 100 of work and 60 % of the CPUs in the measured window, other amounts before and after it.
void check_window(const Measurement& m) {
  CHECK(m.device_counters_known);
  CHECK(m.device_read_ios == 1100);  // 100 of the first disk and 1000 of the second
  CHECK(m.device_write_ios == 2200);
  CHECK(m.device_read_bytes == 3300);
  CHECK(m.device_write_bytes == 4400);
  CHECK(m.machine_cpu_busy_percent == doctest::Approx(60));
  CHECK(m.load_average == 2.5);
}

TEST_CASE("vitals count from the last tick of the ramp to the first one behind the measurement") {
  for (const Phase after : {Phase::drain, Phase::verify}) {
    FakeMachine machine;
    machine.work(7);
    machine.spend(90, 100);
    const MachineProbe probe = machine.probe();
    Vitals vitals(probe, {"nvme0", "nvme1"});
    machine.work(10'000);
    machine.spend(500, 500);
    vitals.notice(Phase::starting);
    machine.work(30'000);
    machine.spend(500, 500);
    vitals.notice(Phase::ramp);
    machine.work(60);
    machine.spend(50, 100);
    vitals.notice(Phase::measure);
    machine.work(40);
    machine.spend(70, 100);
    vitals.notice(Phase::measure);
    vitals.notice(after);
    machine.work(90'000);
    machine.spend(1, 10'000);
    vitals.notice(Phase::drain);
    Measurement measurement;
    vitals.fill(measurement);
    check_window(measurement);
  }
}

TEST_CASE("without a ramp vitals count from their birth") {
  FakeMachine machine;
  machine.work(5);
  const MachineProbe probe = machine.probe();
  Vitals vitals(probe, {"nvme0"});
  machine.work(100);
  vitals.notice(Phase::measure);
  Measurement measurement;
  vitals.fill(measurement);
  CHECK(measurement.device_read_ios == 100);
  CHECK(measurement.device_write_bytes == 400);
}

TEST_CASE("one disk without counters makes those of all unknown, and so does none") {
  FakeMachine machine;
  machine.disks["nvme1"].known = false;
  const MachineProbe probe = machine.probe();
  for (const std::vector<std::string>& leaves :
       {std::vector<std::string>{"nvme0", "nvme1"}, std::vector<std::string>{}}) {
    Vitals vitals(probe, leaves);
    machine.work(100);
    Measurement measurement;
    vitals.fill(measurement);
    CHECK_FALSE(measurement.device_counters_known);
    CHECK(measurement.device_read_bytes == 0);
    CHECK(measurement.machine_cpu_busy_percent == -1);  // no CPU time has passed
  }
}

TEST_CASE("a machine that can't be asked leaves everything unknown but the wake-up delays") {
  const MachineProbe probe;
  Vitals vitals(probe, {"nvme0"});
  Measurement measurement;
  vitals.fill(measurement);
  CHECK_FALSE(measurement.device_counters_known);
  CHECK(measurement.machine_cpu_busy_percent == -1);
  CHECK(measurement.load_average == -1);
}

TEST_CASE("a run records the devices of the measured window, and the health of its hottest disk") {
  Workshop workshop;
  FakeMachine machine;
  machine.work(7);
  workshop.machine = machine.probe();
  workshop.machine.device_health = [](const std::string& leaf) {
    DeviceHealth health;
    if (leaf == "nvme0") return health;  // says nothing
    health.temperature_celsius = leaf == "nvme1" ? 71 : 40;
    health.temperature_limit_celsius = leaf == "nvme1" ? 85 : 70;
    return health;
  };
  workshop.machine.governor = [] { return std::string("powersave"); };
  workshop.machine.container = "docker";
  workshop.machine.machine = [] {
    Circumstances about;
    about.host = "bench1";
    about.cpus = 12;
    return about;
  };
  TargetFacts& facts = workshop.host.facts["/dev/sda"];
  facts.leaf_count = 3;
  set_text(facts.leaves[0], "nvme0");
  set_text(facts.leaves[1], "nvme1");
  set_text(facts.leaves[2], "nvme2");
  machine.disks["nvme2"].known = true;
  // The runner reads the counters at birth, at the ramp's tick and at the first one behind the
  // measurement: the script moves them only between those.
  const auto asked = [&](int times) { return wait_until([&] { return machine.asked >= times; }); };
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    if (prepares(end)) return;
    machine.work(10'000);
    machine.spend(500, 500);
    end.tick(Phase::ramp, 10, 1'000'000, tick_ns);
    if (!asked(2)) return;
    machine.work(100);
    machine.spend(120, 200);
    end.tick(Phase::measure, 100, 1'000'000, end.load.runtime_ns);
    end.progress_tick(Phase::verify, 1, 1);
    if (!asked(3)) return;
    machine.work(90'000);
    machine.spend(1, 10'000);
    end.final(100, 1'000'000);
  };
  Life life(workshop);
  const Sweep sweep = life.wait_for_end(life.scheduler.submit(grid_on("/dev/sda", {1})).id);
  CHECK(sweep.state == SweepState::done);
  const std::vector<Run> runs = life.store.runs().of_sweep(sweep.id);
  REQUIRE(runs.size() == 1);
  check_window(runs[0].measurement);
  CHECK(runs[0].health.temperature_celsius == 71);
  CHECK(runs[0].health.temperature_limit_celsius == 85);
  CHECK(std::isnan(runs[0].health.wear_percent_used));
  CHECK(runs[0].governor == "powersave");
  CHECK(runs[0].container == "docker");
  CHECK(runs[0].circumstances.host == "bench1");
  CHECK(runs[0].circumstances.cpus == 12);
}

// A nap of 10 ms ends after 10 ms and never before: that bounds how many a probe can have seen
// since it began again, however slow the machine is.
TEST_CASE("the probe of wake-up delays counts its naps, and forgets those before a restart") {
  WakeupProbe probe;
  REQUIRE(wait_until([&] { return probe.seen().count >= 30; }));
  const WakeupDelay seen = probe.seen();
  CHECK(seen.p50_ns <= seen.p99_ns);
  CHECK(seen.p99_ns <= seen.max_ns);
  const auto begin = Clock::now();
  probe.restart();
  const std::uint64_t count = probe.seen().count;
  const auto since = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  CHECK(count <= static_cast<std::uint64_t>(since.count()) / 10 + 1);
  CHECK(wait_until([&] { return probe.seen().count > count; }));
}

}  // namespace
}  // namespace iobenchd::scheduler
