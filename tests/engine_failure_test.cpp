// What the engine says when something is wrong: one failure frame, with a cure, and status 1.
#include <dirent.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>

#include "daemon/engine/failure.h"
#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace engine_test;

constexpr std::uint64_t mebibyte = 1 << 20;

// The only child of `parent` there is; 0 when there is none.
int child_of(int parent) {
  const std::string list =
      "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children";
  int pid = 0;
  std::ifstream(list) >> pid;
  return pid;
}

}  // namespace

TEST_CASE("a file that ends before its region fails the run with operation and offset") {
  const bool no_uring = io_uring_forbidden();
  const TemporaryFile file(mebibyte);
  for (const IoEngine ioengine : {IoEngine::psync, IoEngine::threads, IoEngine::io_uring}) {
    if (ioengine == IoEngine::io_uring && no_uring) continue;
    for (const std::uint8_t thread : {std::uint8_t{0}, std::uint8_t{1}}) {
      CAPTURE(to_string(ioengine));
      Load load = small_load(ioengine, Rw::read);
      load.thread = thread;
      load.numjobs = 1;
      load.iodepth = 1;
      load.size_bytes = 2 * mebibyte;
      load.runtime_ns = 60'000'000'000;
      const Outcome outcome = run_engine(load, file.path());
      const FailureBody failure = only_failure(outcome);
      CHECK(outcome.failed_in == Phase::ramp);
      CHECK(std::string(failure.operation.data()) == "read");
      CHECK(failure.error_number == 0);
      CHECK(failure.offset_bytes == mebibyte);  // the first block that isn't there
      CHECK(std::string(failure.text.data()) ==
            "only 0 of 4096 bytes: the file ends before the region does; lay it out again, or ask "
            "for a smaller size");
    }
  }
}

TEST_CASE("a device that ends before its region is nothing to lay out again") {
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.runtime_ns = 60'000'000'000;
  const FailureBody failure = only_failure(run_engine(load, "/dev/null"));  // ends at once
  CHECK(std::string(failure.operation.data()) == "read");
  CHECK(failure.error_number == 0);
  CHECK(std::string(failure.text.data()) ==
        "only 0 of 4096 bytes: the device ends before the region does, as if it had become "
        "smaller; ask for a smaller size");
}

TEST_CASE("a load that makes no sense is refused by the name of its field") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.block_bytes = 1000;
  const FailureBody failure = only_failure(run_engine(load, file.path()));
  CHECK(std::string(failure.operation.data()) == "load");
  CHECK(std::string(failure.text.data()).find("bs") == 0);
}

TEST_CASE("a target that was opened for reading can't be written") {
  const TemporaryFile file(mebibyte);
  EngineProcess engine(file.path(), 2, O_RDONLY);
  engine.send(small_load(IoEngine::psync, Rw::randwrite));
  const std::unique_ptr<Frame> frame = engine.next_frame();
  REQUIRE(frame != nullptr);
  REQUIRE(frame->header.kind == FrameKind::failure);
  CHECK(std::string(frame->body.failure.operation.data()) == "open");
  CHECK(frame->body.failure.error_number == EBADF);
  CHECK(engine.next_frame() == nullptr);
  CHECK(engine.exit_status() == 1);
}

TEST_CASE("a mixed workload wants a target that is open for both, a pure one doesn't") {
  const TemporaryFile file(mebibyte);
  for (const int flags : {O_RDONLY, O_WRONLY}) {
    EngineProcess engine(file.path(), 2, flags);
    engine.send(small_load(IoEngine::psync, Rw::randrw));
    const std::unique_ptr<Frame> frame = engine.next_frame();
    REQUIRE(frame != nullptr);
    REQUIRE(frame->header.kind == FrameKind::failure);
    CHECK(frame->body.failure.error_number == EBADF);
    CHECK(engine.exit_status() == 1);
  }
  EngineProcess engine(file.path(), 2, O_WRONLY);
  engine.send(small_load(IoEngine::psync, Rw::randwrite));
  while (const std::unique_ptr<Frame> frame = engine.next_frame())
    CHECK(frame->header.kind != FrameKind::failure);
  CHECK(engine.exit_status() == 0);
}

TEST_CASE("fewer descriptors than jobs name the first job that has none") {
  const TemporaryFile file(mebibyte);
  EngineProcess engine(file.path(), 1, O_RDWR);
  engine.send(small_load(IoEngine::psync, Rw::randread));
  const std::unique_ptr<Frame> frame = engine.next_frame();
  REQUIRE(frame != nullptr);
  REQUIRE(frame->header.kind == FrameKind::failure);
  CHECK(frame->body.failure.job == 1);
  CHECK(engine.exit_status() == 1);
}

TEST_CASE("a full device fails layout and writes with ENOSPC and a cure") {
  if (access("/dev/full", W_OK) != 0) {
    MESSAGE("skipped: no /dev/full here");
    return;
  }
  for (const Task task : {Task::layout, Task::measure}) {
    Load load = small_load(IoEngine::psync, Rw::randwrite);
    load.task = task;
    const FailureBody failure = only_failure(run_engine(load, "/dev/full"));
    CHECK(std::string(failure.operation.data()) == "write");
    CHECK(failure.error_number == ENOSPC);
    CHECK(std::string(failure.text.data()).find("free some space") != std::string::npos);
  }
}

TEST_CASE("a job that is killed fails the run by the name of the signal") {
  const TemporaryFile file(mebibyte);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.numjobs = 1;
  load.runtime_ns = 60'000'000'000;
  bool found = true;
  const Outcome outcome =
      run_engine(load, file.path(), [&](const EngineProcess& engine, const Frame&) {
        const int job = child_of(engine.pid());
        found = job > 0;
        if (found) {
          kill(job, SIGKILL);
        } else {
          engine.send_stop();
        }
      });
  if (!found) {
    MESSAGE("skipped: this system doesn't list a process's children");
    return;
  }
  const FailureBody failure = only_failure(outcome);
  CHECK(std::string(failure.operation.data()) == "job");
  CHECK(std::string(failure.text.data()).find("signal 9") != std::string::npos);
}

TEST_CASE("when the control process is killed its jobs end too") {
  const TemporaryFile file(mebibyte);
  EngineProcess engine(file.path(), 1, O_RDWR);
  Load load = small_load(IoEngine::psync, Rw::randread);
  load.numjobs = 1;
  load.runtime_ns = 60'000'000'000;
  engine.send(load);
  REQUIRE(engine.next_frame() != nullptr);
  const int job = child_of(engine.pid());
  if (job == 0) {
    MESSAGE("skipped: this system doesn't list a process's children");
    return;
  }
  kill(engine.pid(), SIGKILL);
  CHECK(engine.exit_status() == 1009);
  int waits = 0;
  // Gone, or a zombie until init comes by.
  const auto alive = [job] {
    std::string line;
    std::ifstream file_of_job("/proc/" + std::to_string(job) + "/stat");
    return static_cast<bool>(std::getline(file_of_job, line)) &&
           line.find(") Z") == std::string::npos && line.find(") X") == std::string::npos;
  };
  while (alive() && waits < 300) {
    usleep(10'000);
    ++waits;
  }
  CHECK_FALSE(alive());
}

TEST_CASE("texts longer than a frame holds are cut and end") {
  const FailureBody failure =
      engine::make_failure(std::string(100, 'o'), EIO, 7, std::string(1000, 't'));
  CHECK(std::string(failure.operation.data()).size() == 31);
  CHECK(std::string(failure.text.data()).size() == 447);
  CHECK(failure.offset_bytes == 7);
}
