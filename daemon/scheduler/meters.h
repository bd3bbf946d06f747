// What was done since the daemon started, counted for /metrics: bytes written, runs and sweeps by
// their ends, and how long the I/Os of good runs took. Bounded: so many targets have figures of
// their own, all others share one place. Safe from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "daemon/model/histogram.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::scheduler {

inline constexpr std::size_t metered_targets_most = 32;
inline constexpr const char* other_targets = "other";

// Upper bounds of the buckets that I/Os are counted in: three a decade, from 1 us to 10 s.
inline constexpr std::array<std::uint64_t, 22> latency_bounds_ns{
    1'000,         2'000,         5'000,         10'000,        20'000,      50'000,
    100'000,       200'000,       500'000,       1'000'000,     2'000'000,   5'000'000,
    10'000'000,    20'000'000,    50'000'000,    100'000'000,   200'000'000, 500'000'000,
    1'000'000'000, 2'000'000'000, 5'000'000'000, 10'000'000'000};

struct LatencyCounts {
  std::array<std::uint64_t, latency_bounds_ns.size()> at_most{};  // each holds those before it
  std::uint64_t count = 0;
  double sum_s = 0;

  // A fine bucket counts where its midpoint is, which is at most 0.8 % off.
  void add(const Histogram& histogram) noexcept;
};

struct TargetCounts {
  std::uint64_t written_bytes = 0;
  LatencyCounts read, write;
};

struct Counts {
  std::array<std::uint64_t, 5> runs{};    // by RunState
  std::array<std::uint64_t, 5> sweeps{};  // by SweepState
  std::map<std::string, TargetCounts> targets;
};

class Meters {
 public:
  void count_written(const std::string& target, std::uint64_t bytes);
  void count_run(const std::string& target, const Run& run);  // that has ended
  void count_sweep(SweepState end);

  [[nodiscard]] Counts now() const;

 private:
  [[nodiscard]] TargetCounts& of(const std::string& target);  // with mutex_ held

  mutable std::mutex mutex_;
  Counts counts_;
};

}  // namespace iobenchd::scheduler
