#include <doctest/doctest.h>

#include <limits>

#include "daemon/model/error.h"
#include "storage/codec.h"

using namespace iobenchd;
using namespace iobenchd::storage;

namespace {

bool same(const Histogram& a, const Histogram& b) {
  return a.buckets == b.buckets && a.count == b.count && a.sum_ns == b.sum_ns &&
         a.min_ns == b.min_ns && a.max_ns == b.max_ns;
}

}  // namespace

TEST_CASE("an empty histogram is one byte and comes back empty") {
  const Blob blob = encode_histogram(Histogram{});
  CHECK(blob == Blob{1});
  CHECK(same(decode_histogram(blob), Histogram{}));
}

TEST_CASE("a histogram of two latencies is written as anyone can work out by hand") {
  Histogram histogram;
  histogram.add(5);
  histogram.add(5);
  histogram.add(130);  // 128..129 is bucket 128, 130..131 bucket 129
  // version; sum 140 = 0x8C 0x01; min 5; max 130 = 0x82 0x01; bucket 5 twice; 124 further once.
  CHECK(encode_histogram(histogram) == Blob{1, 0x8C, 0x01, 5, 0x82, 0x01, 5, 2, 124, 1});
  CHECK(same(decode_histogram(encode_histogram(histogram)), histogram));
}

TEST_CASE("a histogram with all buckets, the first and the last among them, comes back exactly") {
  Histogram histogram;
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    for (std::uint32_t times = 0; times <= i % 3; ++times) histogram.add(bucket_midpoint_ns(i));
  }
  histogram.add(std::uint64_t{1} << 62);
  CHECK(same(decode_histogram(encode_histogram(histogram)), histogram));
}

TEST_CASE("samples and job figures come back exactly, the largest numbers too") {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  Sample sample;
  sample.second = std::numeric_limits<std::uint32_t>::max();
  sample.ramp = true;
  sample.span_ns = most;
  sample.read_ios = 1;
  sample.write_ios = 2;
  sample.read_bytes = 3;
  sample.write_bytes = 4;
  sample.latency_mean_ns = 5;
  sample.latency_p50_ns = 6;
  sample.latency_p99_ns = 7;
  sample.latency_max_ns = most - 1;
  const std::vector<Sample> samples = decode_samples(encode_samples(std::vector{sample, Sample{}}));
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].second == sample.second);
  CHECK(samples[0].ramp);
  CHECK(samples[0].span_ns == most);
  CHECK(samples[0].write_bytes == 4);
  CHECK(samples[0].latency_p99_ns == 7);
  CHECK(samples[0].latency_max_ns == most - 1);
  CHECK(samples[1].second == 0);
  CHECK_FALSE(samples[1].ramp);

  JobFigures job;
  job.job = 1023;
  job.latency_sum_ns = most;
  job.cpu_system_ns = 9;
  const std::vector<JobFigures> jobs = decode_jobs(encode_jobs(std::vector{job}));
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].job == 1023);
  CHECK(jobs[0].latency_sum_ns == most);
  CHECK(jobs[0].cpu_system_ns == 9);
}

TEST_CASE("a damaged blob is an error, whatever is wrong with it") {
  const std::vector<Blob> damaged{
      {},                                  // not even a version
      {2},                                 // a version from the future
      {1, 10},                             // cut short
      {1, 10, 5, 5},                       // no bucket at all
      {1, 10, 5, 5, 5},                    // a bucket without its count
      {1, 10, 6, 5, 5, 2},                 // min above max
      {1, 10, 5, 5, 5, 0},                 // an empty bucket
      {1, 10, 5, 5, 5, 1, 0, 1},           // the same bucket twice
      {1, 10, 5, 5, 0xC0, 0x0E, 1},        // bucket 1856 of 1856
      {1, 10, 5, 5, 0xBF, 0x0E, 1, 1, 1},  // one behind the last
      {1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02},  // 65 bits
  };
  for (const Blob& blob : damaged) {
    CAPTURE(blob.size());
    CHECK_THROWS_AS(static_cast<void>(decode_histogram(blob)), Error);
  }
  CHECK_THROWS_AS(static_cast<void>(decode_samples(Blob{1, 2, 3})), Error);
  CHECK_THROWS_AS(static_cast<void>(decode_jobs(Blob{1, 0x80, 0x80, 0x80, 0x80, 0x10})), Error);
}

TEST_CASE("half a minute of a run is a few hundred bytes") {
  std::vector<Sample> samples;
  for (std::uint32_t second = 0; second < 30; ++second) {
    Sample& sample = samples.emplace_back();
    sample.second = second;
    sample.span_ns = 1'000'000'000;
    sample.read_ios = 50'000;
    sample.read_bytes = 50'000 * 4096ULL;
    sample.latency_mean_ns = sample.latency_p50_ns = 100'000;
    sample.latency_p99_ns = sample.latency_max_ns = 400'000;
  }
  CHECK(encode_samples(samples).size() < 30 * 30);
}
