// When a schedule is due, by calendars that can be looked up. Central Europe's rule is written out,
// so that no zone file is needed: summer time from the last Sunday of March, 02:00, to the last
// Sunday of October, 03:00.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

#include "daemon/model/clock.h"
#include "daemon/scheduler/timetable.h"

using namespace iobenchd;
using namespace iobenchd::scheduler;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000, minute_ns = 60 * second_ns,
                       hour_ns = 60 * minute_ns, day_ns = 24 * hour_ns;

// A zone for as long as a test lasts.
class Zone {
 public:
  explicit Zone(const char* rule) {
    const char* before = std::getenv("TZ");
    if (before != nullptr) before_ = before;
    had_one_ = before != nullptr;
    setenv("TZ", rule, 1);
    tzset();
  }
  ~Zone() {
    if (had_one_)
      setenv("TZ", before_.c_str(), 1);
    else
      unsetenv("TZ");
    tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  std::string before_;
  bool had_one_ = false;
};

constexpr const char* central_europe = "CET-1CEST,M3.5.0,M10.5.0/3";
constexpr const char* new_york = "EST5EDT,M3.2.0,M11.1.0";

// Days since 1970 of some dates: 2026-03-28, 2026-10-24 and 2026-12-01.
constexpr std::int64_t march_28 = 20'540, october_24 = 20'750, december_1 = 20'788;

constexpr std::int64_t utc(std::int64_t day, std::int64_t hour, std::int64_t minute = 0) {
  return day * day_ns + hour * hour_ns + minute * minute_ns;
}

Recurrence daily(std::uint32_t hour, std::uint32_t minute) {
  Recurrence when;
  when.daily_minute = hour * 60 + minute;
  return when;
}

Recurrence every(std::int64_t ns) {
  Recurrence when;
  when.every_ns = static_cast<std::uint64_t>(ns);
  return when;
}

Settings quiet(std::uint32_t begin_minute, std::uint32_t end_minute) {
  Settings settings;
  settings.quiet_count = 1;
  settings.quiet_hours[0] = {begin_minute, end_minute};
  return settings;
}

}  // namespace

TEST_CASE("the days that these tests reckon with are the dates they say") {
  CHECK(rfc3339(utc(march_28, 0)) == "2026-03-28T00:00:00.000Z");
  CHECK(rfc3339(utc(october_24, 0)) == "2026-10-24T00:00:00.000Z");
  CHECK(rfc3339(utc(december_1, 0)) == "2026-12-01T00:00:00.000Z");
}

TEST_CASE("every 24 h counts from its anchor, before it and behind it") {
  const Recurrence when = every(24 * hour_ns);
  const std::int64_t anchor = utc(december_1, 14, 30);
  CHECK(next_occurrence(when, anchor, anchor) == utc(december_1 + 1, 14, 30));
  CHECK(next_occurrence(when, anchor, anchor - 1) == anchor);
  CHECK(next_occurrence(when, anchor, anchor + 3 * day_ns + 1) == utc(december_1 + 4, 14, 30));
  CHECK(next_occurrence(when, anchor, anchor - day_ns) == anchor);
  CHECK(next_occurrence(when, anchor, anchor - 3 * day_ns - hour_ns) == anchor - 3 * day_ns);
}

TEST_CASE("daily 03:30 is the host's 03:30: 02:30 UTC in winter, 01:30 in summer") {
  const Zone zone(central_europe);
  const Recurrence when = daily(3, 30);
  CHECK(next_occurrence(when, 0, utc(december_1, 0)) == utc(december_1, 2, 30));
  CHECK(next_occurrence(when, 0, utc(december_1, 2, 30)) == utc(december_1 + 1, 2, 30));
  CHECK(next_occurrence(when, 0, utc(december_1, 23, 30)) == utc(december_1 + 1, 2, 30));
  // From the last day of winter time to the first of summer time there are 23 hours.
  const std::int64_t last = next_occurrence(when, 0, utc(march_28, 0));
  CHECK(last == utc(march_28, 2, 30));
  CHECK(next_occurrence(when, 0, last) == utc(march_28 + 1, 1, 30));
}

TEST_CASE("west of Greenwich the day is another, and 03:30 still 03:30") {
  const Zone zone(new_york);
  CHECK(next_occurrence(daily(3, 30), 0, utc(december_1, 2)) == utc(december_1, 8, 30));
  CHECK(next_occurrence(daily(23, 59), 0, utc(december_1, 2)) == utc(december_1, 4, 59));
  CHECK(next_occurrence(daily(0, 0), 0, utc(december_1, 5)) == utc(december_1 + 1, 5));
}

TEST_CASE("a time that the day doesn't have is the first that it has behind the gap") {
  const Zone zone(central_europe);
  // On 2026-03-29 clocks go from 02:00 to 03:00, at 01:00 UTC.
  for (const std::uint32_t minute : {0U, 7U, 30U, 59U}) {
    CAPTURE(minute);
    const std::int64_t found = next_occurrence(daily(2, minute), 0, utc(march_28, 12));
    CHECK(found == utc(march_28 + 1, 1));
    CHECK(next_occurrence(daily(2, minute), 0, found) == utc(march_28 + 2, 0, minute));
  }
}

