// One measurement over time: what makes it the same one, and what each run of it gave. Plain
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd {

// Runs that may be compared over the years.
struct Identity {
  std::string serial;        // of the disk; empty: it tells none
  std::string target, host;  // stand for the disk where it tells no serial number; empty else
  Setting setting;
  IoEngine ioengine = IoEngine::automatic;  // really used; automatic: unknown
  bool direct = false;
  std::uint32_t size_class = 0;  // floor(log2(working set in bytes)); 0: unknown
  std::string workload;          // what else was asked for, "rate_iops=450"; empty: nothing
};

// A finished run of a series, with what a history needs of it.
struct SeriesRun {
  std::int64_t run_id = 0, sweep_id = 0, started_at_ns = 0;
  double iops = 0, latency_mean_ns = 0;  // 0: not known
  std::uint64_t latency_p99_ns = 0;
  std::uint32_t engine_flags = 0;
  std::string governor;
  std::size_t circumstances = 0;  // index into Series::circumstances
};

// The newest run of a measurement, and where its disk was then.
struct LatestRun {
  Identity identity;
  std::string target;
  std::int64_t run_id = 0, finished_at_ns = 0;
  double iops = 0, bandwidth_bytes_per_s = 0, latency_mean_ns = 0;  // 0: not known
  std::uint64_t latency_p99_ns = 0;
};

struct Series {
  Identity identity;
  std::vector<SeriesRun> runs;         // oldest first
  std::vector<SeriesRun> pinned_runs;  // those of pinned sweeps, however old
  std::vector<Circumstances> circumstances;
  bool older_left_off = false;  // there are runs before the first of `runs`
};

}  // namespace iobenchd
