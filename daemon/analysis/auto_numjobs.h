// numjobs "auto" and `refine`: which jobs to measure next, decided from what was measured. Pure;
// safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iobenchd::analysis {

struct MeasuredPoint {
  std::uint32_t numjobs = 0;
  double iops = 0;  // median over repeats
};

struct AutoLimits {
  std::uint32_t most_jobs = 128;       // or what the machine allows
  std::uint32_t most_refinements = 6;  // integers of the band that may be added
  std::uint32_t refinements_done = 0;
  bool doubling = true;  // false: the grid is given, only refine
};

// 1, 2, 4 ... below the limit, and the limit itself.
[[nodiscard]] std::vector<std::uint32_t> doublings(std::uint32_t most_jobs);

// The numjobs to measure next, in this order: doublings from 1 until two in a row gain less than 5
// %; then the missing integers of the band, nearest to the answer first; then nothing. Empty when
// done.
[[nodiscard]] std::vector<std::uint32_t> next_numjobs(std::span<const MeasuredPoint> measured,
                                                      const AutoLimits& limits);

}  // namespace iobenchd::analysis
