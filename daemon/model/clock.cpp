#include "daemon/model/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace iobenchd {
namespace {

std::uint64_t now_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::int64_t wall_now_ns() noexcept {
  return static_cast<std::int64_t>(now_ns(CLOCK_REALTIME));
}

std::uint64_t monotonic_now_ns() noexcept {
  return now_ns(CLOCK_MONOTONIC);
}

std::string rfc3339(std::int64_t wall_ns) {
  if (wall_ns == 0) return {};
  const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  const auto milliseconds = static_cast<int>(wall_ns / 1'000'000 % 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 40> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ", milliseconds);
  return text.data();
}

}  // namespace iobenchd
