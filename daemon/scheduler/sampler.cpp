#include "daemon/scheduler/sampler.h"

#include <utility>

namespace iobenchd::scheduler {

void Sampler::add(const TickBody& tick, bool ramp) {
  if (current_.span_ns != 0 && current_.ramp != ramp) close();
  current_.ramp = ramp;
  current_.span_ns += tick.span_ns;
  current_.read_ios += tick.read.ios;
  current_.write_ios += tick.write.ios;
  current_.read_bytes += tick.read.bytes;
  current_.write_bytes += tick.write.bytes;
  latency_.merge(tick.read.latency);
  latency_.merge(tick.write.latency);
  // Ticks are late by a little, never by half: four of them make a second.
  if (current_.span_ns >= 4 * tick_ns - tick_ns / 2) close();
}

std::vector<Sample> Sampler::take() {
  if (current_.span_ns != 0) close();
  return std::exchange(samples_, {});
}

void Sampler::close() {
  current_.second = static_cast<std::uint32_t>(samples_.size());
  current_.latency_mean_ns = static_cast<std::uint64_t>(latency_.mean_ns());
  current_.latency_p50_ns = latency_.percentile_ns(50'000);
  current_.latency_p99_ns = latency_.percentile_ns(99'000);
  current_.latency_max_ns = latency_.max_ns;
  samples_.push_back(current_);
  current_ = Sample{};
  latency_ = Histogram{};
}

}  // namespace iobenchd::scheduler
