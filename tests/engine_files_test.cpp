// Several files as one region: with fewer jobs than files the working set stays what it was.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/engine/files.h"
#include "daemon/engine/loop.h"
#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

constexpr std::uint64_t file_bytes = 16 * 4096;

Load three_jobs_on(std::uint32_t files) {
  Load load = engine_test::small_load(IoEngine::psync, Rw::randread);
  load.numjobs = 3;
  load.files = files;
  load.size_bytes = file_bytes;
  return load;
}

}  // namespace

TEST_CASE("eight files for three jobs are three, three and two") {
  const Board& board = *make_board(three_jobs_on(8), 4);
  const std::array<std::uint32_t, 3> counts{3, 3, 2};
  for (std::size_t job = 0; job < 3; ++job) {
    const Worker& worker = board.workers[job];
    CHECK(Files(worker, board).count() == counts[job]);
    CHECK(region_of(worker, board).blocks == counts[job] * 16);
    CHECK(region_of(worker, board).shares == 1);
  }
  const Files of_second(board.workers[1], board);  // files 1, 4 and 7, from descriptor 4 on
  CHECK(of_second.descriptor(0) == 5);
  CHECK(of_second.descriptor(1) == 8);
  CHECK(of_second.descriptor(2) == 11);
  const Place last = of_second.at(2 * file_bytes + 4096);
  CHECK(last.file == 2);
  CHECK(last.descriptor == 11);
  CHECK(last.offset_bytes == 4096);
}

TEST_CASE("as many jobs as files or more have one each, as ever") {
  for (const std::uint32_t files : {1U, 2U, 3U}) {
    const Board& board = *make_board(three_jobs_on(files), 4);
    const Files of_last(board.workers[2], board);
    CHECK(of_last.count() == 1);
    CHECK(of_last.at(12288).descriptor == 6);
    CHECK(of_last.at(12288).offset_bytes == 12288);
    CHECK(region_of(board.workers[2], board).blocks == 16);
  }
}

TEST_CASE("one job on four files works on all of them, and finds what it wrote") {
  const bool no_uring = engine_test::io_uring_forbidden();
  for (const IoEngine ioengine :
       {IoEngine::psync, IoEngine::threads, IoEngine::mmap, IoEngine::io_uring}) {
    if (ioengine == IoEngine::io_uring && no_uring) continue;
    for (const Rw rw : {Rw::write, Rw::randwrite}) {
      CAPTURE(to_string(ioengine));
      CAPTURE(to_string(rw));
      const std::array<engine_test::TemporaryFile, 4> files{
          engine_test::TemporaryFile(file_bytes), engine_test::TemporaryFile(file_bytes),
          engine_test::TemporaryFile(file_bytes), engine_test::TemporaryFile(file_bytes)};
      std::vector<std::string> paths;
      for (const engine_test::TemporaryFile& file : files) paths.push_back(file.path());
      Load load = engine_test::small_load(ioengine, rw);
      load.numjobs = 1;
      load.files = 4;
      load.size_bytes = file_bytes;
      load.ramp_ns = 0;
      load.workload.norandommap = 0;
      load.workload.fsync = 16;
      load.workload.verify = 1;
      const engine_test::Outcome outcome = engine_test::run_engine(load, paths);
      CHECK(outcome.exit_status == 0);
      REQUIRE(outcome.finals.size() == 1);
      // 4 x 16 blocks, each once before any is twice; the threads of a job share them out.
      if (ioengine == IoEngine::threads || outcome.finals[0].write.ios < 64) continue;
      CHECK(outcome.finals[0].verified_bytes == 4 * file_bytes);
      for (const engine_test::TemporaryFile& file : files) {
        const std::string contents = file.contents();
        REQUIRE(contents.size() == file_bytes);
        for (std::size_t at = 0; at < file_bytes; at += 4096)
          CHECK(contents.find_first_not_of('\0', at) < at + 4096);
      }
    }
  }
}
