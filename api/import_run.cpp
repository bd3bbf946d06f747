#include "api/import_run.h"

#include <limits>

#include "api/record_reader.h"
#include "api/render_run.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t samples_most = 400'000;  // two days of ramp and runtime, and rounds
constexpr std::size_t text_bytes_most = 4096;
constexpr double rate_most = 1e15, bandwidth_most = 1e18, temperature_most = 1e4,
                 percent_most = 1e6;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t most32 = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t seed64_most = std::numeric_limits<std::int64_t>::max();

// "histogram": ascending pairs of a bucket's midpoint and its count.
void read_buckets(RecordReader& fields, Histogram& latency) {
  const Json* pairs = fields.list("histogram", histogram_buckets);
  if (pairs == nullptr) return;
  std::uint64_t sum = 0;
  std::uint32_t next = 0;  // the lowest bucket that may come
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    const Json& pair = (*pairs)[i];
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() &&
                         pair[1].is_number_unsigned();
    const std::uint64_t at = is_pair ? pair[0].get<std::uint64_t>() : 0;
    const std::uint64_t ios = is_pair ? pair[1].get<std::uint64_t>() : 0;
    const std::uint32_t bucket = bucket_index(at);
    const bool is_last = bucket + 1 == histogram_buckets;
    if (!is_pair || ios == 0 || ios > record_count_most || bucket < next ||
        (!is_last && bucket_midpoint_ns(bucket) != at)) {
      fields.refuse("histogram[" + std::to_string(i) + "]",
                    "is no pair of a bucket's midpoint in ns, above those before, and a count");
      return;
    }
    next = bucket + 1;
    latency.buckets[bucket] = ios;
    sum += ios;
  }
  if (sum != latency.count) {
    fields.refuse("count", "is " + std::to_string(latency.count) + ", but the histogram holds " +
                               std::to_string(sum));
  }
}

void read_latency(RecordReader& parent, Histogram& latency) {
  RecordReader fields(parent.need("latency"), parent.path_of("latency"), parent.errors());
  fields.count("count", latency.count);
  fields.count("sum_ns", latency.sum_ns, std::numeric_limits<std::int64_t>::max());
  fields.known_count("min_ns", latency.min_ns);
  fields.known_count("max_ns", latency.max_ns);
  read_buckets(fields, latency);
  if (latency.count == 0) {
    latency = Histogram{};
  } else if (latency.min_ns > latency.max_ns) {
    fields.refuse("min_ns", "must be there and not above max_ns");
  }
  fields.refuse_unknown();
}

void read_traffic(RecordReader& parent, std::string_view name, Traffic& traffic) {
  RecordReader fields(parent.need(name), parent.path_of(name), parent.errors());
  fields.count("ios", traffic.ios);
  fields.count("bytes", traffic.bytes, std::numeric_limits<std::int64_t>::max());
  fields.count("errors", traffic.errors);
  read_latency(fields, traffic.latency);
  fields.refuse_unknown();
}

void read_delay(RecordReader& parent, std::string_view name, WakeupDelay& delay) {
  RecordReader fields(parent.need(name), parent.path_of(name), parent.errors());
  fields.count("count", delay.count);
  fields.count("p50_ns", delay.p50_ns);
  fields.count("p99_ns", delay.p99_ns);
  fields.count("max_ns", delay.max_ns);
  fields.refuse_unknown();
}

void read_samples(RecordReader& parent, std::vector<Sample>& samples) {
  const Json* list = parent.list("samples", samples_most);
  if (list == nullptr) return;
  samples.reserve(list->size());
  for (std::size_t i = 0; i < list->size() && !parent.is_hopeless(); ++i) {
    Sample& sample = samples.emplace_back();
    RecordReader fields(&(*list)[i], parent.path_of("samples[" + std::to_string(i) + "]"),
                        parent.errors());
    fields.count("second", sample.second, 0, most32);
    fields.boolean("ramp", sample.ramp);
    fields.count("span_ns", sample.span_ns);
    fields.count("read_ios", sample.read_ios);
    fields.count("write_ios", sample.write_ios);
    fields.count("read_bytes", sample.read_bytes);
    fields.count("write_bytes", sample.write_bytes);
    fields.count("latency_mean_ns", sample.latency_mean_ns);
    fields.count("latency_p50_ns", sample.latency_p50_ns);
    fields.count("latency_p99_ns", sample.latency_p99_ns);
    fields.count("latency_max_ns", sample.latency_max_ns);
    fields.refuse_unknown();
  }
}

// Exports that are older than thinning have none. Null: the samples are as they were measured.
void read_variation(RecordReader& fields, Measurement& m) {
  if (!fields.has("samples_variation")) return;
  double variation = -1;
  fields.known_real("samples_variation", variation, 0, rate_most, -1);
  if (variation >= 0) m.samples_variation = variation;
}

