// The mmap loop: what it moves, what it refuses, and what becomes of a page that isn't there.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace engine_test;

constexpr std::uint64_t mebibyte = 1 << 20;

}  // namespace

TEST_CASE("a mapped region is written where it lies, and nowhere else") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::mmap, Rw::write);
  load.numjobs = 1;
  load.block_bytes = 512;
  load.offset_bytes = 512 * 3;  // in the middle of a page
  load.size_bytes = 512 * 5;
  load.workload.fsync = 2;
  const Outcome outcome = run_engine(load, file.path());
  REQUIRE(outcome.finals.size() == 1);
  const std::string contents = file.contents();
  REQUIRE(contents.size() == mebibyte);
  if (outcome.finals[0].write.ios >= 5) {
    for (std::size_t sector = 3; sector < 8; ++sector)
      CHECK(contents.find_first_not_of('\0', sector * 512) < (sector + 1) * 512);
    CHECK(outcome.finals[0].fsync.ios > 0);
  }
  CHECK(contents.find_first_not_of('\0') >= 3 * 512);
  CHECK(contents.find_first_not_of('\0', 8 * 512) == std::string::npos);
}

TEST_CASE("mapped pages are page cache: never direct, one at once, and their faults are counted") {
  const TemporaryFile file(mebibyte);
  const Outcome outcome = run_engine(small_load(IoEngine::mmap, Rw::randwrite), file.path());
  REQUIRE(outcome.finals.size() == 1);
  CHECK(outcome.finals[0].direct == 0);
  CHECK(outcome.finals[0].in_flight_max == 2);
  CHECK(outcome.finals[0].ioengine == IoEngine::mmap);
}

TEST_CASE("a raw device has no pages to map, and the refusal says what to do") {
  const Outcome outcome = run_engine(small_load(IoEngine::mmap, Rw::randread), "/dev/zero");
  const FailureBody failure = only_failure(outcome);
  CHECK(outcome.failed_in == Phase::starting);  // another loop may still be tried
  CHECK(std::string(failure.operation.data()) == "mmap");
  CHECK(std::string(failure.text.data()).find("a raw device has no pages to map") == 0);
}

TEST_CASE("a file that is too short to map is refused before the run") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::mmap, Rw::read);
  load.size_bytes = 2 * mebibyte;
  const FailureBody failure = only_failure(run_engine(load, file.path()));
  CHECK(failure.offset_bytes == mebibyte);
  CHECK(std::string(failure.text.data()).find("1048576 of 2097152 bytes") != std::string::npos);
}

TEST_CASE("a page that goes away under the run fails it with the page's offset, not a crash") {
  for (const std::uint8_t thread : {std::uint8_t{0}, std::uint8_t{1}}) {
    for (const Rw rw : {Rw::randread, Rw::randwrite}) {
      const TemporaryFile file(mebibyte);
      Load load = small_load(IoEngine::mmap, rw);
      load.thread = thread;
      load.runtime_ns = 60'000'000'000;
      const Outcome outcome =
          run_engine(load, file.path(), [&](const EngineProcess&, const Frame&) {
            CHECK(truncate(file.path().c_str(), mebibyte / 2) == 0);
          });
      const FailureBody failure = only_failure(outcome);
      CHECK(std::string(failure.operation.data()) == (rw == Rw::randread ? "read" : "write"));
      CHECK(failure.error_number == EIO);
      CHECK(failure.offset_bytes >= mebibyte / 2);
      CHECK(failure.offset_bytes < mebibyte);
    }
  }
}
