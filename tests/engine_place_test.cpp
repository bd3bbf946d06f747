// What a run may ask of the machine: CPUs, polled completions; and what it says it has cost.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace engine_test;

constexpr std::uint64_t mebibyte = 1 << 20;

}  // namespace

TEST_CASE("jobs run on the CPUs they are allowed, or the run says why it can't") {
  const TemporaryFile file(mebibyte);
  for (const std::uint8_t thread : {std::uint8_t{0}, std::uint8_t{1}}) {
    Load load = small_load(IoEngine::psync, Rw::randread);
    load.thread = thread;
    load.cpus[0] = 1;  // CPU 0
    const Outcome outcome = run_engine(load, file.path());
    if (!outcome.failures.empty()) {
      CHECK(std::string(outcome.failures[0].operation.data()) == "cpus_allowed");
      continue;
    }
    REQUIRE(outcome.finals.size() == 1);
    // Two jobs on one CPU: never more CPU time than time, but for the clock's tick of 10 ms.
    const FinalBody& final = outcome.finals[0];
    CHECK(final.cpu_user_ns + final.cpu_system_ns <= load.runtime_ns + 20'000'000);
  }
}

TEST_CASE("a CPU that no machine has is refused in words") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.cpus[15] = std::uint64_t{1} << 63;  // CPU 1023
  const Outcome outcome = run_engine(load, file.path());
  if (outcome.failures.empty()) return;  // that machine exists
  CHECK(std::string(outcome.failures[0].operation.data()) == "cpus_allowed");
  CHECK(std::string(outcome.failures[0].text.data()) != "");
  CHECK(outcome.exit_status == 1);
}

TEST_CASE("hipri polls, or the trial says that the device doesn't and what to do") {
  if (io_uring_forbidden()) return;
  const TemporaryFile file(mebibyte);
  for (const Rw rw : {Rw::randread, Rw::randwrite}) {
    Load load = small_load(IoEngine::io_uring, rw);
    load.task = Task::trial;
    load.workload.hipri = 1;
    const Outcome outcome = run_engine(load, file.path());
    if (outcome.failures.empty()) {
      CHECK((outcome.finals.at(0).engine_flags & engine_flag::polled) != 0);
      continue;
    }
    CHECK(outcome.exit_status == 1);
    CHECK(std::string(outcome.failures[0].text.data()).find("poll_queues") != std::string::npos);
  }
}

TEST_CASE("without hipri nothing is polled, and with an fsync it can't be") {
  if (io_uring_forbidden()) return;
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::io_uring, Rw::write);
  Outcome outcome = run_engine(load, file.path());
  REQUIRE(outcome.finals.size() == 1);
  CHECK((outcome.finals[0].engine_flags & engine_flag::polled) == 0);
  load.workload.hipri = 1;
  load.workload.fsync = 1;
  outcome = run_engine(load, file.path());
  REQUIRE(outcome.failures.size() == 1);
  CHECK(std::string(outcome.failures[0].text.data()).find("fsync") != std::string::npos);
}

TEST_CASE("the page faults and context switches of a run are its own, not its set-up's") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.workload.rate_iops = 200;  // every wait is a switch
  Outcome outcome = run_until_moved(load, file.path());
  REQUIRE(outcome.finals.size() == 1);
  if (outcome.finals[0].read.ios >= 20) CHECK(outcome.finals[0].voluntary_context_switches > 0);

  // 4096 pages, all of them touched for the first time within the run.
  const TemporaryFile large(16 * mebibyte);
  load = small_load(IoEngine::mmap, Rw::write);
  load.numjobs = 1;
  load.ramp_ns = 0;
  load.size_bytes = 16 * mebibyte;
  outcome = run_until_moved(load, large.path());
  REQUIRE(outcome.finals.size() == 1);
  const FinalBody& final = outcome.finals[0];
  CHECK(final.minor_page_faults + final.major_page_faults > 0);
}
