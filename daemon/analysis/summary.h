// From histograms to lines of numbers: one run, and the runs of one setting as a point. Pure; safe
// from any thread.
#pragma once

#include <span>

#include "daemon/model/curve.h"
#include "daemon/model/run.h"

namespace iobenchd::analysis {

// Both directions of a run in one histogram.
[[nodiscard]] Histogram merged_latency(const Measurement& measurement) noexcept;

// Medians of the runs' figures, percentiles from their merged buckets. Expects good runs of one
// setting, at least one. Note, verdicts and `failed` are left to the caller.
[[nodiscard]] Point merge_point(std::span<const Run* const> runs);

}  // namespace iobenchd::analysis
