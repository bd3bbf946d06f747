// Time as the house spells it: UTC nanoseconds since 1970 for records, monotonic nanoseconds for
// spans. Safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace iobenchd {

[[nodiscard]] std::int64_t wall_now_ns() noexcept;
[[nodiscard]] std::uint64_t monotonic_now_ns() noexcept;
[[nodiscard]] std::string rfc3339(std::int64_t wall_ns);  // "2026-11-30T09:13:50.123Z"; empty for 0
using WallClock = std::function<std::int64_t()>;          // tests fix time

}  // namespace iobenchd
