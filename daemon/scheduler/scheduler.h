// The queue of sweeps and the pool that works it off: `workers` sweeps side by side, never two on
// one physical device. Owns its threads; every public function is safe from any thread and none
// waits for a disk, except that submit and plan probe the target.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/events/hub.h"
#include "daemon/model/event.h"
#include "daemon/model/settings.h"
#include "daemon/model/sweep.h"
#include "daemon/scheduler/deadlines.h"
#include "daemon/scheduler/engine_host.h"
#include "daemon/scheduler/machine_probe.h"
#include "daemon/scheduler/meters.h"
#include "storage/store.h"

namespace iobenchd::scheduler {

enum class TargetState : std::uint8_t { free, busy, stuck };

// A target as `GET /targets` shows it.
struct TargetView {
  TargetFacts facts;
  bool scratch = false;                                          // the scratch directory
  bool allowed = false, may_write = false, read_in_use = false;  // by the configuration
  TargetState state = TargetState::free;
  std::int64_t sweep_id = 0;                    // busy or stuck with
  std::vector<std::string> shares_device_with;  // paths of other targets on the same leaves
};

// A physical device that a sweep has had since the daemon started.
struct DeviceView {
  std::string name;
  TargetState state = TargetState::free;
};

class Scheduler {
 public:
  // Takes up what an earlier life left: runs that were running are interrupted, their sweeps queued
  // again.
  Scheduler(storage::Store& store, events::Hub& hub, EngineHost& host, const Settings& settings,
            MachineProbe machine = {}, const Timing& timing = {});
  ~Scheduler();  // stop()
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Judges the spec against the target's facts. Throws Error{invalid} with every wrong field and,
  // where the size doesn't fit, the size that would; forbidden; confirmation_needed.
  [[nodiscard]] Plan plan(const SweepSpec& spec);
  // The same for a sweep of some later day: what was written today counts for nothing.
  [[nodiscard]] Plan plan_for_later(const SweepSpec& spec);
  // Judges as plan() does, then stores and queues it. `schedule_id`: what asks; 0: a person. Throws
  // Error{queue_full, storage_full, ...} as well.
  [[nodiscard]] Sweep submit(const SweepSpec& spec, std::int64_t schedule_id = 0);
  // Throws Error{not_found}, Error{conflict} when it is over. Returns at once; the run ends in
  // under a second.
  void cancel(std::int64_t sweep_id);

  [[nodiscard]] std::optional<Progress> progress(
      std::int64_t sweep_id) const;  // of a queued or running sweep
  [[nodiscard]] std::optional<std::uint32_t> position(
      std::int64_t sweep_id) const;  // 1 is next; of a queued one
  [[nodiscard]] std::uint32_t queued() const;
  [[nodiscard]] std::uint32_t running() const;
  [[nodiscard]] std::uint32_t queue_limit() const;
  // By name. Asks no disk, so that it answers while one hangs.
  [[nodiscard]] std::vector<DeviceView> devices() const;
  [[nodiscard]] const Meters& meters() const noexcept;
  [[nodiscard]] std::vector<TargetView> targets();
  [[nodiscard]] Circumstances system() const;  // this machine, without a target

  void reload(const Settings& settings);
  // Interrupts what runs and starts nothing more; stop() then finds little to wait for.
  void interrupt();
  // Interrupts what runs and joins the pool; waits for no engine. Idempotent.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace iobenchd::scheduler
