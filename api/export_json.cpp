#include "api/export_json.h"

#include <algorithm>

#include "api/render.h"
#include "api/render_run.h"
#include "api/render_values.h"
#include "api/strict_json.h"

namespace iobenchd::api {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

// Nothing in it is left out because it is of no interest: what isn't there can't be read back.
Json render_latency(const Histogram& latency) {
  const bool any = latency.count != 0;
  Json json;
  json["count"] = latency.count;
  json["sum_ns"] = latency.sum_ns;
  json["min_ns"] = known(any, latency.min_ns);
  json["max_ns"] = known(any, latency.max_ns);
  json["histogram"] = render_histogram(latency);
  return json;
}

Json render_recorded_traffic(const Traffic& traffic) {
  Json json;
  json["ios"] = traffic.ios;
  json["bytes"] = traffic.bytes;
  json["errors"] = traffic.errors;
  json["latency"] = render_latency(traffic.latency);
  return json;
}

Json render_delay(const WakeupDelay& delay) {
  return {{"count", delay.count},
          {"p50_ns", delay.p50_ns},
          {"p99_ns", delay.p99_ns},
          {"max_ns", delay.max_ns}};
}

void add_machine(Json& json, const Measurement& m) {
  json["cpu_user_ns"] = m.cpu_user_ns;
  json["cpu_system_ns"] = m.cpu_system_ns;
  json["voluntary_context_switches"] = m.voluntary_context_switches;
  json["involuntary_context_switches"] = m.involuntary_context_switches;
  json["minor_page_faults"] = m.minor_page_faults;
  json["major_page_faults"] = m.major_page_faults;
  json["machine_cpu_busy_percent"] =
      known(m.machine_cpu_busy_percent >= 0, m.machine_cpu_busy_percent);
  json["load_average"] = known(m.load_average >= 0, m.load_average);
  json["wakeup_delay"] = render_delay(m.wakeup_delay);
  json["wakeup_reference"] = render_delay(m.wakeup_reference);
  json["device_counters_known"] = m.device_counters_known;
  json["device_read_ios"] = m.device_read_ios;
  json["device_write_ios"] = m.device_write_ios;
  json["device_read_bytes"] = m.device_read_bytes;
  json["device_write_bytes"] = m.device_write_bytes;
}

Json render_measurement(const Measurement& m) {
  Json json;
  json["measured_ns"] = m.measured_ns;
  json["ioengine"] = to_string(m.ioengine);
  json["direct"] = m.direct;
  json["engine_flags"] = render_engine_flags(m.engine_flags);
  json["batch_submit"] = m.batch_submit;
  json["batch_complete"] = m.batch_complete;
  json["in_flight_max"] = m.in_flight_max;
  json["clock_source"] = m.clock_source == ClockSource::tsc ? "tsc" : "clock_gettime";
  json["verified_bytes"] = m.verified_bytes;
  json["rounds"] = m.rounds;
  json["rounds_steady"] = m.rounds_steady;
  add_machine(json, m);
  json["read"] = render_recorded_traffic(m.read);
  json["write"] = render_recorded_traffic(m.write);
  json["fsync"] = render_recorded_traffic(m.fsync);
  json["samples_variation"] = m.samples_variation ? number(*m.samples_variation) : Json(nullptr);
  json["samples"] = render_samples(m.samples);
  json["jobs"] = render_jobs(m.jobs);
  return json;
}

// 0 where the source printed none.
Json render_figures(const DirectionFigures& figures) {
  return {{"iops", number(figures.iops)},
          {"bandwidth_bytes_per_s", number(figures.bandwidth_bytes_per_s)},
          {"latency_mean_ns", number(figures.latency_mean_ns)},
          {"latency_min_ns", figures.latency_min_ns},
          {"latency_p50_ns", figures.latency_p50_ns},
          {"latency_p90_ns", figures.latency_p90_ns},
          {"latency_p99_ns", figures.latency_p99_ns},
          {"latency_p99_9_ns", figures.latency_p99_9_ns},
          {"latency_p99_99_ns", figures.latency_p99_99_ns},
          {"latency_max_ns", figures.latency_max_ns}};
}

Json render_imported(const Run& run) {
  if (!run.imported_figures) return nullptr;
  return {{"iops", number(run.imported.iops)},
          {"bandwidth_bytes_per_s", number(run.imported.bandwidth_bytes_per_s)},
          {"latency_mean_ns", number(run.imported.latency_mean_ns)},
          {"read", render_figures(run.imported.read)},
          {"write", render_figures(run.imported.write)},
          {"fsync", render_figures(run.imported.fsync)}};
}

}  // namespace

std::string exact_time(std::int64_t wall_ns) {
  std::string text = rfc3339(wall_ns);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  std::string fraction = std::to_string(((wall_ns % second_ns) + second_ns) % second_ns);
  fraction.insert(0, 9 - std::min<std::size_t>(9, fraction.size()), '0');
  return text.substr(0, point + 1) + fraction + "Z";
}

// Not the origin: where it was measured says `host`, and whoever has the document imported it.
Json render_recorded_sweep(const Sweep& sweep) {
  Json json;
  json["id"] = sweep.id;
  json["uuid"] = sweep.uuid;
  json["state"] = to_string(sweep.state);
  json["host"] = sweep.host;
  json["notes"] = sweep.notes;
  json["pinned"] = sweep.pinned;
  json["created_at"] = text_or_null(exact_time(sweep.created_at_ns));
  json["started_at"] = text_or_null(exact_time(sweep.started_at_ns));
  json["finished_at"] = text_or_null(exact_time(sweep.finished_at_ns));
  json["answer"] = text_or_null(sweep.answer);
  json["error"] = text_or_null(sweep.error);
  json["spec"] = render_spec(sweep.spec);
  json["plan"] = render_plan(sweep.plan);
  return json;
}

Json render_recorded_run(const Run& run) {
  Json json;
  json["id"] = run.id;
  json["state"] = to_string(run.state);
  add_setting(json, run.setting);
  json["repeat"] = run.repeat;
  json["is_drift_check"] = run.is_drift_check;
  json["started_at"] = text_or_null(exact_time(run.started_at_ns));
  json["finished_at"] = text_or_null(exact_time(run.finished_at_ns));
  json["error"] = text_or_null(run.error);
  json["seed"] = run.seed;
  json["imported"] = render_imported(run);
  json["measurement"] = render_measurement(run.measurement);
  json["health"] = {{"temperature_celsius", number(run.health.temperature_celsius)},
                    {"temperature_limit_celsius", number(run.health.temperature_limit_celsius)},
                    {"wear_percent_used", number(run.health.wear_percent_used)}};
  json["hole_percent"] = number(run.hole_percent);
  json["governor"] = text_or_null(run.governor);
  json["container"] = text_or_null(run.container);
  json["circumstances"] = render_circumstances(run.circumstances);
  return json;
}

std::string export_json_head(const Sweep& sweep, const SweepResult& result) {
  Json json;
  json[std::string(export_version_name)] = export_version;
  json["sweep"] = render_recorded_sweep(sweep);
  json["result"] = render_result(result);
  std::string text = to_text(json);
  text.resize(text.size() - 2);  // the brace and the newline
  return text + ",\n\"runs\":[\n";
}

}  // namespace iobenchd::api
