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
  bool middles = false;  // the middles beside the answer come before the band's integers
};

// 1, 2, 4 ... below the limit, and the limit itself.
[[nodiscard]] std::vector<std::uint32_t> doublings(std::uint32_t most_jobs);

// The numjobs to measure next, in this order: doublings from 1 until two in a row gain less than 5
// %; then the missing integers of the band, nearest to the answer first; then nothing. Empty when
// done. With `middles` the stretches beside the answer are halved first, until they are no wider
// than a fifth: between doublings the straight line runs below the curve, so that the band misses a
// knee that lies there, and all its integers with it.
[[nodiscard]] std::vector<std::uint32_t> next_numjobs(std::span<const MeasuredPoint> measured,
                                                      const AutoLimits& limits);

}  // namespace iobenchd::analysis
