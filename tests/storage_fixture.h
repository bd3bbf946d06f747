// What the storage tests share: a directory of their own, a clock that stands still, and runs with
// something in every field. One thread.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"
#include "storage/store.h"

namespace iobenchd::storage_test {

class TempDir {
 public:
  TempDir() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr ? base : "/tmp") + "/iobenchd-storage-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp " + path_);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What a call throws; none is a failed test.
inline ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  throw std::runtime_error("nothing was thrown");
}

// 2026-01-02 03:04:05 UTC; moves only when told to.
struct Clock {
  std::int64_t now_ns = 1'767'323'045'000'000'000;
  [[nodiscard]] WallClock function() {
    return [this] { return now_ns; };
  }
};

inline Sweep sweep_named(const std::string& label) {
  Sweep sweep;
  sweep.host = "alpha";
  sweep.spec.label = label;
  sweep.plan.target = "/var/scratch";
  return sweep;
}

inline Run run_of(std::int64_t sweep_id, std::uint32_t numjobs, std::int64_t started_at_ns) {
  Run run;
  run.sweep_id = sweep_id;
  run.setting.numjobs = numjobs;
  run.started_at_ns = started_at_ns;
  run.circumstances.host = "alpha";
  run.circumstances.target = "/dev/sd1c";
  run.circumstances.serial = "S1";
  return run;
}

inline RunSummary summary_of(const Run& run) {
  RunSummary summary;
  summary.run_id = run.id;
  summary.sweep_id = run.sweep_id;
  summary.setting = run.setting;
  summary.repeat = run.repeat;
  summary.is_drift_check = run.is_drift_check;
  summary.state = run.state;
  summary.started_at_ns = run.started_at_ns;
  summary.finished_at_ns = run.finished_at_ns;
  summary.error = run.error;
  summary.target = run.circumstances.target;
  summary.serial = run.circumstances.serial;
  summary.model = run.circumstances.model;
  summary.host = run.circumstances.host;
  summary.ioengine = run.measurement.ioengine;
  summary.direct = run.measurement.direct;
  summary.engine_flags = run.measurement.engine_flags;
  summary.iops = 1000.5;
  return summary;
}

// Begins and finishes; returns the run as it was stored.
inline Run stored_run(storage::Store& store, Run run, RunState state = RunState::done) {
  run.id = store.runs().begin(run);
  run.state = state;
  run.finished_at_ns = run.started_at_ns + 1;
  store.runs().finish(run, summary_of(run));
  return run;
}

}  // namespace iobenchd::storage_test
