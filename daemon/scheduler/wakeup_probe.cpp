#include "daemon/scheduler/wakeup_probe.h"

#include <chrono>

#include "daemon/model/clock.h"

namespace iobenchd::scheduler {

constexpr std::chrono::milliseconds nap{10};

WakeupProbe::WakeupProbe() : thread_([this] { run(); }) {}

WakeupProbe::~WakeupProbe() {
  over_ = true;
  thread_.join();
}

void WakeupProbe::run() {
  constexpr auto nap_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(nap).count());
  while (!over_) {
    const std::uint64_t before = monotonic_now_ns();
    std::this_thread::sleep_for(nap);
    const std::uint64_t slept = monotonic_now_ns() - before;
    const std::lock_guard lock(mutex_);
    delays_.add(slept > nap_ns ? slept - nap_ns : 0);
  }
}

void WakeupProbe::restart() {
  const std::lock_guard lock(mutex_);
  delays_ = Histogram{};
}

WakeupDelay WakeupProbe::seen() {
  const std::lock_guard lock(mutex_);
  return {delays_.count, delays_.percentile_ns(50'000), delays_.percentile_ns(99'000),
          delays_.max_ns};
}

}  // namespace iobenchd::scheduler
