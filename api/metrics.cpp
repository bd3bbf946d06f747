// GET /metrics: what Prometheus asks for. Names carry base units, and no label is a sweep: labels
// are devices, targets, measurements and schedules, each bounded in number. Asks no disk.
#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "api/handlers.h"
#include "api/metrics_spots.h"
#include "api/metrics_text.h"
#include "api/parse_query.h"
#include "api/server.h"
#include "daemon/scheduler/plan.h"
#include "daemon/version.h"

namespace iobenchd::api {

namespace {

using Labels = MetricsText::Labels;

constexpr std::uint32_t measurements_most = 200;

// To the millisecond, as the API tells times.
double in_seconds(std::int64_t wall_ns) {
  const std::int64_t wall_ms = wall_ns / 1'000'000;
  return static_cast<double>(wall_ms) / 1e3;
}

double flag(bool value) {
  return value ? 1 : 0;
}

void add_daemon(MetricsText& metrics, const Context& context) {
  metrics.family("iobenchd_build_info", "gauge", "Always 1; its labels tell the build.");
  metrics.value(1, {{"version", std::string(program_version)},
                    {"build_type", std::string(build_type)},
                    {"compiler", std::string(compiler)}});
  metrics.family("iobenchd_ready", "gauge", "1: new sweeps are accepted; 0: /readyz says why not.");
  metrics.value(flag(context.store.trouble().empty()));
  metrics.family("iobenchd_queue_length", "gauge", "Sweeps that wait.");
  metrics.value(context.scheduler.queued());
  metrics.family("iobenchd_queue_limit", "gauge", "Sweeps that may wait (queue_limit).");
  metrics.value(context.scheduler.queue_limit());
  metrics.family("iobenchd_sweeps_running", "gauge", "Sweeps under way.");
  metrics.value(context.scheduler.running());
}

void add_devices(MetricsText& metrics, const Context& context) {
  const std::vector<scheduler::DeviceView> devices = context.scheduler.devices();
  metrics.family("iobenchd_device_run_active", "gauge",
                 "1: a sweep is at work on this device, and whatever else measures it measures "
                 "that, too. Devices that a sweep has had since the daemon started.");
  for (const scheduler::DeviceView& device : devices)
    metrics.value(flag(device.state == scheduler::TargetState::busy), {{"device", device.name}});
  metrics.family("iobenchd_device_stuck", "gauge",
                 "1: an engine was ended on this device and isn't gone yet: the device hangs.");
  for (const scheduler::DeviceView& device : devices)
    metrics.value(flag(device.state == scheduler::TargetState::stuck), {{"device", device.name}});
}

void add_latencies(MetricsText& metrics, const scheduler::Counts& counts) {
  std::array<double, scheduler::latency_bounds_ns.size()> bounds{}, at_most{};
  std::transform(scheduler::latency_bounds_ns.begin(), scheduler::latency_bounds_ns.end(),
                 bounds.begin(), [](std::uint64_t ns) { return static_cast<double>(ns) / 1e9; });
  metrics.family("iobenchd_io_latency_seconds", "histogram",
                 "How long the I/Os of good runs took, ramps left out, since the daemon started.");
  for (const auto& [target, counted] : counts.targets) {
    const std::array<std::pair<const char*, const scheduler::LatencyCounts*>, 2> directions{
        {{"read", &counted.read}, {"write", &counted.write}}};
    for (const auto& [direction, latency] : directions) {
      if (latency->count == 0) continue;
      std::transform(latency->at_most.begin(), latency->at_most.end(), at_most.begin(),
                     [](std::uint64_t ios) { return static_cast<double>(ios); });
      metrics.histogram(bounds, at_most, latency->sum_s, static_cast<double>(latency->count),
                        {{"target", target}, {"direction", direction}});
    }
  }
}

void add_counts(MetricsText& metrics, const scheduler::Counts& counts) {
  metrics.family("iobenchd_sweeps_total", "counter", "Sweeps that ended since the daemon started.");
  for (const SweepState end : {SweepState::done, SweepState::failed, SweepState::cancelled})
    metrics.value(static_cast<double>(counts.sweeps.at(static_cast<std::size_t>(end))),
                  {{"state", std::string(to_string(end))}});
  metrics.family("iobenchd_runs_total", "counter", "Runs that ended since the daemon started.");
  for (const RunState end :
       {RunState::done, RunState::failed, RunState::interrupted, RunState::cancelled})
    metrics.value(static_cast<double>(counts.runs.at(static_cast<std::size_t>(end))),
                  {{"state", std::string(to_string(end))}});
  metrics.family("iobenchd_written_bytes_total", "counter",
                 "Bytes written to this target since the daemon started: test files, "
                 "preconditioning, and runs with their ramps.");
  for (const auto& [target, counted] : counts.targets)
    metrics.value(static_cast<double>(counted.written_bytes), {{"target", target}});
  add_latencies(metrics, counts);
}

Labels labels_of(const LatestRun& run) {
  const Identity& of = run.identity;
  return {{"target", run.target},
          {"serial", of.serial},
          {"rw", std::string(to_string(of.setting.rw))},
          {"bs", scheduler::size_text(of.setting.block_bytes)},
          {"iodepth", std::to_string(of.setting.iodepth)},
          {"numjobs", std::to_string(of.setting.numjobs)},
          {"ioengine", std::string(to_string(of.ioengine))},
          {"direct", of.direct ? "true" : "false"},
          {"size_class", std::to_string(of.size_class)},
          {"workload", of.workload}};
}

// Each measurement's newest run, whatever sweep it was of. What a run doesn't know it doesn't say.
void add_latest_runs(MetricsText& metrics, const Context& context) {
  std::vector<std::pair<Labels, LatestRun>> runs;
  std::set<Labels> seen;  // a machine that was renamed has other measurements of the same labels
  for (const LatestRun& run : context.store.history().latest(measurements_most)) {
    Labels labels = labels_of(run);
    if (seen.insert(labels).second) runs.emplace_back(std::move(labels), run);
  }
  std::sort(runs.begin(), runs.end(),
            [](const auto& one, const auto& other) { return one.first < other.first; });
  const auto add = [&](const char* name, const char* help, auto figure) {
    metrics.family(name, "gauge", help);
    for (const auto& [labels, run] : runs)
      if (const double value = figure(run); value > 0) metrics.value(value, labels);
  };
  add("iobenchd_last_run_iops", "I/Os a second of this measurement's newest good run.",
      [](const LatestRun& run) { return run.iops; });
  add("iobenchd_last_run_bandwidth_bytes_per_second", "Bytes a second of the same run.",
      [](const LatestRun& run) { return run.bandwidth_bytes_per_s; });
  add("iobenchd_last_run_latency_mean_seconds", "Mean latency of the same run.",
      [](const LatestRun& run) { return run.latency_mean_ns / 1e9; });
  add("iobenchd_last_run_latency_p99_seconds", "99th percentile of latency of the same run.",
      [](const LatestRun& run) { return static_cast<double>(run.latency_p99_ns) / 1e9; });
  add("iobenchd_last_run_timestamp_seconds", "When the same run ended.",
      [](const LatestRun& run) { return in_seconds(run.finished_at_ns); });
}

void add_spots(MetricsText& metrics, const Context& context) {
  const std::vector<CurveSpot> spots = newest_spots(context);
  const auto add = [&](const char* name, const char* help, auto figure) {
    metrics.family(name, "gauge", help);
    for (const CurveSpot& spot : spots) metrics.value(figure(spot), labels_of(spot));
  };
  add("iobenchd_sweet_spot_numjobs",
      "How many parallel jobs this target is worth, by the newest sweep that measured it so; none: "
      "that sweep found no sweet spot.",
      [](const CurveSpot& spot) { return spot.at; });
  add("iobenchd_sweet_spot_low_numjobs", "The least number of jobs that is as good.",
      [](const CurveSpot& spot) { return spot.low; });
  add("iobenchd_sweet_spot_high_numjobs", "The largest number of jobs that is as good.",
      [](const CurveSpot& spot) { return spot.high; });
  add("iobenchd_sweet_spot_timestamp_seconds", "When that sweep ended.",
      [](const CurveSpot& spot) { return in_seconds(spot.finished_at_ns); });
}

void add_schedules(MetricsText& metrics, const std::vector<SweepSchedule>& schedules) {
  const auto id = [](const SweepSchedule& schedule) { return std::to_string(schedule.id); };
  metrics.family("iobenchd_schedule_regression", "gauge",
                 "1: the schedule's newest sweep was worse than those before it.");
  for (const SweepSchedule& schedule : schedules)
    metrics.value(flag(schedule.regression.has_value()), {{"schedule", id(schedule)}});
  metrics.family("iobenchd_schedule_last_run_timestamp_seconds", "gauge",
                 "When the schedule's last sweep was queued; none: not yet.");
  for (const SweepSchedule& schedule : schedules)
    if (schedule.last_at_ns != 0)
      metrics.value(in_seconds(schedule.last_at_ns), {{"schedule", id(schedule)}});
  metrics.family("iobenchd_schedule_next_run_timestamp_seconds", "gauge",
                 "When the schedule's next sweep is due; none: it is paused.");
  for (const SweepSchedule& schedule : schedules)
    if (schedule.next_at_ns != 0)
      metrics.value(in_seconds(schedule.next_at_ns), {{"schedule", id(schedule)}});
  metrics.family("iobenchd_schedule_missed_runs_total", "counter",
                 "Runs that were due and not made.");
  for (const SweepSchedule& schedule : schedules)
    metrics.value(static_cast<double>(schedule.missed), {{"schedule", id(schedule)}});
}

}  // namespace

Response get_metrics(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  MetricsText metrics;
  add_daemon(metrics, context);
  add_devices(metrics, context);
  add_counts(metrics, context.scheduler.meters().now());
  add_latest_runs(metrics, context);
  add_spots(metrics, context);
  if (context.schedules != nullptr) add_schedules(metrics, context.schedules->list());
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics.take();
  return response;
}

}  // namespace iobenchd::api
