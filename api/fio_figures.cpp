#include "api/fio_figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "api/parse_fields.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t runtime_most_ms = 2'678'400'000;  // 31 days
constexpr double real_most = 1e15;
constexpr double ns_most = 9e18;    // 292 years: all latencies of a run together
constexpr double tolerance = 0.01;  // kB and KiB are 2.4 % apart
constexpr double kib = 1024;

std::string text_of(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

bool apart(double value, double expected, double step) {
  return std::abs(value - expected) > tolerance * expected + step;
}

// fio writes percentiles with six decimals, "99.900000"; those we keep are these.
struct Wanted {
  const char* name;
  std::uint64_t DirectionFigures::*member;
};
constexpr std::array<Wanted, 5> percentiles_wanted{{
    {"50.000000", &DirectionFigures::latency_p50_ns},
    {"90.000000", &DirectionFigures::latency_p90_ns},
    {"99.000000", &DirectionFigures::latency_p99_ns},
    {"99.900000", &DirectionFigures::latency_p99_9_ns},
    {"99.990000", &DirectionFigures::latency_p99_99_ns},
}};

// A latency object: its extremes, mean and number, and what it has of their distribution.
struct Latency {
  std::uint64_t count = 0, min_ns = 0, max_ns = 0;
  double mean_ns = 0;
};

Latency read_latency(FioNumbers& numbers) {
  Latency latency;
  latency.count = numbers.whole("N");
  if (latency.count == 0) return latency;
  latency.min_ns = numbers.whole("min");
  latency.max_ns = numbers.whole("max");
  latency.mean_ns = numbers.real("mean");
  const auto least = static_cast<double>(latency.min_ns),
             most = static_cast<double>(latency.max_ns);
  if (latency.mean_ns < least * (1 - 1e-6) || latency.mean_ns > most * (1 + 1e-6)) {
    numbers.refuse("mean", text_of(latency.mean_ns) + " isn't between min, " + text_of(least) +
                               ", and max, " + text_of(most));
  }
  if (latency.mean_ns * static_cast<double>(latency.count) > ns_most) {
    numbers.refuse("mean", "mean x N is more than 292 years");
    return {};
  }
  return latency;
}

void read_percentiles(FioNumbers numbers, const Latency& latency, DirectionFigures& figures) {
  std::uint64_t before = 0;
  for (const auto& [name, member] : percentiles_wanted) {
    if (!numbers.has(name)) continue;
    const std::uint64_t value = numbers.whole(name);
    if (value < before) numbers.refuse(name, "is less than the percentile before it");
    before = value;
    // The middle of a bucket may lie behind the greatest in it.
    figures.*member = std::min(value, latency.max_ns);
  }
}

std::optional<std::uint32_t> bucket_of(const std::string& label) {
  std::uint64_t ns = 0;
  const char* end = label.data() + label.size();
  const auto parsed = std::from_chars(label.data(), end, ns);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  const std::uint32_t bucket = bucket_index(ns);
  return bucket_midpoint_ns(bucket) == ns ? std::optional(bucket) : std::nullopt;
}

// What the buckets and the latency's other figures say of each other.
void check_bins(FioNumbers& numbers, const Latency& latency, const Histogram& histogram) {
  if (histogram.count != latency.count) {
    numbers.refuse("bins", "the buckets hold " + std::to_string(histogram.count) + ", but N is " +
                               std::to_string(latency.count));
    return;
  }
  // The last bucket has no end.
  if (histogram.buckets[histogram_buckets - 1] > 0) return;
  double sum_ns = 0;
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    sum_ns +=
        static_cast<double>(histogram.buckets[i]) * static_cast<double>(bucket_midpoint_ns(i));
  }
  const double mean_ns = sum_ns / static_cast<double>(histogram.count);
  if (apart(latency.mean_ns, mean_ns, 1)) {
    numbers.refuse(
        "mean", text_of(latency.mean_ns) + ", but the mean of the buckets is " + text_of(mean_ns));
  }
}

