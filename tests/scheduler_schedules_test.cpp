// Schedules, by a clock that the tests move and disks that are scripts.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>

#include "daemon/model/error.h"
#include "daemon/scheduler/run_queue.h"
#include "daemon/scheduler/schedules.h"
#include "tests/scheduler_workshop.h"

using namespace iobenchd;
using namespace iobenchd::scheduler;
using namespace iobenchd::scheduler::fakes;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000, minute_ns = 60 * second_ns,
                       hour_ns = 60 * minute_ns, day_ns = 24 * hour_ns;

// What the daemon's lives share: the disk and the clock.
struct World {
  World() { workshop.settings.workers = 1; }
  Workshop workshop;
  std::atomic<std::int64_t> now_ns = wall_now_ns();
  std::atomic<double> load = 0.1;
};

struct Household {
  explicit Household(World& world)
      : store(world.workshop.database(), [&world] { return world.now_ns.load(); }),
        scheduler(store, hub, world.workshop.host, world.workshop.settings, world.workshop.machine,
                  world.workshop.timing),
        schedules(
            store, scheduler, world.workshop.settings, [&world] { return world.load.load(); },
            [&world] { return world.now_ns.load(); }) {}

  [[nodiscard]] std::vector<Sweep> sweeps() { return store.sweeps().list({}, 0, 500).items; }
  [[nodiscard]] SweepSchedule only() const { return schedules.list().at(0); }
  // The keeper looks until it has seen the end of the sweep that it queued last.
  void let_end() {
    REQUIRE(wait_until([&] {
      schedules.look();
      const LastOutcome outcome = only().last_outcome;
      return outcome != LastOutcome::queued && outcome != LastOutcome::running;
    }));
  }

  storage::Store store;
  events::Hub hub;
  Scheduler scheduler;
  Schedules schedules;
};

SweepSchedule every_day() {
  SweepSchedule wish;
  wish.label = "nightly";
  wish.when.every_ns = static_cast<std::uint64_t>(day_ns);
  wish.spec = grid_on("/dev/sda", {1});
  return wish;
}

Settings always_quiet(Settings settings) {
  settings.quiet_count = 1;
  settings.quiet_hours[0] = {0, 1440};
  return settings;
}

}  // namespace

TEST_CASE("a schedule runs when it is due and not before, and its sweep says what made it") {
  World world;
  Household house(world);
  const std::int64_t made_at = world.now_ns;
  const SweepSchedule made = house.schedules.create(every_day());
  CHECK(made.id == 1);
  CHECK(made.next_at_ns == made_at + day_ns);
  world.now_ns += day_ns - 1;
  house.schedules.look();
  CHECK(house.sweeps().empty());
  world.now_ns += 1;
  house.schedules.look();
  REQUIRE(house.sweeps().size() == 1);
  const Sweep sweep = house.sweeps()[0];
  CHECK(sweep.schedule_id == 1);
  CHECK(sweep.spec.label == "nightly");
  house.let_end();
  CHECK(house.only().last_outcome == LastOutcome::done);
  CHECK(house.only().last_sweep_id == sweep.id);
  CHECK(house.only().last_at_ns == made_at + day_ns);
  CHECK(house.only().next_at_ns == made_at + 2 * day_ns);
  CHECK(house.only().missed == 0);
  CHECK(house.sweeps().size() == 1);
  storage::SweepFilter filter;
  filter.schedule_id = 2;
  CHECK(house.store.sweeps().list(filter, 0, 10).items.empty());
}

TEST_CASE("of three runs that were missed while the daemon was down one is made up for") {
  World world;
  const std::int64_t made_at = world.now_ns;
  {
    Household house(world);
    static_cast<void>(house.schedules.create(every_day()));
  }
  world.now_ns = made_at + 3 * day_ns + hour_ns;
  {
    Household house(world);
    house.schedules.look();
    house.let_end();
    CHECK(house.sweeps().size() == 1);
    CHECK(house.only().missed == 2);
    CHECK(house.only().next_at_ns == made_at + 4 * day_ns);
  }
  Household house(world);
  house.schedules.look();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().missed == 2);
  CHECK(house.only().last_outcome == LastOutcome::done);
}

