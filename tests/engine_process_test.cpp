#include "tests/engine_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "daemon/model/control.h"

namespace engine_test {
namespace {

using namespace iobenchd;

// Only calls that are safe between fork and exec. `targets` is taken to pieces.
[[noreturn]] void become_engine(int socket, std::vector<int>& targets) {
  // Up and out of the way first: the numbers we want may be in use by the ones we have.
  constexpr int parking = 500;
  socket = fcntl(socket, F_DUPFD, parking);
  for (int& target : targets) target = fcntl(target, F_DUPFD, parking);
  dup2(socket, control_fd);
  for (std::size_t i = 0; i < targets.size(); ++i)
    dup2(targets[i], first_target_fd + static_cast<int>(i));
  for (int fd = first_target_fd + static_cast<int>(targets.size()); fd < 1000; ++fd) close(fd);
  execl(IOBENCHD_BIN_DIR "/iobenchd-engine", "iobenchd-engine", static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

TemporaryFile::TemporaryFile(std::uint64_t bytes) {
  const char* directory = std::getenv("TMPDIR");
  path_ = std::string(directory != nullptr ? directory : "/tmp") + "/iobenchd-engine-XXXXXX";
  const int file = mkstemp(path_.data());
  REQUIRE(file >= 0);
  REQUIRE(ftruncate(file, static_cast<off_t>(bytes)) == 0);
  close(file);
}

TemporaryFile::~TemporaryFile() {
  unlink(path_.c_str());
}

std::string TemporaryFile::contents() const {
  std::ifstream in(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

EngineProcess::EngineProcess(const std::vector<std::string>& paths, int open_flags) {
  std::array<int, 2> pair{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) == 0);
  fcntl(pair[0], F_SETFD, FD_CLOEXEC);
  std::vector<int> targets;
  for (const std::string& path : paths) {
    targets.push_back(open(path.c_str(), open_flags));
    REQUIRE(targets.back() >= 0);
  }
  pid_ = fork();
  if (pid_ == 0) become_engine(pair[1], targets);
  for (const int target : targets) close(target);
  close(pair[1]);
  socket_ = pair[0];
  REQUIRE(pid_ > 0);
}

EngineProcess::~EngineProcess() {
  hang_up();
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

void EngineProcess::send(const Load& load) const {
  REQUIRE(write(socket_, &load, sizeof(load)) == static_cast<ssize_t>(sizeof(load)));
}

void EngineProcess::send_stop() const {
  ::send(socket_, "s", 1, MSG_NOSIGNAL);  // it may just have ended by itself
}

void EngineProcess::hang_up() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

std::unique_ptr<Frame> EngineProcess::next_frame() {
  auto frame = std::make_unique<Frame>();
  auto* const bytes = reinterpret_cast<char*>(frame.get());
  std::size_t have = 0;
  while (have < sizeof(Frame)) {
    const ssize_t length = read(socket_, bytes + have, sizeof(Frame) - have);
    if (length <= 0) {
      CHECK(have == 0);  // never half a frame
      return nullptr;
    }
    have += static_cast<std::size_t>(length);
  }
  CHECK_NOTHROW(check_frame(*frame, expected_sequence_));
  ++expected_sequence_;
  return frame;
}

int EngineProcess::exit_status() {
  int status = 0;
  REQUIRE(waitpid(pid_, &status, 0) == pid_);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

std::uint64_t Outcome::ios(Phase phase) const {
  std::uint64_t sum = 0;
  for (const Frame& frame : ticks)
    if (frame.header.phase == phase) sum += frame.body.tick.read.ios + frame.body.tick.write.ios;
  return sum;
}

std::uint64_t Outcome::span_ns(Phase phase) const {
  std::uint64_t sum = 0;
  for (const Frame& frame : ticks)
    if (frame.header.phase == phase) sum += frame.body.tick.span_ns;
  return sum;
}

Outcome run_engine(const Load& load, const std::string& path, const OnTick& on_tick) {
  const std::uint32_t descriptors = load.task == Task::layout ? load.files : load.numjobs;
  return run_engine(load, std::vector<std::string>(descriptors, path), on_tick);
}

Outcome run_engine(const Load& load, const std::vector<std::string>& paths, const OnTick& on_tick) {
  EngineProcess engine(paths, O_RDWR);
  engine.send(load);
  Outcome outcome;
  while (const std::unique_ptr<Frame> frame = engine.next_frame()) {
    switch (frame->header.kind) {
      case FrameKind::tick:
        outcome.ticks.push_back(*frame);
        if (on_tick) on_tick(engine, *frame);
        break;
      case FrameKind::jobs:
        for (std::uint32_t i = 0; i < frame->body.jobs.count; ++i)
          outcome.jobs.push_back(frame->body.jobs.jobs[i]);
        break;
      case FrameKind::final:
        outcome.finals.push_back(frame->body.final);
        break;
      case FrameKind::failure:
        outcome.failures.push_back(frame->body.failure);
        outcome.failed_in = frame->header.phase;
        break;
    }
  }
  outcome.exit_status = engine.exit_status();
  return outcome;
}

Outcome run_until_moved(Load& load, const std::string& path) {
  for (;;) {
    Outcome outcome = run_engine(load, path);
    const bool moved =
        outcome.finals.empty() || outcome.finals[0].read.ios + outcome.finals[0].write.ios > 0;
    if (moved || load.runtime_ns > 5'000'000'000) return outcome;
    load.runtime_ns *= 4;
  }
}

Load small_load(IoEngine ioengine, Rw rw) {
  Load load;
  load.ioengine = ioengine;
  load.rw = rw;
  load.numjobs = 2;
  load.iodepth = 4;
  load.size_bytes = 1 << 20;
  load.ramp_ns = 30'000'000;
  load.runtime_ns = 120'000'000;
  load.seed = 1;
  return load;
}

FailureBody only_failure(const Outcome& outcome) {
  CHECK(outcome.exit_status == 1);
  CHECK(outcome.finals.empty());
  REQUIRE(outcome.failures.size() == 1);
  CHECK(std::string(outcome.failures[0].text.data()) != "");
  return outcome.failures[0];
}

bool io_uring_forbidden() {
  Load load = small_load(IoEngine::io_uring, Rw::randread);
  load.task = Task::trial;
  const TemporaryFile file(1 << 20);
  const Outcome outcome = run_engine(load, file.path());
  if (outcome.failures.empty()) return false;
  MESSAGE("skipped, no io_uring here: ", outcome.failures[0].text.data());
  return true;
}

}  // namespace engine_test
