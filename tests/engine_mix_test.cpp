// Mixed workloads: which way an I/O goes; and that runs ask where they were told to.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>

#include "daemon/engine/direction.h"
#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

int writes_of_a_thousand(Rw rw, std::uint32_t rwmixread, std::uint64_t seed) {
  Load load;
  load.rw = rw;
  load.workload.rwmixread = rwmixread;
  Region region;
  region.seed = seed;
  Mixing mixing(load, region);
  int writes = 0;
  for (int i = 0; i < 1000; ++i) writes += mixing.next() ? 1 : 0;
  return writes;
}

}  // namespace

TEST_CASE("rwmixread=70 makes 300 writes of a thousand I/Os, within chance") {
  // One standard deviation is 14.5; seeded, so this never flickers.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const int writes = writes_of_a_thousand(Rw::randrw, 70, seed);
    CHECK(writes > 250);
    CHECK(writes < 350);
  }
}

TEST_CASE("a mix of 0 or 100 percent is pure, and so is a pure workload whatever its mix says") {
  CHECK(writes_of_a_thousand(Rw::rw, 100, 1) == 0);
  CHECK(writes_of_a_thousand(Rw::rw, 0, 1) == 1000);
  CHECK(writes_of_a_thousand(Rw::randread, 50, 1) == 0);
  CHECK(writes_of_a_thousand(Rw::write, 50, 1) == 1000);
}

TEST_CASE("two workers don't read and write in step") {
  Load load;
  load.rw = Rw::randrw;
  Region first, second;
  first.seed = 1;
  second.seed = 2;
  Mixing one(load, first), other(load, second);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) equal += one.next() == other.next() ? 1 : 0;
  CHECK(equal > 420);  // 500 expected, one deviation is 16
  CHECK(equal < 580);
}

TEST_CASE("a measured mix of 75 percent reads three blocks for every one it writes") {
  const engine_test::TemporaryFile file(1 << 20);
  for (const IoEngine ioengine : {IoEngine::psync, IoEngine::null}) {
    Load load = engine_test::small_load(ioengine, Rw::randrw);
    load.workload.rwmixread = 75;
    const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
    REQUIRE(outcome.finals.size() == 1);
    const auto read = static_cast<double>(outcome.finals[0].read.ios);
    const auto written = static_cast<double>(outcome.finals[0].write.ios);
    // However slow the machine is: at 100 I/Os a deviation is 4.3 %, and this allows 35 %.
    if (read + written < 100) continue;
    CHECK(read / (read + written) > 0.40);
    CHECK(read / (read + written) < 0.99);
  }
}

TEST_CASE(
    "a run that repeats nothing leaves no block unwritten, one that likes a few leaves many") {
  constexpr std::uint64_t blocks = 256;
  for (const Distribution kind : {Distribution::random, Distribution::zipf}) {
    const engine_test::TemporaryFile file(blocks * 4096);
    Load load = engine_test::small_load(IoEngine::psync, Rw::randwrite);
    load.numjobs = 1;
    load.size_bytes = blocks * 4096;
    load.workload.norandommap = kind == Distribution::random ? 0 : 1;
    load.workload.random_distribution = {kind, 10};  // nearly all of zipf:10 is one block
    const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
    REQUIRE(outcome.finals.size() == 1);
    const std::string contents = file.contents();
    std::uint64_t written = 0;
    for (std::uint64_t i = 0; i < blocks; ++i)
      written += contents.find_first_not_of('\0', i * 4096) < (i + 1) * 4096 ? 1 : 0;
    if (kind == Distribution::zipf) {
      CHECK(written < 20);
    } else if (outcome.finals[0].write.ios >= blocks) {
      CHECK(written == blocks);
    }
  }
}

TEST_CASE("fsync=4 syncs after every fourth write of a job, and counts that apart") {
  const bool no_uring = engine_test::io_uring_forbidden();
  const engine_test::TemporaryFile file(1 << 20);
  for (const IoEngine ioengine :
       {IoEngine::psync, IoEngine::threads, IoEngine::mmap, IoEngine::null, IoEngine::io_uring}) {
    if (ioengine == IoEngine::io_uring && no_uring) continue;
    for (const std::uint64_t rate : {0U, 100'000U}) {
      CAPTURE(to_string(ioengine));
      CAPTURE(rate);
      Load load = engine_test::small_load(ioengine, Rw::randrw);
      load.ramp_ns = 0;
      load.workload.fsync = 4;
      load.workload.rate_iops = rate;
      const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
      REQUIRE(outcome.finals.size() == 1);
      CHECK(outcome.exit_status == 0);
      const FinalBody& final = outcome.finals[0];
      CHECK(final.fsync.bytes == 0);
      CHECK(final.fsync.latency.count == final.fsync.ios);
      // Up to eight may have been under way at the end, and up to three writes of eight workers.
      CHECK(final.fsync.ios <= final.write.ios / 4 + 8);
      CHECK(final.fsync.ios + 8 >= final.write.ios / 4 - std::min(final.write.ios / 4, {6}));
      std::uint64_t told = 0;
      for (const Frame& tick : outcome.ticks) told += tick.body.tick.fsync.ios;
      CHECK(told == final.fsync.ios);
    }
  }
}

TEST_CASE("an fsync that fails fails the run by its name") {
  if (access("/dev/null", W_OK) != 0) return;
  Load load = engine_test::small_load(IoEngine::psync, Rw::write);
  load.workload.fsync = 1;
  const engine_test::Outcome outcome = engine_test::run_engine(load, "/dev/null");
  REQUIRE(outcome.failures.size() == 1);
  CHECK(std::string(outcome.failures[0].operation.data()) == "fsync");
  CHECK(outcome.failures[0].error_number == EINVAL);
  CHECK(std::string(outcome.failures[0].text.data()).find("leave fsync out") != std::string::npos);
}
