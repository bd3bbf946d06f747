#include "api/export_fio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "api/render.h"
#include "api/strict_json.h"

namespace iobenchd::api {

namespace {

constexpr std::uint64_t millisecond_ns = 1'000'000;
constexpr double kib = 1024.0;

struct Percentile {
  const char* name;
  std::uint32_t milli;
};
constexpr std::array<Percentile, 17> percentiles{{{"1.000000", 1'000},
                                                  {"5.000000", 5'000},
                                                  {"10.000000", 10'000},
                                                  {"20.000000", 20'000},
                                                  {"30.000000", 30'000},
                                                  {"40.000000", 40'000},
                                                  {"50.000000", 50'000},
                                                  {"60.000000", 60'000},
                                                  {"70.000000", 70'000},
                                                  {"80.000000", 80'000},
                                                  {"90.000000", 90'000},
                                                  {"95.000000", 95'000},
                                                  {"99.000000", 99'000},
                                                  {"99.500000", 99'500},
                                                  {"99.900000", 99'900},
                                                  {"99.950000", 99'950},
                                                  {"99.990000", 99'990}}};

// fio has numbers for what isn't known: 0.
double finite(double value) {
  return std::isfinite(value) ? value : 0.0;
}

Json spread_of(std::uint64_t min, std::uint64_t max, double mean, double deviation,
               std::uint64_t count) {
  return {{"min", min},
          {"max", max},
          {"mean", finite(mean)},
          {"stddev", finite(deviation)},
          {"N", count}};
}

// From the buckets' midpoints; the mean is exact.
double deviation_of(const Histogram& latency) {
  if (latency.count < 2) return 0;
  const double mean = latency.mean_ns();
  double squares = 0;
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    if (latency.buckets[i] == 0) continue;
    const double away = static_cast<double>(bucket_midpoint_ns(i)) - mean;
    squares += static_cast<double>(latency.buckets[i]) * away * away;
  }
  return std::sqrt(squares / static_cast<double>(latency.count - 1));
}

Json latency_of(const Histogram& latency, double printed_mean_ns = 0) {
  if (latency.count == 0) return spread_of(0, 0, printed_mean_ns, 0, 0);
  Json json = spread_of(latency.min_ns, latency.max_ns, latency.mean_ns(), deviation_of(latency),
                        latency.count);
  for (const Percentile& entry : percentiles) {
    json["percentile"][entry.name] = latency.percentile_ns(entry.milli);
  }
  Json& bins = json["bins"] = Json::object();
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    if (latency.buckets[i] != 0) {
      bins[std::to_string(bucket_midpoint_ns(i))] = latency.buckets[i];
    }
  }
  return json;
}

// A series of seconds, of all jobs together.
struct Series {
  std::vector<double> values;
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }
  [[nodiscard]] double deviation() const {
    if (values.size() < 2) return 0;
    double squares = 0;
    for (const double value : values) squares += (value - mean()) * (value - mean());
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
  }
  [[nodiscard]] std::uint64_t least() const {
    return values.empty()
               ? 0
               : static_cast<std::uint64_t>(*std::min_element(values.begin(), values.end()));
  }
  [[nodiscard]] std::uint64_t most() const {
    return values.empty()
               ? 0
               : static_cast<std::uint64_t>(*std::max_element(values.begin(), values.end()));
  }
};

Series series_of(const Run& run, std::uint64_t Sample::*figure, double unit) {
  Series series;
  for (const Sample& sample : run.measurement.samples) {
    if (sample.ramp || sample.span_ns == 0) continue;
    const double seconds = static_cast<double>(sample.span_ns) / 1e9;
    series.values.push_back(static_cast<double>(sample.*figure) / seconds / unit);
  }
  return series;
}

// What a direction did, or what the table that was imported says of it.
struct Direction {
  const Traffic* traffic = nullptr;
  double iops = 0, bytes_per_s = 0, printed_mean_ns = 0;
  Series kib_per_s, ios_per_s;
};

Json render_direction(const Direction& direction, std::uint64_t runtime_ms) {
  const Traffic& traffic = *direction.traffic;
  const bool any = traffic.ios != 0;
  Json json;
  json["io_bytes"] = traffic.bytes;
  json["io_kbytes"] = traffic.bytes >> 10U;
  json["bw_bytes"] = static_cast<std::uint64_t>(finite(direction.bytes_per_s));
  json["bw"] = static_cast<std::uint64_t>(finite(direction.bytes_per_s) / kib);
  json["iops"] = finite(direction.iops);
  json["runtime"] = any ? runtime_ms : 0;
  json["total_ios"] = traffic.ios;
  json["short_ios"] = 0U;
  json["drop_ios"] = 0U;
  json["slat_ns"] = spread_of(0, 0, 0, 0, 0);
  json["clat_ns"] = spread_of(0, 0, 0, 0, 0);
  json["lat_ns"] = latency_of(traffic.latency, direction.printed_mean_ns);
  const Series& bandwidth = direction.kib_per_s;
  json["bw_min"] = bandwidth.least();
  json["bw_max"] = bandwidth.most();
  json["bw_agg"] = bandwidth.values.empty() ? 0.0 : 100.0;
  json["bw_mean"] = bandwidth.mean();
  json["bw_dev"] = bandwidth.deviation();
  json["bw_samples"] = bandwidth.values.size();
  const Series& rate = direction.ios_per_s;
  json["iops_min"] = rate.least();
  json["iops_max"] = rate.most();
  json["iops_mean"] = rate.mean();
  json["iops_stddev"] = rate.deviation();
  json["iops_samples"] = rate.values.size();
  return json;
}

Direction measured(const Run& run, bool reading) {
  const Measurement& m = run.measurement;
  Direction direction;
  direction.traffic = reading ? &m.read : &m.write;
  const double seconds = static_cast<double>(m.measured_ns) / 1e9;
  if (direction.traffic->ios == 0 || seconds <= 0) return direction;
  direction.iops = static_cast<double>(direction.traffic->ios) / seconds;
  direction.bytes_per_s = static_cast<double>(direction.traffic->bytes) / seconds;
  direction.kib_per_s = series_of(run, reading ? &Sample::read_bytes : &Sample::write_bytes, kib);
  direction.ios_per_s = series_of(run, reading ? &Sample::read_ios : &Sample::write_ios, 1);
  return direction;
}

// A table doesn't part a mix: rwmixread does. What was counted at its source is as good as counted
// here.
Direction printed(const Run& run, bool reading, std::uint32_t rwmixread) {
  const Measurement& m = run.measurement;
  const bool counted = m.measured_ns > 0 && m.read.ios + m.write.ios > 0;
  Direction direction = measured(run, reading);
  double share = reading ? rwmixread / 100.0 : 1 - rwmixread / 100.0;
  if (!mixed(run.setting.rw)) share = reading == reads(run.setting.rw) ? 1 : 0;
  if (share > 0) direction.printed_mean_ns = run.imported.latency_mean_ns;
  if (counted) return direction;
  direction.iops = run.imported.iops * share;
  direction.bytes_per_s = run.imported.bandwidth_bytes_per_s * share;
  return direction;
}

// Shares of all I/Os, in fio's steps: at most 2, 4, 10, ... of a unit, and above the one before.
void add_steps(Json& json, const Histogram& latency) {
  constexpr std::array<std::uint32_t, 10> steps{2, 4, 10, 20, 50, 100, 250, 500, 750, 1000};
  const double all = latency.count == 0 ? 1 : static_cast<double>(latency.count);
  std::uint32_t bucket = 0;
  const auto share_to = [&](std::uint64_t limit_ns) {
    std::uint64_t count = 0;
    while (bucket < histogram_buckets && bucket_midpoint_ns(bucket) <= limit_ns) {
      count += latency.buckets[bucket++];
    }
    return 100.0 * static_cast<double>(count) / all;
  };
  std::uint64_t unit_ns = 1;
  for (const char* name : {"latency_ns", "latency_us", "latency_ms"}) {
    for (const std::uint32_t step : steps) {
      json[name][std::to_string(step)] = share_to(step * unit_ns);
    }
    unit_ns *= 1000;
  }
  json["latency_ms"]["2000"] = share_to(2'000'000'000);
  json["latency_ms"][">=2000"] = share_to(~std::uint64_t{0});
}

void add_depths(Json& json) {
  for (const char* depth : {"1", "2", "4", "8", "16", "32", ">=64"}) {
    json["iodepth_level"][depth] = 0.0;
  }
  for (const char* name : {"iodepth_submit", "iodepth_complete"}) {
    for (const char* depth : {"0", "4", "8", "16", "32", "64", ">=64"}) json[name][depth] = 0.0;
  }
}

void add_costs(Json& json, const Run& run, std::uint64_t runtime_ms) {
  const Measurement& m = run.measurement;
  const double job_ns =
      static_cast<double>(m.measured_ns) * static_cast<double>(run.setting.numjobs);
  json["job_runtime"] = runtime_ms * run.setting.numjobs;
  json["usr_cpu"] = job_ns > 0 ? 100 * static_cast<double>(m.cpu_user_ns) / job_ns : 0.0;
  json["sys_cpu"] = job_ns > 0 ? 100 * static_cast<double>(m.cpu_system_ns) / job_ns : 0.0;
  json["ctx"] = m.voluntary_context_switches + m.involuntary_context_switches;
  json["majf"] = m.major_page_faults;
  json["minf"] = m.minor_page_faults;
}

Json render_options(const Sweep& sweep, const Run& run) {
  Json json = Json::object();
  json["name"] = fio_job_name(run.setting);
  for (const auto& [name, value] : fio_point_options(sweep, run.setting, &run)) json[name] = value;
  for (const auto& [name, value] : fio_common_options(sweep, &run)) json[name] = value;
  return json;
}

Histogram all_latencies(const Measurement& m) {
  Histogram latency = m.read.latency;
  latency.merge(m.write.latency);
  return latency;
}

}  // namespace

Json fio_json_job(const Sweep& sweep, const Run& run, std::uint32_t group) {
  const Measurement& m = run.measurement;
  const std::uint64_t runtime_ms = m.measured_ns / millisecond_ns;
  const std::uint32_t mix = sweep.spec.workload.rwmixread;
  const bool table = run.imported_figures;
  Json json;
  json["jobname"] = fio_job_name(run.setting);
  json["groupid"] = group;
  json["error"] = 0U;
  json["eta"] = 0U;
  json["elapsed"] = (runtime_ms + 999) / 1000;
  json["job options"] = render_options(sweep, run);
  json["read"] =
      render_direction(table ? printed(run, true, mix) : measured(run, true), runtime_ms);
  json["write"] =
      render_direction(table ? printed(run, false, mix) : measured(run, false), runtime_ms);
  const Traffic none;
  Direction trims;
  trims.traffic = &none;
  json["trim"] = render_direction(trims, 0);
  json["sync"] = {{"total_ios", m.fsync.ios}, {"lat_ns", latency_of(m.fsync.latency)}};
  add_costs(json, run, runtime_ms);
  add_depths(json);
  add_steps(json, all_latencies(m));
  json["latency_depth"] = run.setting.iodepth;
  json["latency_target"] = 0U;
  json["latency_percentile"] = 100.0;
  json["latency_window"] = 0U;
  return json;
}

std::string fio_json_head(const Sweep& sweep, std::string_view program_version) {
  const std::int64_t at_ns = sweep.finished_at_ns != 0 ? sweep.finished_at_ns : sweep.created_at_ns;
  const auto seconds = static_cast<std::time_t>(at_ns / 1'000'000'000);
  std::tm utc{};
  std::array<char, 64> time{};
  if (gmtime_r(&seconds, &utc) != nullptr) {
    (void)std::strftime(time.data(), time.size(), "%a %b %d %H:%M:%S %Y", &utc);
  }
  Json json;
  json["fio version"] = "fio-3.33 (as written by iobenchd " + std::string(program_version) + ")";
  json["timestamp"] = at_ns / 1'000'000'000;
  json["timestamp_ms"] = at_ns / 1'000'000;
  json["time"] = std::string(time.data());
  std::string text = to_text(json);
  text.resize(text.size() - 2);  // the brace and the newline
  return text + ",\n\"jobs\" : [\n";
}

}  // namespace iobenchd::api