void read_jobs(RecordReader& parent, std::vector<JobFigures>& jobs) {
  const Json* list = parent.list("jobs", max_engine_threads);
  if (list == nullptr) return;
  jobs.reserve(list->size());
  for (std::size_t i = 0; i < list->size() && !parent.is_hopeless(); ++i) {
    JobFigures& job = jobs.emplace_back();
    RecordReader fields(&(*list)[i], parent.path_of("jobs[" + std::to_string(i) + "]"),
                        parent.errors());
    fields.count("job", job.job, 0, most32);
    fields.count("read_ios", job.read_ios);
    fields.count("write_ios", job.write_ios);
    fields.count("latency_sum_ns", job.latency_sum_ns, std::numeric_limits<std::int64_t>::max());
    fields.count("latency_max_ns", job.latency_max_ns);
    fields.count("measured_ns", job.measured_ns);
    fields.count("cpu_user_ns", job.cpu_user_ns);
    fields.count("cpu_system_ns", job.cpu_system_ns);
    fields.refuse_unknown();
  }
}

void read_flags(RecordReader& fields, std::uint32_t& flags) {
  const Json* list = fields.list("engine_flags", 32);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& name = (*list)[i];
    const auto flag =
        name.is_string() ? parse_engine_flag(name.get_ref<const std::string&>()) : std::nullopt;
    if (flag) {
      flags |= *flag;
    } else {
      fields.refuse("engine_flags[" + std::to_string(i) + "]", refusal(name, "a flag's name"));
    }
  }
}

std::optional<ClockSource> parse_clock_source(std::string_view text) {
  if (text == "tsc") return ClockSource::tsc;
  if (text == "clock_gettime") return ClockSource::clock_gettime;
  return std::nullopt;
}

void read_machine(RecordReader& fields, Measurement& m) {
  fields.count("cpu_user_ns", m.cpu_user_ns);
  fields.count("cpu_system_ns", m.cpu_system_ns);
  fields.count("voluntary_context_switches", m.voluntary_context_switches);
  fields.count("involuntary_context_switches", m.involuntary_context_switches);
  fields.count("minor_page_faults", m.minor_page_faults);
  fields.count("major_page_faults", m.major_page_faults);
  fields.known_real("machine_cpu_busy_percent", m.machine_cpu_busy_percent, 0, percent_most, -1);
  fields.known_real("load_average", m.load_average, 0, rate_most, -1);
  read_delay(fields, "wakeup_delay", m.wakeup_delay);
  read_delay(fields, "wakeup_reference", m.wakeup_reference);
  fields.boolean("device_counters_known", m.device_counters_known);
  fields.count("device_read_ios", m.device_read_ios);
  fields.count("device_write_ios", m.device_write_ios);
  fields.count("device_read_bytes", m.device_read_bytes, std::numeric_limits<std::int64_t>::max());
  fields.count("device_write_bytes", m.device_write_bytes,
               std::numeric_limits<std::int64_t>::max());
}

void read_measurement(RecordReader& parent, Measurement& m) {
  RecordReader fields(parent.need("measurement"), parent.path_of("measurement"), parent.errors());
  fields.count("measured_ns", m.measured_ns);
  fields.choice("ioengine", parse_ioengine, "the name of an engine, or \"auto\" for none known,",
                m.ioengine);
  fields.boolean("direct", m.direct);
  read_flags(fields, m.engine_flags);
  fields.count("batch_submit", m.batch_submit, 0, most32);
  fields.count("batch_complete", m.batch_complete, 0, most32);
  fields.count("in_flight_max", m.in_flight_max, 0, most32);
  fields.choice("clock_source", parse_clock_source, "\"tsc\" or \"clock_gettime\"", m.clock_source);
  fields.count("verified_bytes", m.verified_bytes, std::numeric_limits<std::int64_t>::max());
  fields.count("rounds", m.rounds, 0, most32);
  fields.boolean("rounds_steady", m.rounds_steady);
  read_machine(fields, m);
  read_traffic(fields, "read", m.read);
  read_traffic(fields, "write", m.write);
  read_traffic(fields, "fsync", m.fsync);
  read_variation(fields, m);
  read_samples(fields, m.samples);
  read_jobs(fields, m.jobs);
  fields.refuse_unknown();
}

void read_figures(RecordReader& parent, std::string_view name, DirectionFigures& figures) {
  RecordReader fields(parent.need(name), parent.path_of(name), parent.errors());
  fields.real("iops", figures.iops, 0, rate_most);
  fields.real("bandwidth_bytes_per_s", figures.bandwidth_bytes_per_s, 0, bandwidth_most);
  fields.real("latency_mean_ns", figures.latency_mean_ns, 0, rate_most);
  fields.count("latency_min_ns", figures.latency_min_ns);
  fields.count("latency_p50_ns", figures.latency_p50_ns);
  fields.count("latency_p90_ns", figures.latency_p90_ns);
  fields.count("latency_p99_ns", figures.latency_p99_ns);
  fields.count("latency_p99_9_ns", figures.latency_p99_9_ns);
  fields.count("latency_p99_99_ns", figures.latency_p99_99_ns);
  fields.count("latency_max_ns", figures.latency_max_ns);
  fields.refuse_unknown();
}

