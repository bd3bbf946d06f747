// When is a schedule due? Arithmetic of calendars and of the host's local time, as localtime_r has
// it. Pure but for the host's time zone, which is read once; safe from any thread.
#pragma once

#include <cstdint>

#include "daemon/model/settings.h"
#include "daemon/model/sweep_schedule.h"

namespace iobenchd::scheduler {

// The first occurrence after that moment, without jitter. `every` counts from the anchor, in both
// directions. A local time that a day doesn't have (clocks are put forward) is the first one behind
// the gap; of one that comes twice the first counts.
[[nodiscard]] std::int64_t next_occurrence(const Recurrence& when, std::int64_t anchor_ns,
                                           std::int64_t after_ns);

// How many occurrences there are in (after, until]; counted up to 100 000.
[[nodiscard]] std::uint64_t occurrences_between(const Recurrence& when, std::int64_t anchor_ns,
                                                std::int64_t after_ns, std::int64_t until_ns);

// The jitter of one occurrence: the same each time it is asked for, 0 to jitter_ns.
[[nodiscard]] std::int64_t jitter_of(const Recurrence& when, std::uint64_t seed,
                                     std::int64_t due_at_ns) noexcept;

// What is due later than this was reckoned by a clock that has been put back since.
[[nodiscard]] std::int64_t longest_wait_ns(const Recurrence& when) noexcept;

[[nodiscard]] bool in_quiet_hours(const Settings& settings, std::int64_t wall_ns);

}  // namespace iobenchd::scheduler
