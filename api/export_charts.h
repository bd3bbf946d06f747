// The charts of a report: IOPS, and mean and p99 latency, over what varies. Pure; safe from any
// thread.
#pragma once

#include <string>

#include "daemon/model/curve.h"

namespace iobenchd::api {

// Both charts of all curves, six curves a chart at most, as <svg> after <svg>. Empty without a
// curve of two points.
[[nodiscard]] std::string report_charts(const SweepResult& result);

}  // namespace iobenchd::api
