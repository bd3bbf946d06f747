#include "daemon/model/quantity.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>

namespace iobenchd {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kib = 1024, mib = kib << 10, gib = kib << 20, tib = kib << 30,
                        pib = kib << 40;
constexpr std::array<Unit, 17> size_units{{{"", 1},
                                           {"b", 1},
                                           {"k", kib},
                                           {"kb", kib},
                                           {"kib", kib},
                                           {"m", mib},
                                           {"mb", mib},
                                           {"mib", mib},
                                           {"g", gib},
                                           {"gb", gib},
                                           {"gib", gib},
                                           {"t", tib},
                                           {"tb", tib},
                                           {"tib", tib},
                                           {"p", pib},
                                           {"pb", pib},
                                           {"pib", pib}}};

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::array<Unit, 10> time_units{{{"", second_ns},
                                           {"ns", 1},
                                           {"us", 1'000},
                                           {"µs", 1'000},
                                           {"ms", 1'000'000},
                                           {"s", second_ns},
                                           {"m", 60 * second_ns},
                                           {"min", 60 * second_ns},
                                           {"h", 3600 * second_ns},
                                           {"d", 86'400 * second_ns}}};

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view text, std::string_view name) noexcept {
  if (text.size() != name.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != name[i]) return false;
  }
  return true;
}

// digits [ "." digits ] unit, in integers throughout: a double would turn 2^63 + 1 into 2^63.
std::optional<std::uint64_t> parse(std::string_view text, std::span<const Unit> units) noexcept {
  std::uint64_t digits = 0;       // the number without its point
  std::uint64_t denominator = 1;  // 10^decimals
  std::size_t at = 0, decimals = 0;
  bool point = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      if (at == 0) return std::nullopt;
      point = true;
      continue;
    }
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    if (digits > (most - digit) / 10) return std::nullopt;
    digits = digits * 10 + digit;
    if (!point) continue;
    if (++decimals > 18) return std::nullopt;
    denominator *= 10;
  }
  if (at == 0 || (point && decimals == 0)) return std::nullopt;
  for (const Unit& unit : units) {
    if (!same_name(text.substr(at), unit.name)) continue;
    // Whole part and rest apart, so that "18446744073709551615" and "1.5p" both fit.
    const std::uint64_t whole = digits / denominator, rest = digits % denominator;
    if (whole > most / unit.factor || (rest != 0 && rest > most / unit.factor)) return std::nullopt;
    if (rest * unit.factor % denominator != 0) return std::nullopt;
    const std::uint64_t fraction = rest * unit.factor / denominator;
    if (whole * unit.factor > most - fraction) return std::nullopt;
    return whole * unit.factor + fraction;
  }
  return std::nullopt;
}

template <typename... Arguments>
std::string printed(const char* format, Arguments... arguments) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, arguments...);
  return text.data();
}

}  // namespace

std::optional<std::uint64_t> parse_size_bytes(std::string_view text) noexcept {
  return parse(text, size_units);
}

std::optional<std::uint64_t> parse_time_ns(std::string_view text) noexcept {
  return parse(text, time_units);
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> names{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return printed("%u B", static_cast<unsigned>(bytes));
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < names.size(); ++unit) value /= 1024;
  const bool whole = value == std::floor(value);
  return printed(whole ? "%.0f %s" : "%.1f %s", value, names[unit]);
}

std::string time_text(double seconds) {
  if (!(seconds > 0)) return "0 s";
  if (seconds < 0.05) return latency_text(seconds * 1e9);  // tenths would make it nothing
  if (seconds < 9.95) {
    const double tenths = std::round(seconds * 10) / 10;
    return printed(tenths == std::floor(tenths) ? "%.0f s" : "%.1f s", tenths);
  }
  // Two units at most, the smaller rounded: nobody plans by "3 h 12 min 4 s".
  const double rounded = std::round(seconds);
  if (rounded < 60) return printed("%.0f s", rounded);
  struct Step {
    double bigger, smaller, below;
    const char *big, *small;
  };
  constexpr std::array<Step, 3> steps{
      {{60, 1, 3600, "min", "s"},
       {3600, 60, 86'400, "h", "min"},
       {86'400, 3600, std::numeric_limits<double>::infinity(), "d", "h"}}};
  for (const Step& step : steps) {
    const double small_units = std::round(seconds / step.smaller);
    if (small_units * step.smaller >= step.below) continue;
    const double ratio = step.bigger / step.smaller;
    const double big = std::floor(small_units / ratio), small = small_units - big * ratio;
    if (small == 0) return printed("%.0f %s", big, step.big);
    return printed("%.0f %s %.0f %s", big, step.big, small, step.small);
  }
  return "forever";  // only infinity comes here
}

std::string latency_text(double latency_ns) {
  constexpr std::array<const char*, 4> names{"ns", "µs", "ms", "s"};
  if (!(latency_ns > 0)) return "0 ns";
  double value = latency_ns;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < names.size(); ++unit) value /= 1000;
  const bool whole = unit == 0 && value == std::floor(value);
  const int decimals = whole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return printed("%.*f %s", decimals, value, names[unit]);
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ' ');
  }
  return text;
}

}  // namespace iobenchd
