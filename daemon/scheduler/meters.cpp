#include "daemon/scheduler/meters.h"

namespace iobenchd::scheduler {

void LatencyCounts::add(const Histogram& histogram) noexcept {
  std::size_t bound = 0;
  std::uint64_t seen = 0;
  for (std::uint32_t index = 0; index < histogram_buckets; ++index) {
    for (; bound < at_most.size() && bucket_midpoint_ns(index) > latency_bounds_ns[bound]; ++bound)
      at_most[bound] += seen;
    seen += histogram.buckets[index];
  }
  for (; bound < at_most.size(); ++bound) at_most[bound] += seen;
  count += histogram.count;
  sum_s += static_cast<double>(histogram.sum_ns) / 1e9;
}

TargetCounts& Meters::of(const std::string& target) {
  const auto found = counts_.targets.find(target);
  if (found != counts_.targets.end()) return found->second;
  const bool full = counts_.targets.size() >= metered_targets_most;
  return counts_.targets[full ? other_targets : target];
}

void Meters::count_written(const std::string& target, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  of(target).written_bytes += bytes;
}

void Meters::count_run(const std::string& target, const Run& run) {
  const std::lock_guard lock(mutex_);
  ++counts_.runs.at(static_cast<std::size_t>(run.state));
  TargetCounts& counts = of(target);
  if (run.state != RunState::done) return;
  counts.read.add(run.measurement.read.latency);
  counts.write.add(run.measurement.write.latency);
}

void Meters::count_sweep(SweepState end) {
  const std::lock_guard lock(mutex_);
  ++counts_.sweeps.at(static_cast<std::size_t>(end));
}

Counts Meters::now() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace iobenchd::scheduler
