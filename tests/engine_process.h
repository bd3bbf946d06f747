// One engine of the build under test, on a file of its own, as the service would see it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/frame.h"
#include "daemon/model/load.h"

namespace engine_test {

// A file in $TMPDIR, gone afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::uint64_t bytes);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string contents() const;

 private:
  std::string path_;
};

class EngineProcess {
 public:
  // Opens each path, in this order, and starts the engine; sends nothing yet.
  EngineProcess(const std::vector<std::string>& paths, int open_flags);
  // `path` once per descriptor.
  EngineProcess(const std::string& path, std::uint32_t descriptors, int open_flags)
      : EngineProcess(std::vector<std::string>(descriptors, path), open_flags) {}
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;
  ~EngineProcess();

  void send(const iobenchd::Load& load) const;
  void send_stop() const;
  void hang_up();
  // Null at the end of the stream. Every frame passes check_frame or the test fails.
  [[nodiscard]] std::unique_ptr<iobenchd::Frame> next_frame();
  [[nodiscard]] int exit_status();  // waits; 1000 + signal when it was killed
  [[nodiscard]] int pid() const { return pid_; }

 private:
  int pid_ = -1;
  int socket_ = -1;
  std::uint32_t expected_sequence_ = 0;
};

// A whole run, frame by frame.
struct Outcome {
  std::vector<iobenchd::Frame> ticks;
  std::vector<iobenchd::JobFigures> jobs;
  std::vector<iobenchd::FinalBody> finals;
  std::vector<iobenchd::FailureBody> failures;
  iobenchd::Phase failed_in = iobenchd::Phase::drain;
  int exit_status = -1;

  [[nodiscard]] std::uint64_t ios(iobenchd::Phase phase) const;
  [[nodiscard]] std::uint64_t span_ns(iobenchd::Phase phase) const;
};

using OnTick = std::function<void(EngineProcess&, const iobenchd::Frame&)>;
[[nodiscard]] Outcome run_engine(const iobenchd::Load& load, const std::string& path,
                                 const OnTick& on_tick = {});
[[nodiscard]] Outcome run_engine(const iobenchd::Load& load, const std::vector<std::string>& paths,
                                 const OnTick& on_tick = {});
// The same, longer and longer until anything has been measured at all: a busy machine may not let
// us run for a whole run. `load` is then what was run.
[[nodiscard]] Outcome run_until_moved(iobenchd::Load& load, const std::string& path);
[[nodiscard]] iobenchd::Load small_load(iobenchd::IoEngine ioengine, iobenchd::Rw rw);
// Of a run that failed; checks that nothing else came of it.
[[nodiscard]] iobenchd::FailureBody only_failure(const Outcome& outcome);
[[nodiscard]] bool io_uring_forbidden();  // says why

}  // namespace engine_test