TEST_CASE("a clock that is put forward by ten years starts one run, put back by three days none") {
  World world;
  Household house(world);
  static_cast<void>(house.schedules.create(every_day()));
  world.now_ns += 3650 * day_ns;
  house.schedules.look();
  house.let_end();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().missed == 3649);
  world.now_ns -= 3 * day_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().next_at_ns > world.now_ns);
  CHECK(house.only().next_at_ns <= world.now_ns + day_ns);
  // Just after a run it is not due a second time.
  world.now_ns = house.only().next_at_ns;
  house.schedules.look();
  house.let_end();
  world.now_ns -= 2 * second_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 2);
  world.now_ns += 3 * second_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 2);
  // A minute back, as clocks are corrected every day, changes nothing.
  const std::int64_t next = house.only().next_at_ns;
  world.now_ns -= minute_ns;
  house.schedules.look();
  CHECK(house.only().next_at_ns == next);
}

TEST_CASE("there are never two sweeps of one schedule: the second waits for the first") {
  World world;
  world.workshop.settings.workers = 0;  // what is queued stays queued
  Household house(world);
  const std::int64_t made_at = world.now_ns;
  static_cast<void>(house.schedules.create(every_day()));
  world.now_ns = made_at + day_ns;
  house.schedules.look();
  world.now_ns = made_at + 3 * day_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().waits_for == WaitsFor::queue);
  CHECK(house.only().last_error == "sweep 1 of it is not over");
  house.scheduler.cancel(1);
  house.schedules.look();
  CHECK(house.sweeps().size() == 2);
  CHECK(house.only().waits_for == WaitsFor::nothing);
  CHECK(house.only().missed == 1);  // of the days 2 and 3 one is made up for
}

TEST_CASE("a run waits while the load is above max_load, and is tried again after a minute") {
  World world;
  Household house(world);
  SweepSchedule wish = every_day();
  wish.max_load = 2;
  static_cast<void>(house.schedules.create(wish));
  world.now_ns += day_ns;
  world.load = 3.25;
  house.schedules.look();
  CHECK(house.sweeps().empty());
  CHECK(house.only().waits_for == WaitsFor::load);
  CHECK(house.only().last_error == "the load average is 3.25, above max_load 2.00");
  world.load = 0.5;
  world.now_ns += 59 * second_ns;
  house.schedules.look();
  CHECK(house.sweeps().empty());
  world.now_ns += second_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().waits_for == WaitsFor::nothing);
  CHECK(house.only().last_error.empty());
}

TEST_CASE("in quiet hours a run that is due waits until they end") {
  World world;
  Household house(world);
  static_cast<void>(house.schedules.create(every_day()));
  house.schedules.reload(always_quiet(world.workshop.settings));
  world.now_ns += day_ns;
  house.schedules.look();
  CHECK(house.sweeps().empty());
  CHECK(house.only().waits_for == WaitsFor::quiet_hours);
  house.schedules.reload(world.workshop.settings);
  house.schedules.look();
  CHECK(house.sweeps().size() == 1);
}

TEST_CASE("a scheduled sweep that waits in the queue doesn't begin in quiet hours, others do") {
  RunQueue queue;
  const auto entry = [](std::int64_t id, std::int64_t schedule_id, std::int64_t started_at_ns) {
    QueuedSweep queued;
    queued.sweep.id = id;
    queued.sweep.schedule_id = schedule_id;
    queued.sweep.started_at_ns = started_at_ns;
    queued.leaves = {"disk" + std::to_string(id)};
    return queued;
  };
  queue.push(entry(1, 7, 0));
  queue.push(entry(2, 0, 0));
  queue.push(entry(3, 7, 1));  // it had begun, and goes on after a restart
  CHECK(queue.take_runnable(true)->sweep.id == 2);
  CHECK(queue.take_runnable(true)->sweep.id == 3);
  CHECK_FALSE(queue.take_runnable(true).has_value());
  CHECK(queue.take_runnable(false)->sweep.id == 1);
}

TEST_CASE("what a pause leaves out isn't missed, and after it the time runs anew") {
  World world;
  Household house(world);
  SweepSchedule wish = every_day();
  static_cast<void>(house.schedules.create(wish));
  wish.paused = true;
  CHECK(house.schedules.change(1, wish).next_at_ns == 0);
  world.now_ns += 10 * day_ns + hour_ns;
  house.schedules.look();
  CHECK(house.sweeps().empty());
  wish.paused = false;
  CHECK(house.schedules.change(1, wish).next_at_ns == world.now_ns + day_ns);
  house.schedules.look();
  CHECK(house.sweeps().empty());
  CHECK(house.only().missed == 0);
}

