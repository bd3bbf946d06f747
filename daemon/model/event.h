// What the hub carries. An event is a hint that truth changed; the truth is in the store. Plain
// values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd {

// The steps of a sweep as a user sees them.
enum class SweepPhase : std::uint8_t {
  waiting,
  reference,
  grace,  // before the first write to a device
  layout,
  precondition,
  ramp,
  measure,
  verify,
  cooldown,
  yielding,
  finished
};
[[nodiscard]] std::string_view to_string(SweepPhase value) noexcept;

struct Progress {
  std::uint32_t runs_done = 0, runs_total = 0;
  SweepPhase phase = SweepPhase::waiting;
  double eta_s = 0;
  double fraction = 0;  // 0..1 of the whole sweep, by time
  bool has_current = false;
  Setting current;
  double iops = 0, latency_mean_ns = 0;  // of the last tick
  std::uint64_t layout_done_bytes = 0, layout_total_bytes = 0;
  std::string waits_for;  // what stops it, while it can't be stored as the sweep's error
};

enum class EventKind : std::uint8_t { progress, run, state };

struct Event {
  std::uint64_t seq = 0;  // 0 for progress, which is never replayed
  std::int64_t sweep_id = 0;
  EventKind kind = EventKind::progress;
  Progress progress;  // always the latest
  RunSummary run;     // kind run
  SweepState state = SweepState::queued;
  std::string answer, error;  // kind state
};

}  // namespace iobenchd
