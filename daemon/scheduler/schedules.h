// The keeper of schedules: watches the clock and queues the sweep of each that is due, unless
// something speaks against it; then sees how it went. Owns one thread (start() begins it); every
// public function is safe from any thread. Throws Error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/model/clock.h"
#include "daemon/model/settings.h"
#include "daemon/model/sweep_schedule.h"
#include "daemon/scheduler/scheduler.h"
#include "storage/store.h"

namespace iobenchd::scheduler {

inline constexpr std::size_t schedules_most = 200;

struct ScheduleTiming {
  std::chrono::milliseconds look{1'000};    // at the clock
  std::chrono::milliseconds retry{60'000};  // of what a load, a budget or a full queue stopped
};

class Schedules {
 public:
  // Takes up what an earlier life left: of what was missed one run is made up for.
  Schedules(storage::Store& store, Scheduler& scheduler, const Settings& settings,
            std::function<double()> load_average, WallClock now = wall_now_ns,
            const ScheduleTiming& timing = {});
  ~Schedules();  // stop()
  Schedules(const Schedules&) = delete;
  Schedules& operator=(const Schedules&) = delete;

  void start();
  void stop();  // waits for a look that is under way, 5 s at most; idempotent

  [[nodiscard]] std::vector<SweepSchedule> list() const;    // newest first
  [[nodiscard]] SweepSchedule find(std::int64_t id) const;  // throws Error{not_found}
  // Both judge the sweep against its target's facts, as submit does. Of the argument only what a
  // person may say counts: label, when, max_load, paused, spec.
  [[nodiscard]] SweepSchedule create(const SweepSchedule& wish);
  [[nodiscard]] SweepSchedule change(std::int64_t id, const SweepSchedule& wish);
  void remove(std::int64_t id);  // its sweeps stay

  void reload(const Settings& settings);  // quiet_hours
  void look();                            // what the thread does, once

 private:
  void work();
  void take_over();
  void look_at(SweepSchedule schedule);
  void follow(SweepSchedule& schedule);
  void judge(SweepSchedule& schedule, const Sweep& sweep);
  [[nodiscard]] WaitsFor why_not_now(const SweepSchedule& schedule, std::int64_t now_ns,
                                     std::string& why);
  void run(SweepSchedule& schedule, std::int64_t now_ns);
  void wait(SweepSchedule& schedule, WaitsFor what, const std::string& why);
  void set_next(SweepSchedule& schedule, std::int64_t after_ns) const;
  void advance(SweepSchedule& schedule, std::int64_t now_ns) const;
  void show(const SweepSchedule& schedule);
  void keep(const SweepSchedule& schedule);
  [[nodiscard]] Settings settings_now() const;

  storage::Store& store_;
  Scheduler& scheduler_;
  const std::function<double()> load_average_;
  const WallClock now_;
  const ScheduleTiming timing_;

  std::mutex work_;  // one looks or changes at a time; may wait for a disk's facts
  std::map<std::int64_t, std::int64_t> tried_at_ns_;  // of those that wait; guarded by work_
  mutable std::mutex mutex_;                          // guards the rest, never held for long
  std::condition_variable changed_;
  std::vector<SweepSchedule> schedules_;  // newest first
  Settings settings_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace iobenchd::scheduler
