#include "api/render_run.h"

#include "api/render.h"
#include "api/render_values.h"
#include "daemon/model/engine_flags.h"

namespace iobenchd::api {

namespace {

// A run that was stopped tells what it had seen by then, if anything.
bool has_figures(RunState state, bool measured) {
  const bool stopped = state == RunState::cancelled || state == RunState::interrupted;
  return state == RunState::done || (stopped && measured);
}

void add_figures(Json& json, const RunSummary& run) {
  const bool done = has_figures(run.state, run.measured_seconds > 0);
  const bool mean = done && run.latency_mean_ns > 0;
  const bool all = done && run.latency_max_ns > 0;  // published tables have no percentiles
  json["iops"] = known(done, run.iops);
  json["bandwidth_bytes_per_s"] = known(done, run.bandwidth_bytes_per_s);
  json["latency_mean_ns"] = known(mean, run.latency_mean_ns);
  add_percentiles(json, all, run);
  json["concurrency"] = known(mean, run.concurrency);
  json["depth_attained"] = known(mean, run.depth_attained);
  json["cpu_user_percent"] = known(all, run.cpu_user_percent);
  json["cpu_system_percent"] = known(all, run.cpu_system_percent);
  json["cpu_per_io_ns"] = known(all, run.cpu_per_io_ns);
  json["load_average"] = known(all && run.load_average >= 0, run.load_average);
  json["wakeup_delay_p99_ns"] = known(all && run.wakeup_delay_p99_ns > 0, run.wakeup_delay_p99_ns);
  json["measured_seconds"] = known(all, run.measured_seconds);
}

// `printed`: by the source of an imported run, for where it kept its buckets to itself.
Json render_traffic(const Traffic& traffic, const DirectionFigures& printed) {
  const Histogram& latency = traffic.latency;
  const bool any = latency.count != 0;
  Json json;
  json["ios"] = traffic.ios;
  json["bytes"] = traffic.bytes;
  json["errors"] = traffic.errors;
  if (!any) {
    json["latency_mean_ns"] = known(printed.latency_mean_ns > 0, printed.latency_mean_ns);
    add_percentiles(json, printed.latency_max_ns > 0, printed);
    json["histogram"] = Json::array();
    return json;
  }
  json["latency_mean_ns"] =
      printed.latency_mean_ns > 0 ? printed.latency_mean_ns : latency.mean_ns();
  json["latency_min_ns"] = latency.min_ns;
  json["latency_p50_ns"] = latency.percentile_ns(50'000);
  json["latency_p90_ns"] = latency.percentile_ns(90'000);
  json["latency_p99_ns"] = latency.percentile_ns(99'000);
  json["latency_p99_9_ns"] = latency.percentile_ns(99'900);
  json["latency_p99_99_ns"] = latency.percentile_ns(99'990);
  json["latency_max_ns"] = latency.max_ns;
  json["histogram"] = render_histogram(latency);
  return json;
}

Json render_wakeup_delay(const WakeupDelay& delay) {
  if (delay.count == 0) return nullptr;
  return {{"count", delay.count},
          {"p50_ns", delay.p50_ns},
          {"p99_ns", delay.p99_ns},
          {"max_ns", delay.max_ns}};
}

void add_measurement(Json& json, const Run& run) {
  const Measurement& m = run.measurement;
  const bool ours = has_figures(run.state, m.measured_ns > 0) && !run.imported_figures;
  const bool counted = ours && m.device_counters_known;
  // An imported table prints no counters, fio does.
  const bool counters = ours || (run.state == RunState::done && m.measured_ns > 0);
  const auto traffic = [&](const Traffic& which, const DirectionFigures& printed) {
    return counters ? render_traffic(which, printed) : Json(nullptr);
  };
  json["measured_ns"] = known(counters, m.measured_ns);
  json["read"] = traffic(m.read, run.imported.read);
  json["write"] = traffic(m.write, run.imported.write);
  json["fsync"] = m.fsync.ios > 0 ? traffic(m.fsync, run.imported.fsync) : Json(nullptr);
  json["batch_submit"] = known(ours, m.batch_submit);
  json["batch_complete"] = known(ours, m.batch_complete);
  json["in_flight_max"] = known(ours, m.in_flight_max);
  json["clock_source"] =
      ours ? Json(m.clock_source == ClockSource::tsc ? "tsc" : "clock_gettime") : Json(nullptr);
  json["machine_cpu_busy_percent"] =
      known(ours && m.machine_cpu_busy_percent >= 0, m.machine_cpu_busy_percent);
  json["wakeup_delay"] = render_wakeup_delay(m.wakeup_delay);
  json["wakeup_reference"] = render_wakeup_delay(m.wakeup_reference);
  json["voluntary_context_switches"] = known(ours, m.voluntary_context_switches);
  json["involuntary_context_switches"] = known(ours, m.involuntary_context_switches);
  json["minor_page_faults"] = known(ours, m.minor_page_faults);
  json["major_page_faults"] = known(ours, m.major_page_faults);
  json["verified_bytes"] = known(ours, m.verified_bytes);
  json["rounds"] = known(ours && m.rounds > 0, m.rounds);
  json["rounds_steady"] = known(ours && m.rounds > 0, m.rounds_steady);
  json["temperature_celsius"] = number(run.health.temperature_celsius);
  json["temperature_limit_celsius"] = number(run.health.temperature_limit_celsius);
  json["wear_percent_used"] = number(run.health.wear_percent_used);
  json["hole_percent"] = run.hole_percent;
  json["governor"] = text_or_null(run.governor);
  json["container"] = text_or_null(run.container);
  json["device_read_ios"] = known(counted, m.device_read_ios);
  json["device_write_ios"] = known(counted, m.device_write_ios);
  json["device_read_bytes"] = known(counted, m.device_read_bytes);
  json["device_write_bytes"] = known(counted, m.device_write_bytes);
  json["samples_thinned"] = m.samples_variation.has_value();
  json["samples_variation"] = m.samples_variation ? number(*m.samples_variation) : Json(nullptr);
  json["samples"] = render_samples(m.samples);
  json["jobs"] = render_jobs(m.jobs);
}

}  // namespace

Json render_engine_flags(std::uint32_t flags) {
  Json list = Json::array();
  for (const std::string_view name : engine_flag_names(flags)) list.push_back(name);
  return list;
}

std::optional<std::uint32_t> parse_engine_flag(std::string_view name) {
  for (std::uint32_t flag = 1; flag <= engine_flag::all; flag <<= 1U) {
    const auto names = engine_flag_names(flag);
    if (!names.empty() && names.front() == name) return flag;
  }
  return std::nullopt;
}

Json render_histogram(const Histogram& histogram) {
  Json pairs = Json::array();
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    if (histogram.buckets[i] == 0) continue;
    // The last bucket has no upper end: it reports the exact maximum.
    const std::uint64_t at = i + 1 == histogram_buckets ? histogram.max_ns : bucket_midpoint_ns(i);
    pairs.push_back({at, histogram.buckets[i]});
  }
  return pairs;
}

Json render_samples(std::span<const Sample> samples) {
  Json list = Json::array();
  for (const Sample& sample : samples) {
    list.push_back({{"second", sample.second},
                    {"ramp", sample.ramp},
                    {"span_ns", sample.span_ns},
                    {"read_ios", sample.read_ios},
                    {"write_ios", sample.write_ios},
                    {"read_bytes", sample.read_bytes},
                    {"write_bytes", sample.write_bytes},
                    {"latency_mean_ns", sample.latency_mean_ns},
                    {"latency_p50_ns", sample.latency_p50_ns},
                    {"latency_p99_ns", sample.latency_p99_ns},
                    {"latency_max_ns", sample.latency_max_ns}});
  }
  return list;
}

Json render_jobs(std::span<const JobFigures> jobs) {
  Json list = Json::array();
  for (const JobFigures& job : jobs) {
    list.push_back({{"job", job.job},
                    {"read_ios", job.read_ios},
                    {"write_ios", job.write_ios},
                    {"latency_sum_ns", job.latency_sum_ns},
                    {"latency_max_ns", job.latency_max_ns},
                    {"measured_ns", job.measured_ns},
                    {"cpu_user_ns", job.cpu_user_ns},
                    {"cpu_system_ns", job.cpu_system_ns}});
  }
  return list;
}

Json render_run_summary(const RunSummary& run) {
  Json json;
  json["id"] = run.run_id;
  json["sweep_id"] = run.sweep_id;
  json["state"] = to_string(run.state);
  add_setting(json, run.setting);
  json["repeat"] = run.repeat;
  json["is_drift_check"] = run.is_drift_check;
  json["started_at"] = time_or_null(run.started_at_ns);
  json["finished_at"] = time_or_null(run.finished_at_ns);
  json["error"] = text_or_null(run.error);
  json["target"] = text_or_null(run.target);
  json["serial"] = text_or_null(run.serial);
  json["model"] = text_or_null(run.model);
  json["host"] = text_or_null(run.host);
  // An import that names no engine says "auto": nobody knows.
  json["ioengine"] = known(run.ioengine != IoEngine::automatic, to_string(run.ioengine));
  json["direct"] = run.direct;
  json["engine_flags"] = render_engine_flags(run.engine_flags);
  add_figures(json, run);
  return json;
}

Json render_run(const Run& run, const RunSummary& summary, std::span<const Verdict> verdicts) {
  Json json = render_run_summary(summary);
  json["seed"] = run.seed;
  add_measurement(json, run);
  json["circumstances"] = render_circumstances(run.circumstances);
  json["verdicts"] = render_verdicts(verdicts);
  return json;
}

}  // namespace iobenchd::api
