#include "daemon/engine/clock.h"

#include <cmath>

namespace iobenchd::engine {
namespace {

constexpr double most_drift = 0.001;
constexpr std::uint64_t half_span_ns = 5'000'000;
constexpr auto one = static_cast<double>(std::uint64_t{1} << tick_shift);

std::uint64_t rounded(double value) noexcept {
  return static_cast<std::uint64_t>(std::llround(value));
}

double rate(const ClockReading& from, const ClockReading& to) noexcept {
  const auto cycles = static_cast<double>(to.cycles - from.cycles);
  const auto ns = static_cast<double>(to.monotonic_ns - from.monotonic_ns);
  return cycles > 0 ? ns / cycles : 0;
}

bool agree(double a, double b) noexcept {
  return a > 0 && b > 0 && std::fabs(a / b - 1) <= most_drift;
}

void sleep_until(std::uint64_t monotonic_ns) noexcept {
  const std::uint64_t now = PosixClock::now();
  if (now < monotonic_ns) sleep_ns(monotonic_ns - now);
}

}  // namespace

std::uint64_t ClockScale::to_ns(std::uint64_t ticks) const noexcept {
  if (source == ClockSource::clock_gettime) return ticks;
  return rounded(static_cast<double>(ticks) * (static_cast<double>(multiplier) / one));
}

std::uint64_t ClockScale::to_ticks(std::uint64_t ns) const noexcept {
  if (source == ClockSource::clock_gettime) return ns;
  return rounded(static_cast<double>(ns) * (one / static_cast<double>(multiplier)));
}

double ClockScale::ticks_per_ns() const noexcept {
  return source == ClockSource::clock_gettime ? 1 : one / static_cast<double>(multiplier);
}

void sleep_ns(std::uint64_t ns) noexcept {
  timespec rest{};
  rest.tv_sec = static_cast<std::time_t>(ns / 1'000'000'000);
  rest.tv_nsec = static_cast<long>(ns % 1'000'000'000);
  nanosleep(&rest, nullptr);
}

ClockReading read_clocks() noexcept {
  // The tightest of five: a reading that was interrupted in the middle is off by what interrupted.
  ClockReading best;
  std::uint64_t best_width = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = cycles_now();
    const std::uint64_t ns = PosixClock::now();
    const std::uint64_t width = cycles_now() - before;
    if (width >= best_width) continue;
    best_width = width;
    best = {before + width / 2, ns};
  }
  return best;
}

Calibration::Calibration(bool trust_cycles) noexcept
    : cycles_(trust_cycles && has_cycle_counter()), first_(read_clocks()) {}

ClockScale Calibration::settle() noexcept {
  ClockScale scale;
  if (!cycles_) return scale;
  sleep_until(first_.monotonic_ns + half_span_ns);
  const ClockReading middle = read_clocks();
  sleep_until(middle.monotonic_ns + half_span_ns);
  const ClockReading last = read_clocks();
  cycles_ = agree(rate(first_, middle), rate(middle, last));
  if (!cycles_) return scale;
  ns_per_cycle_ = rate(first_, last);
  scale.source = ClockSource::tsc;
  scale.multiplier = rounded(ns_per_cycle_ * one);
  return scale;
}

bool Calibration::held() const noexcept {
  return !cycles_ || agree(rate(first_, read_clocks()), ns_per_cycle_);
}

}  // namespace iobenchd::engine