Histogram read_bins(FioNumbers& numbers, const Json& bins, const Latency& latency) {
  Histogram histogram;
  const Range counts = whole_range(0, fio_whole_most);
  for (const auto& [label, value] : bins.items()) {
    const auto bucket = bucket_of(label);
    const auto count = whole_of(value, counts);
    if (!bucket) {
      numbers.refuse("bins", "\"" + label.substr(0, 40) + "\" is no bucket of fio 3's");
      return {};
    }
    if (!count || *count > latency.count) {
      numbers.refuse("bins", "\"" + label + "\": " + refusal(value, "a number up to N"));
      return {};
    }
    histogram.buckets[*bucket] += *count;
    histogram.count += *count;
  }
  check_bins(numbers, latency, histogram);
  histogram.min_ns = latency.min_ns;
  histogram.max_ns = latency.max_ns;
  histogram.sum_ns = static_cast<std::uint64_t>(
      std::llround(latency.mean_ns * static_cast<double>(latency.count)));
  return histogram;
}

// Extremes, percentiles and buckets from one of fio's latencies, so that they fit one another.
void keep_distribution(FioNumbers numbers, const Latency& latency, LatencyKind kind,
                       FioDirection& direction) {
  direction.percentiles_of = kind;
  direction.figures.latency_min_ns = latency.min_ns;
  direction.figures.latency_max_ns = latency.max_ns;
  if (const Json* percentiles = numbers.object("percentile")) {
    read_percentiles(numbers.inside(*percentiles, "percentile"), latency, direction.figures);
  }
  if (const Json* bins = numbers.object("bins")) {
    direction.traffic.latency = read_bins(numbers, *bins, latency);
  }
}

// lat where fio kept it, clat else: with its defaults it prints lat's mean and clat's percentiles.
void read_latencies(FioNumbers& numbers, FioDirection& direction) {
  if (numbers.has("lat") && !numbers.has("lat_ns")) {
    numbers.refuse("lat",
                   "is in microseconds: this is the JSON of fio 2, which counts io_bytes in "
                   "KiB, too; measure with fio 3, whose latencies are lat_ns and clat_ns");
    return;
  }
  const Json* lat = numbers.object("lat_ns");
  const Json* clat = numbers.object("clat_ns");
  if (lat == nullptr) {
    numbers.refuse("lat_ns", "is missing");
    return;
  }
  FioNumbers lat_numbers = numbers.inside(*lat, "lat_ns");
  const Latency of_lat = read_latency(lat_numbers);
  Latency of_clat;
  if (clat != nullptr) {
    FioNumbers clat_numbers = numbers.inside(*clat, "clat_ns");
    of_clat = read_latency(clat_numbers);
  }
  const Latency& mean = of_lat.count > 0 ? of_lat : of_clat;
  if (mean.count == 0) return;
  direction.mean_of = of_lat.count > 0 ? LatencyKind::lat : LatencyKind::clat;
  direction.latencies = mean.count;
  direction.figures.latency_mean_ns = mean.mean_ns;
  const auto tells = [](const Json& latency) {
    return latency.contains("bins") || latency.contains("percentile");
  };
  const bool use_lat = of_lat.count > 0 && (tells(*lat) || of_clat.count == 0 || !tells(*clat));
  keep_distribution(use_lat ? lat_numbers : numbers.inside(*clat, "clat_ns"),
                    use_lat ? of_lat : of_clat, use_lat ? LatencyKind::lat : LatencyKind::clat,
                    direction);
}

// bw and io_kbytes count 1024 bytes, in every fio 3.
void check_kib(FioNumbers& numbers, const char* name, double bytes, double step) {
  if (!numbers.has(name)) return;
  const double printed = numbers.real(name);
  if (!apart(printed, bytes / kib, step)) return;
  numbers.refuse(name, text_of(printed) + ", but the bytes are " + text_of(bytes / kib) +
                           " KiB (of 1024); kB (of 1000) are another unit");
}

}  // namespace

std::uint64_t FioNumbers::whole(const char* name, std::uint64_t most) {
  const Range range = whole_range(0, most);
  const auto found = object_.find(name);
  if (found == object_.end()) {
    refuse(name, "is missing");
    return 0;
  }
  const auto value = whole_of(*found, range);
  if (!value) refuse(name, refusal(*found, range.need));
  return value.value_or(0);
}

double FioNumbers::real(const char* name) {
  const auto found = object_.find(name);
  if (found == object_.end()) {
    refuse(name, "is missing");
    return 0;
  }
  const double value = found->is_number() ? found->get<double>() : -1;
  if (value >= 0 && value <= real_most) return value;
  refuse(name, refusal(*found, "a number from 0 to 1e15"));
  return 0;
}

