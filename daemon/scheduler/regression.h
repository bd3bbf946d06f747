// Has a schedule's newest sweep become worse than those before it? Reads the store; pure besides.
// Safe from any thread. Throws Error.
#pragma once

#include <cstdint>
#include <string>

#include "storage/store.h"

namespace iobenchd::scheduler {

inline constexpr std::uint32_t regression_sweeps = 5;  // before the one judged, never part of them

struct RegressionFinding {
  bool comparable = false;  // an earlier sweep measured one of its points in the same way
  std::string sentence;     // what is worse, the worst first; empty: nothing
};

// IOPS, setting by setting, of the runs of `sweep` against those of the sweeps that the same
// schedule made before it, behind the one named `after_id`. A setting that was repeated is worse
// for sure where Welch's p, times the number of settings, is 0.05 at most; beyond that only
// together with more than half of the others.
[[nodiscard]] RegressionFinding find_regression(storage::Store& store, const Sweep& sweep,
                                                std::int64_t after_id);

}  // namespace iobenchd::scheduler
