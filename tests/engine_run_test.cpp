// The engine as the service meets it: a load in, frames out. Nothing here depends on how fast the
// machine is.
#include <dirent.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <set>
#include <string>

#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace engine_test;

constexpr std::uint64_t mebibyte = 1 << 20;

// What must hold of every good run, whatever the loop.
void check_books(const Load& load, const Outcome& outcome) {
  REQUIRE(outcome.failures.empty());
  REQUIRE(outcome.finals.size() == 1);
  CHECK(outcome.exit_status == 0);
  const FinalBody& final = outcome.finals[0];
  const std::uint64_t all_ios = final.read.ios + final.write.ios;
  CHECK(all_ios > 0);
  if (!reads(load.rw)) CHECK(final.read.ios == 0);
  if (!writes(load.rw)) CHECK(final.write.ios == 0);
  if (mixed(load.rw) && all_ios >= 100) CHECK(std::min(final.read.ios, final.write.ios) > 0);
  CHECK(final.read.bytes == final.read.ios * load.block_bytes);
  CHECK(final.write.bytes == final.write.ios * load.block_bytes);
  CHECK(final.read.errors + final.write.errors == 0);
  CHECK(final.measured_ns == load.runtime_ns);
  CHECK(outcome.ios(Phase::measure) + outcome.ios(Phase::drain) == all_ios);
  CHECK(outcome.span_ns(Phase::measure) == load.runtime_ns);
  CHECK(outcome.span_ns(Phase::ramp) == load.ramp_ns);

  std::uint64_t ios = 0, latency_sum_ns = 0, cpu_ns = 0;
  std::set<std::uint32_t> numbers;
  for (const JobFigures& job : outcome.jobs) {
    ios += job.read_ios + job.write_ios;
    latency_sum_ns += job.latency_sum_ns;
    cpu_ns += job.cpu_user_ns + job.cpu_system_ns;
    CHECK(job.latency_max_ns <= std::max(final.read.latency.max_ns, final.write.latency.max_ns));
    CHECK(job.measured_ns == load.runtime_ns);
    numbers.insert(job.job);
  }
  CHECK(numbers.size() == load.numjobs);
  CHECK(ios == all_ios);
  CHECK(latency_sum_ns == final.read.latency.sum_ns + final.write.latency.sum_ns);
  CHECK(cpu_ns == final.cpu_user_ns + final.cpu_system_ns);
}

}  // namespace

TEST_CASE("every loop's books balance: directions, jobs, ticks and the final frame") {
  const bool no_uring = io_uring_forbidden();
  const TemporaryFile file(mebibyte);
  for (const IoEngine ioengine :
       {IoEngine::psync, IoEngine::threads, IoEngine::mmap, IoEngine::null, IoEngine::io_uring}) {
    if (ioengine == IoEngine::io_uring && no_uring) continue;
    for (const Rw rw : {Rw::randread, Rw::randwrite, Rw::read, Rw::write, Rw::rw, Rw::randrw}) {
      for (const std::uint8_t thread : {std::uint8_t{0}, std::uint8_t{1}}) {
        CAPTURE(to_string(ioengine));
        CAPTURE(to_string(rw));
        CAPTURE(static_cast<int>(thread));
        Load load = small_load(ioengine, rw);
        load.thread = thread;
        const Outcome outcome = run_until_moved(load, file.path());
        check_books(load, outcome);
        const bool deep = ioengine == IoEngine::io_uring || ioengine == IoEngine::threads;
        CHECK(outcome.finals[0].in_flight_max == (deep ? 8 : 2));
        CHECK(outcome.finals[0].ioengine == ioengine);
        CHECK(outcome.finals[0].direct == 0);
      }
    }
  }
}

TEST_CASE("a closed loop of one job spends its time in its I/Os: never more than one at once") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.numjobs = load.iodepth = 1;
  const Outcome outcome = run_until_moved(load, file.path());
  check_books(load, outcome);
  // Only an I/O that began in the ramp can add to it, by its own length.
  const Histogram& latency = outcome.finals[0].read.latency;
  CHECK(latency.sum_ns <= load.runtime_ns + latency.max_ns);
}

TEST_CASE("io_uring never has more in flight than it was asked for") {
  if (io_uring_forbidden()) return;
  const TemporaryFile file(mebibyte);
  for (const std::uint32_t depth : {1U, 2U, 7U, 32U}) {
    CAPTURE(depth);
    Load load = small_load(IoEngine::io_uring, Rw::randread);
    load.numjobs = 1;
    load.iodepth = depth;
    const Outcome outcome = run_until_moved(load, file.path());
    check_books(load, outcome);
    const Histogram& latency = outcome.finals[0].read.latency;
    CHECK(latency.sum_ns <= depth * (load.runtime_ns + latency.max_ns));
    CHECK(outcome.finals[0].batch_submit == std::max(1U, depth / 8));
    CHECK(outcome.finals[0].batch_complete == 1);
  }
}

TEST_CASE("io_uring works with every flag and with none, and reports what it used") {
  if (io_uring_forbidden()) return;
  const TemporaryFile file(mebibyte);
  for (const std::uint32_t flags :
       {0U, engine_flag::fixed_buffers, engine_flag::fixed_files, engine_flag::coop_taskrun,
        engine_flag::single_issuer, engine_flag::defer_taskrun, engine_flag::all}) {
    CAPTURE(flags);
    Load load = small_load(IoEngine::io_uring, Rw::randwrite);
    load.engine_flags = flags;
    load.runtime_ns = 50'000'000;
    const Outcome outcome = run_until_moved(load, file.path());
    check_books(load, outcome);
    CHECK((outcome.finals[0].engine_flags & ~flags) == 0);
  }
}

