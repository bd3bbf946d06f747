#include "daemon/analysis/summary.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/little.h"
#include "daemon/analysis/noise.h"

namespace iobenchd::analysis {
namespace {

// The percentiles of a run or a point: both have these fields.
template <typename Target>
void set_percentiles(Target& target, const Histogram& latency) {
  if (latency.count == 0) return;
  target.latency_min_ns = latency.min_ns;
  target.latency_p50_ns = latency.percentile_ns(50'000);
  target.latency_p90_ns = latency.percentile_ns(90'000);
  target.latency_p99_ns = latency.percentile_ns(99'000);
  target.latency_p99_9_ns = latency.percentile_ns(99'900);
  target.latency_p99_99_ns = latency.percentile_ns(99'990);
  target.latency_max_ns = latency.max_ns;
}

void set_figures(DirectionFigures& figures, const Traffic& traffic, double seconds) {
  if (seconds <= 0) return;
  figures.iops = static_cast<double>(traffic.ios) / seconds;
  figures.bandwidth_bytes_per_s = static_cast<double>(traffic.bytes) / seconds;
  figures.latency_mean_ns = traffic.latency.mean_ns();
}

// One direction of a mixed point, or its fsyncs.
DirectionFigures merge_direction(std::span<const Run* const> runs, Traffic Measurement::*which) {
  std::vector<double> iops, bandwidths, means;
  Histogram latency;
  for (const Run* run : runs) {
    const Measurement& measurement = run->measurement;
    DirectionFigures one;
    set_figures(one, measurement.*which, static_cast<double>(measurement.measured_ns) / 1e9);
    iops.push_back(one.iops);
    bandwidths.push_back(one.bandwidth_bytes_per_s);
    means.push_back(one.latency_mean_ns);
    latency.merge((measurement.*which).latency);
  }
  DirectionFigures figures;
  figures.iops = median(iops);
  figures.bandwidth_bytes_per_s = median(bandwidths);
  figures.latency_mean_ns = median(means);
  set_percentiles(figures, latency);
  return figures;
}

// What the run and its surroundings say of themselves.
RunSummary identity(const Run& run) {
  RunSummary summary;
  summary.run_id = run.id;
  summary.sweep_id = run.sweep_id;
  summary.setting = run.setting;
  summary.repeat = run.repeat;
  summary.is_drift_check = run.is_drift_check;
  summary.state = run.state;
  summary.started_at_ns = run.started_at_ns;
  summary.finished_at_ns = run.finished_at_ns;
  summary.error = run.error;
  summary.target = run.circumstances.target;
  summary.serial = run.circumstances.serial;
  summary.model = run.circumstances.model;
  summary.host = run.circumstances.host;
  summary.ioengine = run.measurement.ioengine;
  summary.direct = run.measurement.direct;
  summary.engine_flags = run.measurement.engine_flags;
  return summary;
}

void measured_figures(const Measurement& measurement, RunSummary& summary) {
  const double seconds = static_cast<double>(measurement.measured_ns) / 1e9;
  summary.measured_seconds = seconds;
  summary.load_average = measurement.load_average;
  summary.wakeup_delay_p99_ns = measurement.wakeup_delay.p99_ns;
  const Histogram latency = merged_latency(measurement);
  summary.latency_mean_ns = latency.mean_ns();
  set_percentiles(summary, latency);
  if (seconds <= 0) return;
  const auto ios = static_cast<double>(measurement.read.ios + measurement.write.ios);
  const auto user = static_cast<double>(measurement.cpu_user_ns);
  const auto system = static_cast<double>(measurement.cpu_system_ns);
  summary.iops = ios / seconds;
  summary.bandwidth_bytes_per_s =
      static_cast<double>(measurement.read.bytes + measurement.write.bytes) / seconds;
  summary.cpu_user_percent = user / seconds / 1e7;
  summary.cpu_system_percent = system / seconds / 1e7;
  if (ios > 0) summary.cpu_per_io_ns = (user + system) / ios;
}

}  // namespace

Histogram merged_latency(const Measurement& measurement) noexcept {
  Histogram latency = measurement.read.latency;
  latency.merge(measurement.write.latency);
  return latency;
}

RunSummary summarise(const Run& run) {
  RunSummary summary = identity(run);
  if (run.imported_figures) {
    summary.iops = run.imported.iops;
    summary.bandwidth_bytes_per_s = run.imported.bandwidth_bytes_per_s;
    summary.latency_mean_ns = run.imported.latency_mean_ns;
    summary.measured_seconds = static_cast<double>(run.measurement.measured_ns) / 1e9;
  } else {
    measured_figures(run.measurement, summary);
  }
  summary.concurrency = concurrency(summary.iops, summary.latency_mean_ns);
  summary.depth_attained = depth_attained(summary.concurrency, summary.setting);
  return summary;
}

Point merge_point(std::span<const Run* const> runs) {
  std::vector<RunSummary> lines;
  lines.reserve(runs.size());
  Histogram latency;
  Point point;
  point.setting = runs.front()->setting;
  point.repeats = static_cast<std::uint32_t>(runs.size());
  for (const Run* run : runs) {
    lines.push_back(summarise(*run));
    latency.merge(merged_latency(run->measurement));
    const RunSummary& line = lines.back();
    point.repeat_iops.push_back(line.iops);
    if (line.latency_mean_ns > 0) point.repeat_latency_mean_ns.push_back(line.latency_mean_ns);
    if (line.latency_p99_ns > 0)
      point.repeat_latency_p99_ns.push_back(static_cast<double>(line.latency_p99_ns));
    point.run_ids.push_back(run->id);
  }
  const Run& first = *runs.front();
  point.ioengine = first.measurement.ioengine;
  // A printed table doesn't say that it had none.
  if (first.measurement.direct || !first.imported_figures) point.direct = first.measurement.direct;
  const auto median_of = [&lines](auto member) {
    std::vector<double> values;
    values.reserve(lines.size());
    for (const RunSummary& line : lines) {
      values.push_back(static_cast<double>(std::invoke(member, line)));
    }
    return median(values);
  };
  point.iops = median_of(&RunSummary::iops);
  point.iops_ci95 = interval95(point.repeat_iops);
  point.bandwidth_bytes_per_s = median_of(&RunSummary::bandwidth_bytes_per_s);
  point.latency_mean_ns = median_of(&RunSummary::latency_mean_ns);
  point.concurrency = median_of(&RunSummary::concurrency);
  point.depth_attained = median_of(&RunSummary::depth_attained);
  point.cpu_user_percent = median_of(&RunSummary::cpu_user_percent);
  point.cpu_system_percent = median_of(&RunSummary::cpu_system_percent);
  point.cpu_per_io_ns = median_of(&RunSummary::cpu_per_io_ns);
  point.load_average = median_of(&RunSummary::load_average);
  point.wakeup_delay_p99_ns =
      static_cast<std::uint64_t>(median_of(&RunSummary::wakeup_delay_p99_ns));
  set_percentiles(point, latency);
  point.has_percentiles = latency.count > 0;
  point.has_latency = point.latency_mean_ns > 0;
  if (mixed(point.setting.rw) && point.has_percentiles) {
    point.read = merge_direction(runs, &Measurement::read);
    point.write = merge_direction(runs, &Measurement::write);
  }
  const auto synced = [](const Run* run) { return run->measurement.fsync.ios > 0; };
  if (std::any_of(runs.begin(), runs.end(), synced))
    point.fsync = merge_direction(runs, &Measurement::fsync);
  return point;
}

}  // namespace iobenchd::analysis
