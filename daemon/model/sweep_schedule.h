// A sweep that is asked for again and again: when, under which conditions, and how it went so far.
// Plain values; times are UTC nanoseconds since 1970, 0 for "not yet".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/error.h"
#include "daemon/model/sweep.h"

namespace iobenchd {

inline constexpr std::uint64_t every_least_ns = 60'000'000'000;
inline constexpr std::uint64_t every_most_ns = std::uint64_t{366} * 86'400'000'000'000;

// Exactly one of the two.
struct Recurrence {
  std::uint64_t every_ns = 0;                 // 0: daily
  std::optional<std::uint32_t> daily_minute;  // since midnight, by the host's clock
  std::uint64_t jitter_ns = 0;                // later by up to this, drawn anew each time
  bool operator==(const Recurrence&) const = default;
};

// What a run that is due waits for.
enum class WaitsFor : std::uint8_t { nothing, load, quiet_hours, budget, queue, unavailable };
[[nodiscard]] std::string_view to_string(WaitsFor value) noexcept;  // empty for nothing

// What became of the last run that was due.
enum class LastOutcome : std::uint8_t { none, queued, running, done, failed, cancelled, refused };
[[nodiscard]] std::string_view to_string(LastOutcome value) noexcept;  // empty for none
[[nodiscard]] std::optional<LastOutcome> parse_last_outcome(std::string_view text) noexcept;
[[nodiscard]] LastOutcome outcome_of(SweepState state) noexcept;

// The newest sweep was worse than those before it, since then and until one is not.
struct Regression {
  std::int64_t since_ns = 0;
  std::int64_t sweep_id = 0;  // the first that was worse
  std::string sentence;       // of the newest
  bool operator==(const Regression&) const = default;
};

struct SweepSchedule {
  std::int64_t id = 0;
  std::string label;
  Recurrence when;
  std::optional<double> max_load;  // one-minute load average above which a run waits
  bool paused = false;
  SweepSpec spec;
  std::uint64_t seed = 0;  // of the jitter
  std::int64_t created_at_ns = 0;
  std::int64_t anchor_ns = 0;   // `every` counts from here: when it was made, changed or resumed
  std::int64_t due_at_ns = 0;   // the next run without its jitter; 0: paused
  std::int64_t next_at_ns = 0;  // with it
  std::int64_t last_at_ns = 0;  // when the last run was queued, or refused
  std::int64_t last_sweep_id = 0;
  LastOutcome last_outcome = LastOutcome::none;
  std::string last_error;            // why it was refused or waits; empty: all is well
  std::uint64_t missed = 0;          // occurrences that passed without a run of their own
  std::int64_t judged_after_id = 0;  // sweeps up to this one asked for something else
  std::optional<Regression> regression;
  WaitsFor waits_for = WaitsFor::nothing;  // of this life; never stored
};

// Everything that is wrong whatever the target is, but for the sweep's own fields. Empty when it is
// sound.
[[nodiscard]] std::vector<FieldError> validate(const SweepSchedule& schedule);

// "03:30" -> 210. None for anything else; "24:00" (1440) only where `may_be_midnight`.
[[nodiscard]] std::optional<std::uint32_t> parse_time_of_day(std::string_view text,
                                                             bool may_be_midnight = false) noexcept;
[[nodiscard]] std::string time_of_day_text(std::uint32_t minute);

}  // namespace iobenchd
