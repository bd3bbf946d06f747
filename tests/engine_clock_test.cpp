#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <ctime>

#include "daemon/engine/clock.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

// A counter of 4 GHz: four ticks a nanosecond, 2^24 / 4.
ClockScale four_gigahertz() {
  ClockScale scale;
  scale.source = ClockSource::tsc;
  scale.multiplier = 4'194'304;
  return scale;
}

}  // namespace

TEST_CASE("ticks of a 4 GHz counter are quarters of nanoseconds, both ways") {
  const ClockScale scale = four_gigahertz();
  CHECK(scale.to_ns(4'000'000'000) == 1'000'000'000);
  CHECK(scale.to_ticks(1'000'000'000) == 4'000'000'000);
  CHECK(CycleClock::span_ns(400, scale.multiplier) == 100);
  // An I/O that hung for two minutes must not wrap around to a quick one.
  CHECK(CycleClock::span_ns(480'000'000'000, scale.multiplier) == 120'000'000'000);
}

TEST_CASE("without a counter a tick is a nanosecond") {
  const ClockScale scale;
  CHECK(scale.to_ns(123) == 123);
  CHECK(scale.to_ticks(123) == 123);
  CHECK(PosixClock::span_ns(123, scale.multiplier) == 123);
}

TEST_CASE("a counter that the kernel doesn't trust is never used") {
  Calibration calibration(false);
  CHECK(calibration.settle().source == ClockSource::clock_gettime);
  CHECK(calibration.held());
}

TEST_CASE("the calibrated counter and CLOCK_MONOTONIC agree on how long 50 ms are") {
  Calibration calibration(true);
  const ClockScale scale = calibration.settle();
  if (scale.source != ClockSource::tsc) {
    MESSAGE("skipped: this processor has no steady cycle counter");
    return;
  }
  const ClockReading before = read_clocks();
  timespec rest{};
  rest.tv_nsec = 50'000'000;
  nanosleep(&rest, nullptr);
  const ClockReading after = read_clocks();
  const auto by_cycles = static_cast<double>(scale.to_ns(after.cycles - before.cycles));
  const auto by_kernel = static_cast<double>(after.monotonic_ns - before.monotonic_ns);
  CHECK(std::fabs(by_cycles / by_kernel - 1) < 0.001);
  CHECK(calibration.held());
}
