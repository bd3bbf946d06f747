// The engine's one clock: ticks, and what a tick is worth. On x86, where the kernel itself counts
// with the time-stamp counter, a tick is a cycle; elsewhere a nanosecond of CLOCK_MONOTONIC. The
// loops are templates over the two clocks, so nothing is chosen per I/O. Safe from any thread.
#pragma once

#include <cstdint>
#include <ctime>

#include "daemon/model/frame.h"

namespace iobenchd::engine {

// nanoseconds = ticks * multiplier >> tick_shift: 24 bits keep the product of a six-minute latency
// within 64 bits and the rate exact to 1e-7.
inline constexpr std::uint32_t tick_shift = 24;

struct ClockScale {
  ClockSource source = ClockSource::clock_gettime;
  std::uint64_t multiplier = std::uint64_t{1} << tick_shift;

  [[nodiscard]] std::uint64_t to_ns(std::uint64_t ticks) const noexcept;  // any span; not for loops
  [[nodiscard]] std::uint64_t to_ticks(std::uint64_t ns) const noexcept;
  [[nodiscard]] double ticks_per_ns() const noexcept;
};

// May end early, when a signal comes.
void sleep_ns(std::uint64_t ns) noexcept;

// Whether this kind of processor has a counter at all (clock_x86.cpp, clock_portable.cpp).
[[nodiscard]] bool has_cycle_counter() noexcept;
[[nodiscard]] std::uint64_t cycles_now() noexcept;

struct PosixClock {
  static std::uint64_t now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
  }
  static std::uint64_t span_ns(std::uint64_t ticks, std::uint64_t) noexcept { return ticks; }
  static void sleep(std::uint64_t ticks, std::uint64_t) noexcept { sleep_ns(ticks); }
};

struct CycleClock {
  static std::uint64_t now() noexcept { return cycles_now(); }
  static std::uint64_t span_ns(std::uint64_t ticks, std::uint64_t multiplier) noexcept {
    return (ticks * multiplier) >> tick_shift;
  }
  static void sleep(std::uint64_t ticks, std::uint64_t multiplier) noexcept {
    sleep_ns(span_ns(ticks, multiplier));
  }
};

// Both clocks at one instant.
struct ClockReading {
  std::uint64_t cycles = 0;
  std::uint64_t monotonic_ns = 0;
};
[[nodiscard]] ClockReading read_clocks() noexcept;

// Finds the counter's rate against CLOCK_MONOTONIC while the jobs set themselves up, and says at
// the end whether it held.
class Calibration {
 public:
  explicit Calibration(bool trust_cycles) noexcept;  // the first reading

  // The second reading, at least 10 ms later (it sleeps what is missing of them). Falls back to
  // clock_gettime where two halves of the span differ by more than 0.1 %.
  [[nodiscard]] ClockScale settle() noexcept;
  // Whether the rate from start to now is within 0.1 % of what settle() found.
  [[nodiscard]] bool held() const noexcept;

 private:
  bool cycles_;
  ClockReading first_;
  double ns_per_cycle_ = 1;
};

}  // namespace iobenchd::engine
