#include "daemon/model/frame.h"

#include <algorithm>

#include "daemon/model/error.h"

namespace iobenchd {
namespace {

constexpr std::uint64_t longest_span_ns = std::uint64_t{31} * 86'400 * 1'000'000'000;

void require(bool sound, const char* field, const char* message) {
  if (!sound) throw Error(ErrorCode::internal, field, message);
}

void check_header(const FrameHeader& header, std::uint32_t expected_sequence) {
  require(header.magic == frame_magic, "magic", "not a frame");
  require(header.version == frame_version, "version", "engine and service are of different builds");
  require(header.kind <= FrameKind::failure, "kind", "unknown");
  require(header.sequence == expected_sequence, "sequence", "a frame is missing");
  require(header.phase <= Phase::verify, "phase", "unknown");
  require(header.elapsed_ns <= 2 * longest_span_ns, "elapsed_ns", "beyond any run");
}

// Buckets are bounded one by one before they are added up, so that the sum can't wrap.
void check_traffic(const Traffic& traffic) {
  const Histogram& latency = traffic.latency;
  std::uint64_t sum = 0;
  for (const std::uint64_t bucket : latency.buckets) {
    require(bucket <= latency.count, "latency.buckets", "more in a bucket than in all");
    require(bucket <= ~sum, "latency.buckets", "overflow");
    sum += bucket;
  }
  require(sum == latency.count, "latency.count", "not the sum of the buckets");
  require(traffic.ios == latency.count, "ios", "not the count of latencies");
  require(latency.count == 0 || latency.min_ns <= latency.max_ns, "latency.min_ns",
          "above the maximum");
}

void check_transfers(const Traffic& traffic) {
  check_traffic(traffic);
  require(traffic.ios <= traffic.bytes / 512, "bytes", "less than a sector an I/O");
  require(traffic.ios != 0 || traffic.bytes == 0, "bytes", "bytes without an I/O");
}

void check_fsyncs(const Traffic& traffic) {
  check_traffic(traffic);
  require(traffic.bytes == 0, "bytes", "an fsync moves none");
}

void check_tick(const TickBody& tick) {
  require(tick.span_ns <= longest_span_ns, "span_ns", "beyond any run");
  require(tick.done_bytes <= tick.total_bytes, "done_bytes", "more than the total");
  check_transfers(tick.read);
  check_transfers(tick.write);
  check_fsyncs(tick.fsync);
}

void check_jobs(const JobsBody& jobs) {
  require(jobs.count >= 1 && jobs.count <= jobs_per_frame, "jobs.count", "1..64");
  for (std::uint32_t i = 0; i < jobs.count; ++i) {
    require(jobs.jobs[i].job < max_numjobs, "job", "0..1023");
    require(jobs.jobs[i].measured_ns <= longest_span_ns, "measured_ns", "beyond any run");
  }
}

void check_final(const FinalBody& final) {
  require(final.measured_ns <= longest_span_ns, "measured_ns", "beyond any run");
  require(final.clock_source <= ClockSource::tsc, "clock_source", "unknown");
  require(final.ioengine <= IoEngine::null && final.ioengine != IoEngine::automatic, "ioengine",
          "unknown");
  require(final.direct <= 1, "direct", "0 or 1");
  require((final.engine_flags & ~engine_flag::all) == 0, "engine_flags", "unknown flag");
  require(final.batch_submit <= max_iodepth, "batch_submit", "0..1024");
  require(final.batch_complete <= max_iodepth, "batch_complete", "0..1024");
  require(final.in_flight_max <= max_numjobs * max_iodepth, "in_flight_max", "0..1048576");
  check_transfers(final.read);
  check_transfers(final.write);
  check_fsyncs(final.fsync);
}

template <std::size_t N>
bool terminated(const std::array<char, N>& text) {
  return std::find(text.begin(), text.end(), '\0') != text.end();
}

void check_failure(const FailureBody& failure) {
  require(failure.error_number >= 0 && failure.error_number < 4096, "error_number", "not an errno");
  require(failure.job < max_numjobs, "job", "0..1023");
  require(terminated(failure.operation), "operation", "not terminated");
  require(terminated(failure.text), "text", "not terminated");
}

}  // namespace

void check_frame(const Frame& frame, std::uint32_t expected_sequence) {
  check_header(frame.header, expected_sequence);
  switch (frame.header.kind) {
    case FrameKind::tick:
      return check_tick(frame.body.tick);
    case FrameKind::jobs:
      return check_jobs(frame.body.jobs);
    case FrameKind::final:
      return check_final(frame.body.final);
    case FrameKind::failure:
      return check_failure(frame.body.failure);
  }
}

}  // namespace iobenchd
