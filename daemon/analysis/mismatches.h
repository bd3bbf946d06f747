// What doesn't match between two sweeps, so that a difference may not be the disk's. Pure; safe
// from any thread.
#pragma once

#include <vector>

#include "daemon/analysis/compare_sweeps.h"

namespace iobenchd::analysis {

// `found` has its pairs already. What a side doesn't know is named where the other does.
[[nodiscard]] std::vector<Mismatch> mismatches(const ComparedSweep& base, const ComparedSweep& with,
                                               const SweepComparison& found);

}  // namespace iobenchd::analysis