TEST_CASE("65 jobs come back in two frames, each with its number") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.numjobs = 65;
  const Outcome outcome = run_engine(load, file.path());
  for (const FailureBody& failure : outcome.failures) FAIL(std::string(failure.text.data()));
  REQUIRE(outcome.jobs.size() == 65);
  for (std::uint32_t i = 0; i < 65; ++i) CHECK(outcome.jobs[i].job == i);
}

TEST_CASE("a trial sets everything up, reports the flags and does no I/O") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randwrite);
  load.task = Task::trial;
  load.runtime_ns = 60'000'000'000;
  const Outcome outcome = run_engine(load, file.path());
  REQUIRE(outcome.finals.size() == 1);
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.finals[0].write.ios == 0);
  CHECK(outcome.finals[0].measured_ns == 0);
  CHECK(outcome.ticks.empty());
  CHECK(file.contents() == std::string(mebibyte, '\0'));
}

TEST_CASE("a stop byte ends a run of a minute at once, with what was measured until then") {
  const TemporaryFile file(mebibyte);
  for (const std::uint8_t thread : {std::uint8_t{0}, std::uint8_t{1}}) {
    Load load = small_load(IoEngine::psync, Rw::randread);
    load.thread = thread;
    load.runtime_ns = 60'000'000'000;
    const Outcome outcome =
        run_engine(load, file.path(), [](const EngineProcess& engine, const Frame& frame) {
          if (frame.header.phase == Phase::measure && frame.header.sequence < 4) engine.send_stop();
        });
    REQUIRE(outcome.finals.size() == 1);
    CHECK(outcome.exit_status == 0);
    CHECK(outcome.jobs.size() == 2);
    CHECK(outcome.finals[0].measured_ns > 0);
    CHECK(outcome.finals[0].measured_ns < 30'000'000'000);
    CHECK(outcome.finals[0].read.ios == outcome.ios(Phase::measure));
    CHECK(outcome.finals[0].measured_ns == outcome.span_ns(Phase::measure));
  }
}

TEST_CASE("a stop during the ramp ends with a final frame that has measured nothing") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.ramp_ns = 60'000'000'000;
  const Outcome outcome = run_engine(
      load, file.path(), [](const EngineProcess& engine, const Frame&) { engine.send_stop(); });
  REQUIRE(outcome.finals.size() == 1);
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.finals[0].measured_ns == 0);
  CHECK(outcome.finals[0].read.ios == 0);
  CHECK(outcome.ios(Phase::measure) == 0);
}

TEST_CASE("when the service goes away the engine ends, and its jobs with it") {
  const TemporaryFile file(mebibyte);
  EngineProcess engine(file.path(), 2, O_RDWR);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.runtime_ns = 60'000'000'000;
  engine.send(load);
  REQUIRE(engine.next_frame() != nullptr);
  engine.hang_up();
  CHECK(engine.exit_status() == 0);  // it reaped its jobs before it went
}

TEST_CASE("a service that goes away before it says what to do is no error") {
  const TemporaryFile file(mebibyte);
  EngineProcess engine(file.path(), 1, O_RDWR);
  engine.hang_up();
  CHECK(engine.exit_status() == 0);
}

TEST_CASE("a service that doesn't read stops neither the run nor, later, the frames") {
  const TemporaryFile file(mebibyte);
  EngineProcess engine(file.path(), 2, O_RDWR);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.ramp_ns = 0;
  load.runtime_ns = 4'000'000'000;  // 16 ticks of 30 kB: more than a socket holds
  engine.send(load);
  usleep(4'500'000);
  std::uint64_t ios = 0, span_ns = 0;
  bool final = false;
  while (const std::unique_ptr<Frame> frame = engine.next_frame()) {
    if (frame->header.kind == FrameKind::tick) {
      ios += frame->body.tick.read.ios;
      span_ns += frame->body.tick.span_ns;
    }
    if (frame->header.kind != FrameKind::final) continue;
    final = true;
    CHECK(frame->body.final.measured_ns == load.runtime_ns);
    CHECK(frame->body.final.read.ios == ios);
  }
  CHECK(final);
  CHECK(span_ns == load.runtime_ns);
  CHECK(engine.exit_status() == 0);
}

TEST_CASE("layout fills every file to its size with bytes that don't repeat") {
  const TemporaryFile file(0);
  Load load;
  load.task = Task::layout;
  load.size_bytes = 3 * mebibyte + 4096;
  load.seed = 9;
  const Outcome outcome = run_engine(load, file.path());
  REQUIRE(outcome.failures.empty());
  REQUIRE(outcome.finals.size() == 1);
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.finals[0].write.bytes == load.size_bytes);
  CHECK(outcome.ticks.back().header.phase == Phase::layout);
  CHECK(outcome.ticks.back().body.tick.done_bytes == load.size_bytes);
  CHECK(outcome.ticks.back().body.tick.total_bytes == load.size_bytes);

  const std::string contents = file.contents();
  REQUIRE(contents.size() == load.size_bytes);
  std::set<std::string> words;
  for (std::size_t i = 0; i < contents.size(); i += 512) words.insert(contents.substr(i, 8));
  CHECK(words.size() == contents.size() / 512);
}