void read_imported(RecordReader& parent, Run& run) {
  const Json* found = parent.need("imported");
  run.imported_figures = found != nullptr && !found->is_null();
  if (!run.imported_figures) return;
  RecordReader fields(found, parent.path_of("imported"), parent.errors());
  fields.real("iops", run.imported.iops, 0, rate_most);
  fields.real("bandwidth_bytes_per_s", run.imported.bandwidth_bytes_per_s, 0, bandwidth_most);
  fields.real("latency_mean_ns", run.imported.latency_mean_ns, 0, rate_most);
  read_figures(fields, "read", run.imported.read);
  read_figures(fields, "write", run.imported.write);
  read_figures(fields, "fsync", run.imported.fsync);
  fields.refuse_unknown();
}

void read_health(RecordReader& parent, DeviceHealth& health) {
  RecordReader fields(parent.need("health"), parent.path_of("health"), parent.errors());
  fields.known_real("temperature_celsius", health.temperature_celsius, -300, temperature_most, nan);
  fields.known_real("temperature_limit_celsius", health.temperature_limit_celsius, -300,
                    temperature_most, nan);
  fields.known_real("wear_percent_used", health.wear_percent_used, 0, percent_most, nan);
  fields.refuse_unknown();
}

void read_circumstances(RecordReader& parent, Circumstances& c) {
  RecordReader fields(parent.need("circumstances"), parent.path_of("circumstances"),
                      parent.errors());
  for (const auto& [name, value] : {std::pair{"host", &c.host},
                                    {"os", &c.os},
                                    {"cpu", &c.cpu},
                                    {"program_version", &c.program_version},
                                    {"build_type", &c.build_type},
                                    {"compiler", &c.compiler},
                                    {"target", &c.target},
                                    {"target_kind", &c.target_kind},
                                    {"model", &c.model},
                                    {"serial", &c.serial},
                                    {"firmware", &c.firmware},
                                    {"filesystem", &c.filesystem},
                                    {"mount_options", &c.mount_options},
                                    {"io_scheduler", &c.io_scheduler}}) {
    fields.text(name, text_bytes_most, *value);
  }
  fields.known_count("cpus", c.cpus);
  fields.known_count("memory_bytes", c.memory_bytes);
  fields.known_count("target_bytes", c.target_bytes);
  fields.known_count("logical_sector_bytes", c.logical_sector_bytes);
  fields.known_count("physical_sector_bytes", c.physical_sector_bytes);
  fields.boolean("virtual_machine", c.virtual_machine);
  fields.boolean("in_use", c.in_use);
  fields.boolean("block_storage", c.block_storage);
  fields.boolean("database_on_target", c.database_on_target);
  fields.refuse_unknown();
}

// A run of a sweep that is over is over.
std::optional<RunState> parse_ended_state(std::string_view text) {
  const auto state = parse_run_state(text);
  return state == RunState::running ? std::nullopt : state;
}

}  // namespace

void read_recorded_setting(RecordReader& fields, Setting& setting) {
  fields.choice("rw", parse_rw, "read, write, randread, randwrite, rw or randrw", setting.rw);
  fields.count("bs", setting.block_bytes, 1, max_block_bytes);
  fields.count("iodepth", setting.iodepth, 1, max_iodepth);
  fields.count("numjobs", setting.numjobs, 1, max_numjobs);
}

Run read_recorded_run(const Json& value, const std::string& where,
                      std::vector<FieldError>& errors) {
  Run run;
  RecordReader fields(&value, where, errors);
  fields.ignore("id");
  fields.choice("state", parse_ended_state, "done, failed, interrupted or cancelled", run.state);
  read_recorded_setting(fields, run.setting);
  fields.count("repeat", run.repeat, 0, 1'000'000);
  fields.boolean("is_drift_check", run.is_drift_check);
  fields.moment("started_at", run.started_at_ns);
  fields.moment("finished_at", run.finished_at_ns);
  fields.text("error", text_bytes_most, run.error);
  fields.count("seed", run.seed, seed64_most);
  read_imported(fields, run);
  read_measurement(fields, run.measurement);
  read_health(fields, run.health);
  fields.known_real("hole_percent", run.hole_percent, 0, 100, 0);
  fields.text("governor", text_bytes_most, run.governor);
  fields.text("container", text_bytes_most, run.container);
  read_circumstances(fields, run.circumstances);
  fields.refuse_unknown();
  return run;
}

}  // namespace iobenchd::api