TEST_CASE("a sweep that is beyond the write budget isn't queued, and waits until there is some") {
  World world;
  Household house(world);
  SweepSchedule wish = every_day();
  wish.spec.target.clear();
  wish.spec.size_bytes = 1 << 20;
  wish.spec.rw = {Rw::randwrite};
  const std::uint64_t each = house.scheduler.plan(wish.spec).write_bytes;
  Settings settings = world.workshop.settings;
  settings.write_budget_bytes = each + each / 2;
  house.scheduler.reload(settings);
  static_cast<void>(house.schedules.create(wish));
  world.now_ns += day_ns;
  house.schedules.look();
  house.let_end();
  CHECK(house.sweeps().size() == 1);
  world.now_ns += day_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().waits_for == WaitsFor::budget);
  settings.write_budget_bytes = 4 * each;
  house.scheduler.reload(settings);
  world.now_ns += minute_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 2);
  settings.write_budget_bytes = each - 1;  // no day would ever bear it
  house.scheduler.reload(settings);
  CHECK_THROWS_WITH_AS(static_cast<void>(house.schedules.create(wish)),
                       doctest::Contains("sweep.size: "), Error);
}

TEST_CASE("a sweep that is refused says why, and the next is tried when it is due") {
  World world;
  Household house(world);
  const std::int64_t made_at = world.now_ns;
  static_cast<void>(house.schedules.create(every_day()));
  Settings settings = world.workshop.settings;
  settings.target_count = 0;  // no longer allowed
  house.scheduler.reload(settings);
  world.now_ns += day_ns;
  house.schedules.look();
  CHECK(house.sweeps().empty());
  CHECK(house.only().last_outcome == LastOutcome::refused);
  CHECK(house.only().last_error.find("nor allowed") != std::string::npos);
  CHECK(house.only().next_at_ns == made_at + 2 * day_ns);
  house.scheduler.reload(world.workshop.settings);
  world.now_ns += day_ns;
  house.schedules.look();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().last_error.empty());
}

TEST_CASE("a sweep that was queued just before a crash is not queued a second time") {
  World world;
  {
    Household house(world);
    static_cast<void>(house.schedules.create(every_day()));
    world.now_ns += day_ns;
    static_cast<void>(house.scheduler.submit(every_day().spec, 1));
  }
  Household house(world);
  house.let_end();
  CHECK(house.sweeps().size() == 1);
  CHECK(house.only().last_sweep_id == 1);
  CHECK(house.only().last_outcome == LastOutcome::done);
  CHECK(house.only().next_at_ns == world.now_ns + day_ns);
}

TEST_CASE("a deleted schedule leaves its sweeps, and its number to nobody else") {
  World world;
  Household house(world);
  static_cast<void>(house.schedules.create(every_day()));
  world.now_ns += day_ns;
  house.schedules.look();
  house.let_end();
  house.schedules.remove(1);
  CHECK(house.schedules.list().empty());
  CHECK(house.sweeps().at(0).schedule_id == 1);
  CHECK_THROWS_AS(house.schedules.remove(1), Error);
  CHECK_THROWS_AS(static_cast<void>(house.schedules.find(1)), Error);
  CHECK(house.schedules.create(every_day()).id == 2);
}

TEST_CASE("a sweep that can't be is refused with the schedule, field by field") {
  World world;
  Household house(world);
  SweepSchedule wish = every_day();
  wish.spec.target = "/dev/sda";
  wish.spec.rw = {Rw::randwrite};
  try {
    static_cast<void>(house.schedules.create(wish));
    FAIL("it was made");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::forbidden);
    CHECK(error.fields().at(0).field == "sweep.target");
  }
  wish = every_day();
  wish.when.daily_minute = 210;
  CHECK_THROWS_AS(static_cast<void>(house.schedules.create(wish)), Error);
  CHECK(house.schedules.list().empty());
}

TEST_CASE("the thread runs what is due, and stops at once") {
  World world;
  Household house(world);
  Schedules quick(house.store, house.scheduler, world.workshop.settings, nullptr,
                  [&world] { return world.now_ns.load(); }, {milliseconds(5), milliseconds(5)});
  static_cast<void>(quick.create(every_day()));
  quick.start();
  world.now_ns += day_ns;
  CHECK(wait_until([&] { return quick.list().at(0).last_outcome == LastOutcome::done; }));
  const auto before = Clock::now();
  quick.stop();
  CHECK(Clock::now() - before < milliseconds(500));
  CHECK(house.sweeps().size() == 1);
}
