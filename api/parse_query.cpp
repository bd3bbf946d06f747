#include "api/parse_query.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "api/parse_fields.h"
#include "daemon/model/error.h"
#include "daemon/model/load.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Exactly `digits` digits from the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) noexcept {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) noexcept {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) noexcept {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // Nanoseconds of 64 bits end in 2262.
  if (!date.ok() || *year < 1970 || *year > 2261) return std::nullopt;
  return std::chrono::sys_days(date);
}

// "09:13" as minutes.
std::optional<int> take_minutes(std::string_view& text) noexcept {
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  return *hour * 60 + *minute;
}

std::int64_t take_fraction_ns(std::string_view& text) noexcept {
  if (!take(text, '.')) return 0;
  std::int64_t value = 0, unit = 100'000'000;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value += (text.front() - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return value;
}

std::optional<int> take_offset_minutes(std::string_view& text) noexcept {
  if (take(text, 'Z') || take(text, 'z')) return 0;
  const bool east = take(text, '+');
  if (!east && !take(text, '-')) return std::nullopt;
  const auto minutes = take_minutes(text);
  if (!minutes) return std::nullopt;
  return east ? *minutes : -*minutes;
}

}  // namespace

std::optional<std::int64_t> parse_moment_ns(std::string_view text) noexcept {
  constexpr std::int64_t second_ns = 1'000'000'000, minute_ns = 60 * second_ns;
  const auto date = take_date(text);
  if (!date) return std::nullopt;
  const std::int64_t midnight_ns = date->time_since_epoch().count() * 1440 * minute_ns;
  if (text.empty()) return midnight_ns;
  if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return std::nullopt;
  const auto minutes = take_minutes(text);
  if (!minutes || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 60) return std::nullopt;
  const std::int64_t fraction_ns = take_fraction_ns(text);
  const auto offset = take_offset_minutes(text);
  if (!offset || !text.empty()) return std::nullopt;
  return midnight_ns + (*minutes - *offset) * minute_ns + *second * second_ns + fraction_ns;
}

QueryReader::QueryReader(const Request& request, std::initializer_list<std::string_view> known)
    : request_(request) {
  for (const auto& [name, unused] : request.query) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string all;
    for (const std::string_view other : known)
      all += (all.empty() ? "" : ", ") + std::string(other);
    wrong_.push_back("unknown query parameter " + shown(name) +
                     (all.empty() ? "; this call takes none" : "; known are " + all));
  }
}

std::optional<std::string> QueryReader::text(const std::string& name) {
  const auto found = request_.query.find(name);
  if (found == request_.query.end()) return std::nullopt;
  return found->second;
}

bool QueryReader::flag(const std::string& name) {
  const auto given = text(name);
  if (!given || *given == "false" || *given == "0") return false;
  if (!given->empty() && *given != "true" && *given != "1") refuse(name, "true or false");
  return true;
}

std::optional<std::uint64_t> QueryReader::whole(const std::string& name, std::uint64_t least,
                                                std::uint64_t most) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = parse_whole(*given);
  if (!value || *value < least || *value > most) {
    refuse(name, whole_range(least, most).need);
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint32_t> QueryReader::size(const std::string& name) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto bytes = parse_size_bytes(*given);
  if (!bytes || *bytes == 0 || *bytes > max_block_bytes) {
    refuse(name, "bytes or a size such as \"4k\", up to 16m,");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*bytes);
}

std::optional<std::int64_t> QueryReader::time_ns(const std::string& name) {
  return choice(name, parse_moment_ns,
                "a time such as \"2026-11-30T09:13:50Z\" or a day such as \"2026-11-30\"");
}

void QueryReader::refuse(const std::string& name, std::string_view need) {
  const auto found = request_.query.find(name);
  const std::string given = found == request_.query.end() ? "" : found->second;
  wrong_.push_back("query parameter " + name + ": " + refusal(given, need));
}

void QueryReader::finish() const {
  if (wrong_.empty()) return;
  std::string all;
  for (const std::string& one : wrong_) all += (all.empty() ? "" : "; ") + one;
  throw Error(ErrorCode::invalid, all);
}

}  // namespace iobenchd::api
