#include "storage/codec.h"

#include <limits>

namespace iobenchd::storage {
namespace {

constexpr std::uint8_t codec_version = 1;

[[noreturn]] void damaged(const char* what) {
  throw Error(ErrorCode::unavailable, std::string("a stored run is damaged: ") + what);
}

void put(Blob& blob, std::uint64_t value) {
  for (; value >= 128; value >>= 7) blob.push_back(static_cast<std::uint8_t>(value | 128));
  blob.push_back(static_cast<std::uint8_t>(value));
}

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> blob) : rest_(blob) {
    if (blob.empty() || blob[0] != codec_version) damaged("blob of an unknown version");
    rest_ = rest_.subspan(1);
  }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) damaged("blob cut short");
      const std::uint8_t byte = rest_[0];
      rest_ = rest_.subspan(1);
      if (shift == 63 && byte > 1) damaged("number over 64 bits");
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    damaged("number over 64 bits");
  }
  [[nodiscard]] std::uint32_t next32() {
    const std::uint64_t value = next();
    if (value > std::numeric_limits<std::uint32_t>::max()) damaged("number over 32 bits");
    return static_cast<std::uint32_t>(value);
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace

// sum, min, max, then (buckets since the last one, count) for each that isn't empty. An empty
// histogram is the version byte alone.
Blob encode_histogram(const Histogram& histogram) {
  Blob blob{codec_version};
  if (histogram.count == 0) return blob;
  put(blob, histogram.sum_ns);
  put(blob, histogram.min_ns);
  put(blob, histogram.max_ns);
  std::uint32_t from = 0;
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    if (histogram.buckets[i] == 0) continue;
    put(blob, i - from);
    put(blob, histogram.buckets[i]);
    from = i;
  }
  return blob;
}

Histogram decode_histogram(std::span<const std::uint8_t> blob) {
  Reader reader(blob);
  Histogram histogram;
  if (reader.at_end()) return histogram;
  histogram.sum_ns = reader.next();
  histogram.min_ns = reader.next();
  histogram.max_ns = reader.next();
  if (histogram.min_ns > histogram.max_ns) damaged("histogram's extremes");
  std::uint64_t at = 0;
  for (bool first = true; first || !reader.at_end(); first = false) {
    const std::uint64_t delta = reader.next(), count = reader.next();
    if (delta >= histogram_buckets || (delta == 0 && !first)) damaged("histogram's buckets");
    at += delta;
    if (at >= histogram_buckets || count == 0) damaged("histogram's buckets");
    if (count > std::numeric_limits<std::uint64_t>::max() - histogram.count) {
      damaged("histogram's count");
    }
    histogram.buckets[at] = count;
    histogram.count += count;
  }
  return histogram;
}

Blob encode_samples(std::span<const Sample> samples) {
  Blob blob{codec_version};
  for (const Sample& sample : samples) {
    put(blob, std::uint64_t{sample.second} << 1 | (sample.ramp ? 1U : 0U));
    for (const std::uint64_t value :
         {sample.span_ns, sample.read_ios, sample.write_ios, sample.read_bytes, sample.write_bytes,
          sample.latency_mean_ns, sample.latency_p50_ns, sample.latency_p99_ns,
          sample.latency_max_ns}) {
      put(blob, value);
    }
  }
  return blob;
}

std::vector<Sample> decode_samples(std::span<const std::uint8_t> blob) {
  Reader reader(blob);
  std::vector<Sample> samples;
  while (!reader.at_end()) {
    Sample& sample = samples.emplace_back();
    const std::uint64_t second_and_ramp = reader.next();
    if (second_and_ramp >> 33 != 0) damaged("sample's second");
    sample.second = static_cast<std::uint32_t>(second_and_ramp >> 1);
    sample.ramp = (second_and_ramp & 1) != 0;
    for (std::uint64_t* value :
         {&sample.span_ns, &sample.read_ios, &sample.write_ios, &sample.read_bytes,
          &sample.write_bytes, &sample.latency_mean_ns, &sample.latency_p50_ns,
          &sample.latency_p99_ns, &sample.latency_max_ns}) {
      *value = reader.next();
    }
  }
  return samples;
}

Blob encode_jobs(std::span<const JobFigures> jobs) {
  Blob blob{codec_version};
  for (const JobFigures& job : jobs) {
    put(blob, job.job);
    for (const std::uint64_t value :
         {job.read_ios, job.write_ios, job.latency_sum_ns, job.latency_max_ns, job.measured_ns,
          job.cpu_user_ns, job.cpu_system_ns}) {
      put(blob, value);
    }
  }
  return blob;
}

std::vector<JobFigures> decode_jobs(std::span<const std::uint8_t> blob) {
  Reader reader(blob);
  std::vector<JobFigures> jobs;
  while (!reader.at_end()) {
    JobFigures& job = jobs.emplace_back();
    job.job = reader.next32();
    for (std::uint64_t* value :
         {&job.read_ios, &job.write_ios, &job.latency_sum_ns, &job.latency_max_ns, &job.measured_ns,
          &job.cpu_user_ns, &job.cpu_system_ns}) {
      *value = reader.next();
    }
  }
  return jobs;
}

}  // namespace iobenchd::storage