const Json* FioNumbers::object(const char* name) {
  const auto found = object_.find(name);
  if (found == object_.end()) return nullptr;
  if (found->is_object()) return &*found;
  refuse(name, refusal(*found, "an object"));
  return nullptr;
}

std::optional<FioContradiction> contradiction(const FioSums& sums, std::uint32_t block_bytes) {
  if (sums.runtime_ms <= 0) return FioContradiction{"runtime", "is 0, but there were I/Os"};
  const double seconds = sums.runtime_ms / 1000;
  if (apart(sums.iops, sums.ios / seconds, sums.ios_step / seconds)) {
    return FioContradiction{
        "iops", text_of(sums.iops) + ", but total_ios / runtime is " + text_of(sums.ios / seconds)};
  }
  if (apart(sums.bandwidth_bytes_per_s, sums.bytes / seconds, sums.bytes_step / seconds + kib)) {
    return FioContradiction{"bw", text_of(sums.bandwidth_bytes_per_s) +
                                      " bytes/s, but io_bytes / runtime is " +
                                      text_of(sums.bytes / seconds)};
  }
  const double block = block_bytes;
  if (apart(sums.bytes, sums.ios * block, (sums.ios_step + 1) * block + sums.bytes_step)) {
    return FioContradiction{
        "io_bytes", "io_bytes / total_ios is " + text_of(std::round(sums.bytes / sums.ios)) +
                        " bytes, but the block size is " + size_text(block_bytes)};
  }
  return std::nullopt;
}

FioDirection read_fio_direction(FioNumbers numbers, const Setting& setting) {
  FioDirection direction;
  direction.traffic.ios = numbers.whole("total_ios");
  if (direction.traffic.ios == 0) return direction;
  direction.traffic.bytes = numbers.whole("io_bytes");
  const std::uint64_t runtime_ms = numbers.whole("runtime", runtime_most_ms);
  direction.runtime_ns = runtime_ms * 1'000'000;
  direction.figures.iops = numbers.real("iops");
  // fio 3.0 had bw alone, in KiB.
  direction.figures.bandwidth_bytes_per_s =
      numbers.has("bw_bytes") ? numbers.real("bw_bytes") : numbers.real("bw") * kib;
  FioSums sums;
  sums.ios = static_cast<double>(direction.traffic.ios);
  sums.bytes = static_cast<double>(direction.traffic.bytes);
  sums.runtime_ms = static_cast<double>(runtime_ms);
  sums.iops = direction.figures.iops;
  sums.bandwidth_bytes_per_s = direction.figures.bandwidth_bytes_per_s;
  if (const auto wrong = contradiction(sums, setting.block_bytes)) {
    numbers.refuse(wrong->field, wrong->reason);
  }
  check_kib(numbers, "bw", direction.figures.bandwidth_bytes_per_s, 1);
  check_kib(numbers, "io_kbytes", sums.bytes, 1);
  read_latencies(numbers, direction);
  const double in_flight = static_cast<double>(setting.iodepth) * setting.numjobs;
  const auto latencies = static_cast<double>(direction.latencies);
  if (direction.latencies > 0 && apart(latencies, sums.ios, in_flight + 1)) {
    numbers.refuse("lat_ns.N", text_of(latencies) + ", but total_ios is " + text_of(sums.ios));
  }
  return direction;
}

FioDirection read_fio_fsyncs(FioNumbers numbers, std::uint64_t runtime_ns) {
  FioDirection direction;
  direction.traffic.ios = numbers.whole("total_ios");
  if (direction.traffic.ios == 0 || runtime_ns == 0) return FioDirection{};
  direction.runtime_ns = runtime_ns;
  direction.figures.iops =
      static_cast<double>(direction.traffic.ios) / (static_cast<double>(runtime_ns) / 1e9);
  const Json* lat = numbers.object("lat_ns");
  if (lat == nullptr) return direction;
  FioNumbers lat_numbers = numbers.inside(*lat, "lat_ns");
  const Latency latency = read_latency(lat_numbers);
  if (latency.count == 0) return direction;
  direction.mean_of = LatencyKind::lat;
  direction.latencies = latency.count;
  direction.figures.latency_mean_ns = latency.mean_ns;
  keep_distribution(lat_numbers, latency, LatencyKind::lat, direction);
  return direction;
}

}  // namespace iobenchd::api