TEST_CASE("of a time that comes twice the first counts, and it runs once") {
  const Zone zone(central_europe);
  // On 2026-10-25 clocks go from 03:00 back to 02:00, at 01:00 UTC: 02:30 is 00:30 and 01:30 UTC.
  for (const std::uint32_t minute : {0U, 13U, 30U, 59U}) {
    CAPTURE(minute);
    const std::int64_t found = next_occurrence(daily(2, minute), 0, utc(october_24, 12));
    CHECK(found == utc(october_24 + 1, 0, minute));
    CHECK(next_occurrence(daily(2, minute), 0, found) == utc(october_24 + 2, 1, minute));
  }
}

TEST_CASE("what was missed is counted: both ends of a span, and a year of days") {
  const Recurrence hourly = every(hour_ns);
  const std::int64_t due = utc(december_1, 6);
  CHECK(occurrences_between(hourly, due, due, due) == 0);
  CHECK(occurrences_between(hourly, due, due, due + hour_ns - 1) == 0);
  CHECK(occurrences_between(hourly, due, due, due + hour_ns) == 1);
  CHECK(occurrences_between(hourly, due, due, due + 5 * hour_ns + 1) == 5);
  CHECK(occurrences_between(hourly, due, due, due - day_ns) == 0);
  const Zone zone(central_europe);
  const std::int64_t first = next_occurrence(daily(2, 30), 0, utc(march_28 - 1, 12));
  CHECK(first == utc(march_28, 1, 30));
  CHECK(occurrences_between(daily(2, 30), 0, first, utc(march_28 + 1, 1) - 1) == 0);
  CHECK(occurrences_between(daily(2, 30), 0, first, utc(march_28 + 1, 1)) == 1);
  CHECK(occurrences_between(daily(2, 30), 0, first, first + 365 * day_ns) == 365);
}

TEST_CASE("jitter is drawn anew for each occurrence, is the same when asked again, and bounded") {
  Recurrence when = daily(3, 30);
  CHECK(jitter_of(when, 7, utc(december_1, 2, 30)) == 0);
  when.jitter_ns = 600 * static_cast<std::uint64_t>(second_ns);
  auto least = static_cast<std::int64_t>(when.jitter_ns);
  std::int64_t most = 0;
  for (std::int64_t day = 0; day < 200; ++day) {
    const std::int64_t jitter = jitter_of(when, 7, utc(december_1 + day, 2, 30));
    CHECK(jitter == jitter_of(when, 7, utc(december_1 + day, 2, 30)));
    least = std::min(least, jitter);
    most = std::max(most, jitter);
  }
  CHECK(least >= 0);
  CHECK(least < 60 * second_ns);
  CHECK(most > 540 * second_ns);
  CHECK(most <= 600 * second_ns);
  CHECK(jitter_of(when, 7, utc(december_1, 2, 30)) != jitter_of(when, 8, utc(december_1, 2, 30)));
}

TEST_CASE("quiet hours are local, may go over midnight, and don't include their end") {
  const Zone zone(central_europe);
  const Settings night = quiet(22 * 60, 7 * 60);
  CHECK_FALSE(in_quiet_hours(night, utc(december_1, 20, 59)));  // 21:59
  CHECK(in_quiet_hours(night, utc(december_1, 21)));            // 22:00
  CHECK(in_quiet_hours(night, utc(december_1, 23, 30)));        // 00:30
  CHECK(in_quiet_hours(night, utc(december_1, 5, 59)));         // 06:59
  CHECK_FALSE(in_quiet_hours(night, utc(december_1, 6)));       // 07:00
  const Settings noon = quiet(12 * 60, 13 * 60);
  CHECK(in_quiet_hours(noon, utc(december_1, 11, 30)));
  CHECK_FALSE(in_quiet_hours(noon, utc(december_1, 12)));
  CHECK(in_quiet_hours(quiet(23 * 60, 1440), utc(december_1, 22, 59)));
  CHECK_FALSE(in_quiet_hours(quiet(23 * 60, 1440), utc(december_1, 23)));
  CHECK_FALSE(in_quiet_hours(Settings{}, utc(december_1, 0)));
}

TEST_CASE("times of the day are read strictly and written back") {
  CHECK(parse_time_of_day("03:30") == 210U);
  CHECK(parse_time_of_day("00:00") == 0U);
  CHECK(parse_time_of_day("23:59") == 1439U);
  CHECK(parse_time_of_day("24:00", true) == 1440U);
  for (const char* wrong : {"24:00", "3:30", "03:60", "0330", "03:3o", "25:00", "", "03:30 "})
    CHECK_FALSE(parse_time_of_day(wrong).has_value());
  CHECK(time_of_day_text(210) == "03:30");
  CHECK(time_of_day_text(0) == "00:00");
}
