// What fio says of one job, or of one group of jobs, whatever format it says it in: the middle of
// the way from a file to runs. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "daemon/model/error.h"
#include "daemon/model/run.h"

namespace iobenchd::api {

// Everything that is wrong with a file, each by place, field and reason: the first fifty.
class FioProblems {
 public:
  // `place`: "document 2, jobs[3] (randread)" or "line 7".
  void add(const std::string& place, const std::string& field, const std::string& reason) {
    if (wrong_.size() < wrong_most) wrong_.push_back({place + ", " + field, reason});
  }
  [[nodiscard]] std::size_t count() const noexcept { return wrong_.size(); }
  [[nodiscard]] std::vector<FieldError> take() noexcept { return std::exchange(wrong_, {}); }

 private:
  static constexpr std::size_t wrong_most = 50;
  std::vector<FieldError> wrong_;
};

enum class LatencyKind : std::uint8_t { none, clat, lat };

// One direction of an entry, or its fsyncs. Everything 0: it had no I/O.
struct FioDirection {
  Traffic traffic;           // its histogram is empty where no buckets were printed
  DirectionFigures figures;  // as printed
  std::uint64_t runtime_ns = 0;
  std::uint64_t latencies = 0;                     // how many the mean is of
  LatencyKind mean_of = LatencyKind::none;         // fio's lat begins before the submission, as
  LatencyKind percentiles_of = LatencyKind::none;  // ours does; its clat behind it
};

// How a job was asked for.
struct FioJob {
  Setting setting;  // numjobs 0: not told
  IoEngine ioengine = IoEngine::psync;
  bool direct = false;
  Workload workload;
  std::string target;  // filename or directory; empty: not told
  // Options that make jobs comparable or not ("filename", "/dev/sda"), in a fixed order. Those that
  // differ among jobs of one rw belong to different sweeps.
  std::vector<std::pair<std::string, std::string>> conditions;
};

struct FioEntry {
  std::string place;    // for errors
  std::string key;      // entries with the same one are the clones of one job
  std::string name;     // the jobname
  std::string process;  // the fio that ran it: its document, or what stands for it
  std::uint32_t groupid = 0;
  FioJob job;
  std::uint32_t error = 0;  // an errno; 0: it went well
  FioDirection read, write, fsync;
  std::uint64_t cpu_user_ns = 0, cpu_system_ns = 0;
  double jobs = 0;  // by the time they took together; 0: not told
  std::int64_t started_at_ns = 0, finished_at_ns = 0;  // 0: not told
  std::string host, program_version;
};

}  // namespace iobenchd::api
