#include "daemon/scheduler/timetable.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "daemon/scheduler/random.h"

namespace iobenchd::scheduler {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t minute_s = 60, hour_s = 3'600, day_s = 86'400;
constexpr std::int64_t grid_s = 15 * minute_s;  // every offset of today's zones is a multiple
// Local time is at most 14 h ahead of UTC and 12 h behind.
constexpr std::int64_t ahead_most_s = 15 * hour_s, behind_most_s = 13 * hour_s;
constexpr std::uint64_t counted_most = 100'000;

std::int64_t floor_divide(std::int64_t value, std::int64_t by) noexcept {
  const std::int64_t quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

// What the clock on the wall shows, as seconds since a 1970 that began by it.
std::int64_t local_seconds(std::int64_t utc_s) {
  const auto time = static_cast<std::time_t>(utc_s);
  std::tm local{};
  localtime_r(&time, &local);
  const std::chrono::sys_days date{std::chrono::year(local.tm_year + 1900) /
                                   std::chrono::month(static_cast<unsigned>(local.tm_mon + 1)) /
                                   std::chrono::day(static_cast<unsigned>(local.tm_mday))};
  return date.time_since_epoch().count() * day_s + local.tm_hour * hour_s +
         local.tm_min * minute_s + local.tm_sec;
}

// The first moment at which the clock on the wall shows that time or a later one. Local time runs
// back once a year, so this is no search by halves: the grid holds each moment that shows exactly
// this time, and behind a gap the minutes between two of its lines are looked through.
std::int64_t moment_of(std::int64_t wanted_local_s) {
  std::int64_t utc_s = wanted_local_s - ahead_most_s;
  while (utc_s < wanted_local_s + behind_most_s && local_seconds(utc_s) < wanted_local_s)
    utc_s += grid_s;
  while (local_seconds(utc_s - minute_s) >= wanted_local_s) utc_s -= minute_s;
  return utc_s;
}

std::int64_t next_daily(std::uint32_t minute, std::int64_t after_ns) {
  const std::int64_t after_s = floor_divide(after_ns, second_ns);
  std::int64_t day = floor_divide(local_seconds(after_s), day_s);
  for (;; ++day) {
    const std::int64_t moment_ns = moment_of(day * day_s + minute * minute_s) * second_ns;
    if (moment_ns > after_ns) return moment_ns;
  }
}

}  // namespace

std::int64_t next_occurrence(const Recurrence& when, std::int64_t anchor_ns,
                             std::int64_t after_ns) {
  if (when.every_ns == 0) return next_daily(when.daily_minute.value_or(0), after_ns);
  const auto every_ns = static_cast<std::int64_t>(when.every_ns);
  return anchor_ns + (floor_divide(after_ns - anchor_ns, every_ns) + 1) * every_ns;
}

std::uint64_t occurrences_between(const Recurrence& when, std::int64_t anchor_ns,
                                  std::int64_t after_ns, std::int64_t until_ns) {
  if (until_ns <= after_ns) return 0;
  if (when.every_ns != 0) {
    const auto every_ns = static_cast<std::int64_t>(when.every_ns);
    const std::int64_t count =
        floor_divide(until_ns - anchor_ns, every_ns) - floor_divide(after_ns - anchor_ns, every_ns);
    return std::min(static_cast<std::uint64_t>(count), counted_most);
  }
  // Days differ in length by an hour or two, never in number.
  const auto local_day = [&](std::int64_t wall_ns) {
    return floor_divide(local_seconds(floor_divide(wall_ns, second_ns)), day_s);
  };
  const std::int64_t days = local_day(until_ns) - local_day(after_ns);
  const std::int64_t from = local_day(after_ns), minute = when.daily_minute.value_or(0);
  const auto passed = [&](std::int64_t day, std::int64_t by_ns) {
    return moment_of(day * day_s + minute * minute_s) * second_ns <= by_ns ? 1 : 0;
  };
  const std::int64_t count = days + passed(from + days, until_ns) - passed(from, after_ns);
  return std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)), counted_most);
}

std::int64_t jitter_of(const Recurrence& when, std::uint64_t seed,
                       std::int64_t due_at_ns) noexcept {
  if (when.jitter_ns == 0) return 0;
  std::uint64_t state = seed + static_cast<std::uint64_t>(due_at_ns);
  return static_cast<std::int64_t>(next_random(state) % (when.jitter_ns + 1));
}

std::int64_t longest_wait_ns(const Recurrence& when) noexcept {
  // Twice the time from one to the next: a clock that is corrected by a little just after a run
  // doesn't make it due again.
  const std::uint64_t period_ns =
      when.every_ns != 0 ? when.every_ns : static_cast<std::uint64_t>(day_s * second_ns);
  return static_cast<std::int64_t>(2 * period_ns + when.jitter_ns);
}

bool in_quiet_hours(const Settings& settings, std::int64_t wall_ns) {
  const std::int64_t local_s = local_seconds(floor_divide(wall_ns, second_ns));
  const std::int64_t minute = (local_s - floor_divide(local_s, day_s) * day_s) / minute_s;
  for (std::uint32_t i = 0; i < settings.quiet_count && i < max_quiet_spans; ++i) {
    const std::int64_t begin = settings.quiet_hours[i].begin_minute;
    const std::int64_t end = settings.quiet_hours[i].end_minute;
    const bool over_midnight = begin > end;
    const bool within =
        over_midnight ? minute >= begin || minute < end : minute >= begin && minute < end;
    if (within) return true;
  }
  return false;
}

}  // namespace iobenchd::scheduler
