#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "daemon/model/error.h"
#include "daemon/model/frame.h"

namespace {

using namespace iobenchd;

Traffic two_reads() {
  Traffic traffic;
  traffic.ios = 2;
  traffic.bytes = 8192;
  traffic.latency.add(100);
  traffic.latency.add(1000);
  return traffic;
}

std::unique_ptr<Frame> sound_frame(FrameKind kind) {
  auto frame = std::make_unique<Frame>();
  frame->header.kind = kind;
  frame->header.phase = Phase::measure;
  switch (kind) {
    case FrameKind::tick:
      frame->body.tick.span_ns = tick_ns;
      frame->body.tick.read = two_reads();
      break;
    case FrameKind::jobs:
      frame->body.jobs = JobsBody{};
      frame->body.jobs.count = 1;
      break;
    case FrameKind::final:
      frame->body.final = FinalBody{};
      frame->body.final.read = two_reads();
      break;
    case FrameKind::failure:
      frame->body.failure = FailureBody{};
      break;
  }
  return frame;
}

// The field that check_frame complains about; empty when it doesn't.
std::string refused_field(FrameKind kind, const std::function<void(Frame&)>& spoil) {
  const std::unique_ptr<Frame> frame = sound_frame(kind);
  spoil(*frame);
  try {
    check_frame(*frame, 0);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::internal);
    REQUIRE(error.fields().size() == 1);
    return error.fields()[0].field;
  }
  return {};
}

}  // namespace

TEST_CASE("a sound frame of each kind passes") {
  for (const FrameKind kind :
       {FrameKind::tick, FrameKind::jobs, FrameKind::final, FrameKind::failure})
    CHECK(refused_field(kind, [](Frame&) {}).empty());
}

TEST_CASE("a frame with an impossible header is refused") {
  const auto refused = [](const std::function<void(FrameHeader&)>& spoil) {
    return refused_field(FrameKind::failure, [&](Frame& frame) { spoil(frame.header); });
  };
  CHECK(refused([](FrameHeader& header) { header.magic = 0; }) == "magic");
  CHECK(refused([](FrameHeader& header) { header.version = frame_version + 1; }) == "version");
  CHECK(refused([](FrameHeader& header) { header.kind = static_cast<FrameKind>(4); }) == "kind");
  CHECK(refused([](FrameHeader& header) { header.sequence = 1; }) == "sequence");
  CHECK(refused([](FrameHeader& header) { header.phase = static_cast<Phase>(6); }) == "phase");
  CHECK(refused([](FrameHeader& header) { header.elapsed_ns = ~std::uint64_t{0}; }) ==
        "elapsed_ns");
}

TEST_CASE("figures that contradict one another are refused") {
  const auto refused = [](const std::function<void(TickBody&)>& spoil) {
    return refused_field(FrameKind::tick, [&](Frame& frame) { spoil(frame.body.tick); });
  };
  CHECK(refused([](TickBody& tick) { tick.span_ns = ~std::uint64_t{0}; }) == "span_ns");
  CHECK(refused([](TickBody& tick) { tick.done_bytes = 1; }) == "done_bytes");
  CHECK(refused([](TickBody& tick) { tick.read.ios = 3; }) == "ios");
  CHECK(refused([](TickBody& tick) { tick.read.bytes = 1023; }) == "bytes");
  CHECK(refused([](TickBody& tick) { tick.write.bytes = 1; }) == "bytes");
  CHECK(refused([](TickBody& tick) { tick.read.latency.buckets[5] = 1; }) == "latency.count");
  CHECK(refused([](TickBody& tick) { tick.read.latency.buckets[5] = 3; }) == "latency.buckets");
  CHECK(refused([](TickBody& tick) { tick.read.latency.min_ns = 1001; }) == "latency.min_ns");
}

TEST_CASE("buckets whose sum wraps around to the count are refused") {
  const auto half = std::uint64_t{1} << 63;
  CHECK(refused_field(FrameKind::tick, [&](Frame& frame) {
          Histogram& latency = frame.body.tick.read.latency;
          latency = Histogram{};
          latency.count = half;  // half + half + half, modulo 2^64
          latency.buckets[0] = latency.buckets[1] = latency.buckets[2] = half;
        }) == "latency.buckets");
}

TEST_CASE("impossible counts and enumerators of jobs and results are refused") {
  const auto jobs = [](const std::function<void(JobsBody&)>& spoil) {
    return refused_field(FrameKind::jobs, [&](Frame& frame) { spoil(frame.body.jobs); });
  };
  CHECK(jobs([](JobsBody& body) { body.count = 0; }) == "jobs.count");
  CHECK(jobs([](JobsBody& body) { body.count = 65; }) == "jobs.count");
  CHECK(jobs([](JobsBody& body) { body.jobs[0].job = 1024; }) == "job");

  const auto final = [](const std::function<void(FinalBody&)>& spoil) {
    return refused_field(FrameKind::final, [&](Frame& frame) { spoil(frame.body.final); });
  };
  CHECK(final([](FinalBody& body) { body.clock_source = static_cast<ClockSource>(2); }) ==
        "clock_source");
  CHECK(final([](FinalBody& body) { body.ioengine = IoEngine::automatic; }) == "ioengine");
  CHECK(final([](FinalBody& body) { body.direct = 2; }) == "direct");
  CHECK(final([](FinalBody& body) { body.engine_flags = 1U << 6; }) == "engine_flags");
  CHECK(final([](FinalBody& body) { body.batch_submit = 1025; }) == "batch_submit");
  CHECK(final([](FinalBody& body) { body.batch_complete = 1025; }) == "batch_complete");
  CHECK(final([](FinalBody& body) { body.in_flight_max = (1U << 20) + 1; }) == "in_flight_max");
  CHECK(final([](FinalBody& body) { body.read.ios = 1; }) == "ios");
}

TEST_CASE("a failure whose text never ends is refused") {
  const auto refused = [](const std::function<void(FailureBody&)>& spoil) {
    return refused_field(FrameKind::failure, [&](Frame& frame) { spoil(frame.body.failure); });
  };
  CHECK(refused([](FailureBody& failure) { failure.error_number = -1; }) == "error_number");
  CHECK(refused([](FailureBody& failure) { failure.job = 1024; }) == "job");
  CHECK(refused([](FailureBody& failure) { failure.operation.fill('x'); }) == "operation");
  CHECK(refused([](FailureBody& failure) { failure.text.fill('x'); }) == "text");
}
