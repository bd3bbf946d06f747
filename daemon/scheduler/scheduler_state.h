// What the scheduler's files share. `mutex` guards everything that is not const, a room of its own,
// or used before the pool starts.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "daemon/scheduler/meters.h"
#include "daemon/scheduler/plan.h"
#include "daemon/scheduler/run_queue.h"
#include "daemon/scheduler/runner.h"
#include "daemon/scheduler/scheduler.h"

namespace iobenchd::scheduler {

// An engine that was killed and is not reaped: its sweep's devices stay taken.
struct LingeringEngine {
  std::int64_t sweep_id = 0;
  std::unique_ptr<EngineProcess> process;
};

// A lease that no engine of this life holds. The jobs of one that was killed a moment ago may, too:
// it counts at once, and is told of when it lasts.
struct StuckLease {
  std::chrono::steady_clock::time_point since;
  bool told = false;
};

struct Scheduler::State {
  State(storage::Store& store_, events::Hub& hub_, EngineHost& host_, const Settings& settings_,
        MachineProbe machine_, const Timing& timing_);

  // The pool (scheduler.cpp).
  void take_over();  // what an earlier life left
  void grow_pool();
  void work();
  void work_in_peace();
  void remove_leftovers();
  void ask_leaves(std::unique_lock<std::mutex>& lock);
  void run_sweep(std::unique_lock<std::mutex>& lock, QueuedSweep entry);
  void tell_runner(Runner& runner, std::int64_t sweep_id);
  void reap();
  [[nodiscard]] bool is_time_to_tend() const;
  void tend(std::unique_lock<std::mutex>& lock);
  void release_unless_lingering(std::int64_t sweep_id);
  void look_at_leases();
  [[nodiscard]] std::string why_waiting(const std::vector<std::string>& leaves) const;

  // Judgement and targets (scheduler_targets.cpp).
  // With mutex held. `holder` of these devices; 0: nobody.
  [[nodiscard]] TargetState state_of(std::int64_t holder,
                                     const std::vector<std::string>& leaves) const;
  [[nodiscard]] Settings settings_now();
  [[nodiscard]] Ability ability();
  [[nodiscard]] TargetFacts facts_for(const SweepSpec& spec);
  [[nodiscard]] Judgement judge_now(const SweepSpec& spec, bool for_later = false);

  storage::Store& store;
  events::Hub& hub;
  EngineHost& host;
  const MachineProbe machine;
  const Timing timing;
  Meters meters;

  mutable std::mutex mutex;
  std::condition_variable changed;
  Settings settings;
  RunQueue queue;
  std::map<std::int64_t, std::shared_ptr<Runner>> running;
  std::vector<LingeringEngine> lingering;
  std::map<std::string, StuckLease> stuck;  // by lease_name
  std::vector<std::thread> pool;
  std::string scratch_real_dir;
  std::uint32_t being_submitted = 0;  // places in the queue that are spoken for
  bool taken_over = false, leftovers_removed = false, asking = false, stopping = false;
  bool tending = false, more_to_tend = false;
  std::chrono::steady_clock::time_point tend_next;
};

}  // namespace iobenchd::scheduler
