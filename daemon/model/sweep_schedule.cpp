#include "daemon/model/sweep_schedule.h"

#include <array>
#include <cmath>

namespace iobenchd {
namespace {

constexpr std::uint32_t day_minutes = 1440;
constexpr std::uint64_t day_ns = 86'400'000'000'000;

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string_view to_string(WaitsFor value) noexcept {
  switch (value) {
    case WaitsFor::nothing:
      return "";
    case WaitsFor::load:
      return "load";
    case WaitsFor::quiet_hours:
      return "quiet_hours";
    case WaitsFor::budget:
      return "budget";
    case WaitsFor::queue:
      return "queue";
    case WaitsFor::unavailable:
      return "unavailable";
  }
  return "";
}

std::string_view to_string(LastOutcome value) noexcept {
  switch (value) {
    case LastOutcome::none:
      return "";
    case LastOutcome::queued:
      return "queued";
    case LastOutcome::running:
      return "running";
    case LastOutcome::done:
      return "done";
    case LastOutcome::failed:
      return "failed";
    case LastOutcome::cancelled:
      return "cancelled";
    case LastOutcome::refused:
      return "refused";
  }
  return "";
}

std::optional<LastOutcome> parse_last_outcome(std::string_view text) noexcept {
  constexpr std::array all{LastOutcome::none,   LastOutcome::queued, LastOutcome::running,
                           LastOutcome::done,   LastOutcome::failed, LastOutcome::cancelled,
                           LastOutcome::refused};
  for (const LastOutcome value : all)
    if (to_string(value) == text) return value;
  return std::nullopt;
}

LastOutcome outcome_of(SweepState state) noexcept {
  switch (state) {
    case SweepState::queued:
      return LastOutcome::queued;
    case SweepState::running:
      return LastOutcome::running;
    case SweepState::done:
      return LastOutcome::done;
    case SweepState::failed:
      return LastOutcome::failed;
    case SweepState::cancelled:
      return LastOutcome::cancelled;
  }
  return LastOutcome::none;
}

std::vector<FieldError> validate(const SweepSchedule& schedule) {
  std::vector<FieldError> errors;
  const Recurrence& when = schedule.when;
  if ((when.every_ns != 0) == when.daily_minute.has_value()) {
    errors.push_back({"every", "exactly one of every (\"24h\") and daily (\"03:30\") is needed"});
    return errors;
  }
  if (when.every_ns != 0 && (when.every_ns < every_least_ns || when.every_ns > every_most_ns))
    errors.push_back({"every", "from 1 minute to 366 days"});
  if (when.daily_minute && *when.daily_minute >= day_minutes)
    errors.push_back({"daily", "from 00:00 to 23:59"});
  // Else a run could come after the next one is due.
  if (when.jitter_ns >= (when.every_ns != 0 ? when.every_ns : day_ns))
    errors.push_back({"jitter", "must be less than the time from one run to the next"});
  if (schedule.max_load && !(std::isfinite(*schedule.max_load) && *schedule.max_load > 0))
    errors.push_back({"max_load", "a number above 0, or null, is needed"});
  return errors;
}

std::optional<std::uint32_t> parse_time_of_day(std::string_view text,
                                               bool may_be_midnight) noexcept {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const std::size_t i : {0U, 1U, 3U, 4U})
    if (!is_digit(text[i])) return std::nullopt;
  const auto number = [&](std::size_t at) {
    return static_cast<std::uint32_t>((text[at] - '0') * 10 + (text[at + 1] - '0'));
  };
  const std::uint32_t minute = number(0) * 60 + number(3);
  if (number(3) > 59 || minute > day_minutes) return std::nullopt;
  if (minute == day_minutes && !may_be_midnight) return std::nullopt;
  return minute;
}

std::string time_of_day_text(std::uint32_t minute) {
  const auto two = [](std::uint32_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  return two(minute / 60) + ":" + two(minute % 60);
}

}  // namespace iobenchd
