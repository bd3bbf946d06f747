// What a comparison comes to, as a person would write it: "Sequential reads with 10 jobs: the raw
// device does 4.0 × the IOPS of the block device at 4 KiB, 1.8 × at 64 KiB." Pure; safe from any
// thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/analysis/compare_sweeps.h"

namespace iobenchd::analysis {

// `found` has its pairs already. One sentence at least.
[[nodiscard]] std::vector<std::string> comparison_summary(const ComparedSweep& base,
                                                          const ComparedSweep& with,
                                                          const SweepComparison& found);

// "Random reads": what people call an rw.
[[nodiscard]] std::string workload_words(Rw rw);

}  // namespace iobenchd::analysis
