// Open loops: due times, the waiting for them, and what a stalled disk then looks like.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "daemon/engine/pacer.h"
#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

Pacer linear(double interval_ticks, double phase = 0) {
  return {1000, interval_ticks, phase, RateProcess::linear, 1};
}

// A clock that a test sets. Reading it takes 10 ns, sleeping 7 us longer than asked for.
struct TestClock {
  static std::uint64_t now() noexcept { return time += 10; }
  static void sleep(std::uint64_t ticks, std::uint64_t) noexcept {
    time += ticks + 7'000;
    slept += ticks;
  }
  static inline std::uint64_t time = 0, slept = 0;
};

std::uint64_t percentile(std::vector<std::uint64_t> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[rank - 1];
}

}  // namespace

TEST_CASE("evenly spaced I/Os are due at start + k * interval, without drift") {
  Pacer pacer = linear(2.5);
  for (const std::uint64_t due : {1000U, 1002U, 1005U, 1007U, 1010U}) {
    CHECK(pacer.due_ticks() == due);
    pacer.advance();
  }
  Pacer third = linear(1e9 / 3);  // three a second, in nanoseconds
  for (int i = 0; i < 300'000; ++i) third.advance();
  CHECK(third.due_ticks() == 1000 + 100'000ULL * 1'000'000'000);
}

TEST_CASE("a worker in the middle of its interval is due in the middle of it") {
  Pacer pacer = linear(100, 0.5);
  CHECK(pacer.due_ticks() == 1050);
  pacer.advance();
  CHECK(pacer.due_ticks() == 1150);
}

TEST_CASE("poisson arrivals have the mean and the spread of an exponential distribution") {
  Pacer pacer(0, 1000, 0, RateProcess::poisson, 5);
  std::uint64_t before = 0;
  double sum = 0, squares = 0;
  int short_gaps = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto gap = static_cast<double>(pacer.due_ticks() - before);
    before = pacer.due_ticks();
    sum += gap;
    squares += gap * gap;
    short_gaps += gap < 100 ? 1 : 0;
    pacer.advance();
  }
  const double mean = sum / 100'000;
  CHECK(mean == doctest::Approx(1000).epsilon(0.02));
  CHECK(std::sqrt(squares / 100'000 - mean * mean) == doctest::Approx(1000).epsilon(0.02));
  CHECK(short_gaps == doctest::Approx(9516).epsilon(0.04));  // 1 - e^-0.1
}

TEST_CASE("the threads of two jobs share the rate of each, spread evenly") {
  Load load;
  load.ioengine = IoEngine::threads;
  load.numjobs = 2;
  load.iodepth = 4;
  load.size_bytes = 1 << 20;
  load.workload.rate_iops = 1000;  // of each job: eight workers make 2000 a second
  Board& board = *make_board(load, 4);
  board.start_ticks = 1'000'000'000;
  std::vector<std::uint64_t> due;
  for (std::uint32_t i = 0; i < 8; ++i) {
    Pacer pacer = pacer_of(board.workers[i], board);
    for (int k = 0; k < 2; ++k) {
      due.push_back(pacer.due_ticks() - board.start_ticks);
      pacer.advance();
    }
  }
  std::sort(due.begin(), due.end());
  for (std::size_t k = 0; k < due.size(); ++k) CHECK(due[k] == k * 500'000);
}

TEST_CASE("13 500 I/Os at 450 a second, 1 ms each, every 500th 200 ms: the stall is in the p99") {
  Pacer pacer(0, 1e9 / 450, 0, RateProcess::linear, 1);
  std::vector<std::uint64_t> open, closed;
  std::uint64_t idle_at = 0;
  for (int i = 1; i <= 13'500; ++i) {
    const std::uint64_t service = i % 500 == 0 ? 200'000'000 : 1'000'000;
    const std::uint64_t due = pacer.due_ticks();
    pacer.advance();
    idle_at = std::max(idle_at, due) + service;
    open.push_back(idle_at - due);
    closed.push_back(service);
  }
  CHECK(percentile(closed, 0.99) == 1'000'000);
  CHECK(static_cast<double>(percentile(open, 0.99)) == doctest::Approx(193.9e6).epsilon(0.001));
  CHECK(static_cast<double>(percentile(open, 0.999)) == doctest::Approx(200e6).epsilon(0.001));
}

TEST_CASE("an alarm wakes before its time, 60 us at first, and never sleeps through a stop") {
  Alarm<TestClock> alarm(ClockScale{}, 25'000'000);
  CHECK(alarm.nap(0, 160'000) == 100'000);           // 160 - 60 us
  CHECK(alarm.nap(0, 1'000'000'000) == 50'000'000);  // a second is twenty naps
  CHECK(alarm.nap(0, 50'000) == 0);
}

TEST_CASE("an alarm learns how late the system wakes it, and forgets a single bad moment") {
  Alarm<TestClock> alarm(ClockScale{}, 25'000'000);
  alarm.learn(100, 10'000'100);  // 10 ms late, once: 60 us become 90
  CHECK(alarm.nap(0, 190'000) == 100'000);
  for (int i = 0; i < 20; ++i) alarm.learn(100, 10'000'100);  // always: 90 us * 1.5^12 are enough
  CHECK(alarm.nap(0, 10'000'000) == 0);
  CHECK(alarm.nap(0, 60'000'000) > 40'000'000);  // but for no more than half as much again
  for (int i = 0; i < 100; ++i) alarm.learn(100, 3'000'000'100);  // never more than 25 ms
  CHECK(alarm.nap(0, 25'100'000) > 99'000);
  for (int i = 0; i < 1000; ++i) alarm.learn(100, 100);  // punctual again: 10 us stay
  CHECK(alarm.nap(0, 110'100) >= 100'000);
}

TEST_CASE("an alarm that has grown beyond the gaps between I/Os tries again after a while") {
  Alarm<TestClock> alarm(ClockScale{}, 25'000'000);
  for (int i = 0; i < 8; ++i) alarm.learn(100, 100'000'100);  // 60 us * 1.5^8 are 1.54 ms
  std::uint64_t now = 0;
  while (alarm.nap(now, now + 1'000'000) == 0 && now < 10'000'000'000) now += 1'000'000;
  CHECK(now > 2'000'000'000);  // 28 steps of 100 ms bring them below 1 ms
  CHECK(now < 3'500'000'000);
}

TEST_CASE("resting until an instant a second away naps and never oversleeps") {
  Alarm<TestClock> alarm(ClockScale{}, 25'000'000);
  TestClock::time = TestClock::slept = 0;
  std::uint64_t now = 0;
  while (now < 1'000'000'000) now = alarm.rest(now, 1'000'000'000);
  CHECK(now < 1'000'000'020);
  CHECK(TestClock::slept > 990'000'000);
}

TEST_CASE("no loop makes an I/O before it is due") {
  const bool no_uring = engine_test::io_uring_forbidden();
  const engine_test::TemporaryFile file(1 << 20);
  for (const IoEngine ioengine :
       {IoEngine::psync, IoEngine::threads, IoEngine::mmap, IoEngine::null, IoEngine::io_uring}) {
    if (ioengine == IoEngine::io_uring && no_uring) continue;
    for (const Rw rw : {Rw::randread, Rw::write, Rw::randrw}) {
      CAPTURE(to_string(ioengine));
      CAPTURE(to_string(rw));
      Load load = engine_test::small_load(ioengine, rw);
      load.runtime_ns = 200'000'000;
      load.workload.rate_iops = 500;
      const engine_test::Outcome outcome = engine_test::run_until_moved(load, file.path());
      REQUIRE(outcome.finals.size() == 1);
      CHECK(outcome.exit_status == 0);
      const FinalBody& final = outcome.finals[0];
      CHECK(final.measured_ns == load.runtime_ns);
      const std::uint64_t ios = final.read.ios + final.write.ios;
      // Two jobs: a thousand are due in a second, ramp and all, and one more for each of up to
      // eight workers. A slow machine makes fewer, never none.
      CHECK(ios > 0);
      CHECK(ios <= (load.ramp_ns + load.runtime_ns) / 1'000'000 + 8);
    }
  }
}

TEST_CASE("a worker that waits for its next hour hears a stop, and the end of its run") {
  const engine_test::TemporaryFile file(1 << 20);
  for (const IoEngine ioengine : {IoEngine::psync, IoEngine::null}) {
    Load load = engine_test::small_load(ioengine, Rw::randread);
    load.workload.rate_iops = 1;
    load.workload.rate_process = RateProcess::poisson;
    load.runtime_ns = 300'000'000;
    engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
    REQUIRE(outcome.finals.size() == 1);
    CHECK(outcome.finals[0].measured_ns == load.runtime_ns);
    load.runtime_ns = 600'000'000'000;
    outcome = engine_test::run_engine(
        load, file.path(),
        [](engine_test::EngineProcess& engine, const Frame&) { engine.send_stop(); });
    REQUIRE(outcome.finals.size() == 1);
    CHECK(outcome.finals[0].measured_ns < 300'000'000'000);
  }
}

TEST_CASE("io_size ends the run when the first job has moved so much") {
  const bool no_uring = engine_test::io_uring_forbidden();
  const engine_test::TemporaryFile file(1 << 20);
  for (const IoEngine ioengine :
       {IoEngine::psync, IoEngine::threads, IoEngine::mmap, IoEngine::null, IoEngine::io_uring}) {
    if (ioengine == IoEngine::io_uring && no_uring) continue;
    for (const std::uint64_t rate : {0U, 100'000U}) {
      CAPTURE(to_string(ioengine));
      CAPTURE(rate);
      Load load = engine_test::small_load(ioengine, Rw::randrw);
      load.runtime_ns = 600'000'000'000;
      load.workload.io_size_bytes = 100 * 4096;
      load.workload.rate_iops = rate;
      const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
      REQUIRE(outcome.finals.size() == 1);
      CHECK(outcome.finals[0].measured_ns < 300'000'000'000);
      std::uint64_t most = 0;
      for (const JobFigures& job : outcome.jobs)
        most = std::max(most, job.read_ios + job.write_ios);
      // Each of four threads of a job has 25 to do; what is in flight when they end still counts.
      CHECK(most >= (ioengine == IoEngine::threads ? 25 : 100));
      CHECK(most <= 104);
    }
  }
}

TEST_CASE("an open loop reports that it waits for no number of completions, whatever was asked") {
  if (engine_test::io_uring_forbidden()) return;
  const engine_test::TemporaryFile file(1 << 20);
  for (const std::uint64_t rate : {0U, 1'000U}) {
    Load load = engine_test::small_load(IoEngine::io_uring, Rw::randread);
    load.batch_complete = 4;
    load.workload.rate_iops = rate;
    const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
    REQUIRE(outcome.finals.size() == 1);
    CHECK(outcome.finals[0].batch_complete == (rate == 0 ? 4 : 1));
  }
}
