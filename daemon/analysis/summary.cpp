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

// Percentiles that a source printed without the buckets behind them.
template <typename Target, typename Source>
void copy_percentiles(Target& target, const Source& printed) {
  target.latency_min_ns = printed.latency_min_ns;
  target.latency_p50_ns = printed.latency_p50_ns;
  target.latency_p90_ns = printed.latency_p90_ns;
  target.latency_p99_ns = printed.latency_p99_ns;
  target.latency_p99_9_ns = printed.latency_p99_9_ns;
  target.latency_p99_99_ns = printed.latency_p99_99_ns;
  target.latency_max_ns = printed.latency_max_ns;
}

// What is left of several distributions that are known by their percentiles alone: percentiles are
// not averaged, so only the extremes.
DirectionFigures extremes(std::span<const DirectionFigures> distributions) {
  DirectionFigures both;
  for (const DirectionFigures& one : distributions) {
    if (one.latency_max_ns == 0) continue;
    const bool first = both.latency_max_ns == 0;
    both.latency_min_ns =
        first ? one.latency_min_ns : std::min(both.latency_min_ns, one.latency_min_ns);
    both.latency_max_ns = std::max(both.latency_max_ns, one.latency_max_ns);
  }
  return both;
}

// Several distributions on their way to one: from merged buckets where all have them.
class Distributions {
 public:
  // `printed`: its percentiles, where they are known; they must be where the buckets aren't.
  template <typename Source>
  void add(const Histogram& latency, const Source& printed) {
    if (latency.count == 0 && printed.latency_max_ns == 0) return;
    const bool buckets = latency.count > 0;
    all_have_buckets_ = all_have_buckets_ && buckets;
    DirectionFigures& one = distributions_.emplace_back();
    copy_percentiles(one, printed);
    if (printed.latency_max_ns == 0) set_percentiles(one, latency);
    merged_.merge(latency);
  }

  template <typename Target>
  void show_in(Target& target) const {
    if (all_have_buckets_) {
      set_percentiles(target, merged_);
    } else {
      copy_percentiles(
          target, distributions_.size() == 1 ? distributions_.front() : extremes(distributions_));
    }
  }
  [[nodiscard]] bool empty() const { return distributions_.empty(); }

 private:
  std::vector<DirectionFigures> distributions_;
  Histogram merged_;
  bool all_have_buckets_ = true;
};

// A direction of a run, by what was measured and by what an imported one's source printed.
struct Direction {
  Traffic Measurement::*measured;
  DirectionFigures Run::Imported::*printed;
};
constexpr Direction reads{&Measurement::read, &Run::Imported::read};
constexpr Direction writes{&Measurement::write, &Run::Imported::write};
constexpr Direction fsyncs{&Measurement::fsync, &Run::Imported::fsync};

// One direction of a mixed point, or its fsyncs.
DirectionFigures merge_direction(std::span<const Run* const> runs, const Direction& which) {
  std::vector<double> iops, bandwidths, means;
  Distributions latencies;
  for (const Run* run : runs) {
    const Measurement& measurement = run->measurement;
    const Traffic& traffic = measurement.*which.measured;
    DirectionFigures one = run->imported.*which.printed;
    if (!run->imported_figures) {
      set_figures(one, traffic, static_cast<double>(measurement.measured_ns) / 1e9);
    }
    iops.push_back(one.iops);
    bandwidths.push_back(one.bandwidth_bytes_per_s);
    means.push_back(one.latency_mean_ns);
    latencies.add(traffic.latency, one);
  }
  DirectionFigures figures;
  figures.iops = median(iops);
  figures.bandwidth_bytes_per_s = median(bandwidths);
  figures.latency_mean_ns = median(means);
  latencies.show_in(figures);
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

void set_cpu(const Measurement& measurement, double ios, RunSummary& summary) {
  const double seconds = static_cast<double>(measurement.measured_ns) / 1e9;
  if (seconds <= 0) return;
  const auto user = static_cast<double>(measurement.cpu_user_ns);
  const auto system = static_cast<double>(measurement.cpu_system_ns);
  summary.cpu_user_percent = user / seconds / 1e7;
  summary.cpu_system_percent = system / seconds / 1e7;
  if (ios > 0) summary.cpu_per_io_ns = (user + system) / ios;
}

// What the source printed. Reads and writes whose buckets it didn't print share extremes alone.
void printed_figures(const Run& run, RunSummary& summary) {
  const Run::Imported& imported = run.imported;
  const Measurement& measurement = run.measurement;
  summary.measured_seconds = static_cast<double>(measurement.measured_ns) / 1e9;
  summary.iops = imported.iops;
  summary.bandwidth_bytes_per_s = imported.bandwidth_bytes_per_s;
  summary.latency_mean_ns = imported.latency_mean_ns;
  set_cpu(measurement, imported.iops * summary.measured_seconds, summary);
  Distributions latencies;
  latencies.add(measurement.read.latency, imported.read);
  latencies.add(measurement.write.latency, imported.write);
  latencies.show_in(summary);
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
  summary.iops = ios / seconds;
  summary.bandwidth_bytes_per_s =
      static_cast<double>(measurement.read.bytes + measurement.write.bytes) / seconds;
  set_cpu(measurement, ios, summary);
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
    printed_figures(run, summary);
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
  Distributions latencies;
  Point point;
  point.setting = runs.front()->setting;
  point.repeats = static_cast<std::uint32_t>(runs.size());
  for (const Run* run : runs) {
    lines.push_back(summarise(*run));
    const RunSummary& line = lines.back();
    latencies.add(merged_latency(run->measurement), line);
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
  latencies.show_in(point);
  point.has_percentiles = !latencies.empty();
  point.has_latency = point.latency_mean_ns > 0;
  if (mixed(point.setting.rw) && point.has_percentiles) {
    point.read = merge_direction(runs, reads);
    point.write = merge_direction(runs, writes);
  }
  const auto synced = [](const Run* run) { return run->measurement.fsync.ios > 0; };
  if (std::any_of(runs.begin(), runs.end(), synced)) point.fsync = merge_direction(runs, fsyncs);
  return point;
}

}  // namespace iobenchd::analysis
