// What tables, reports and exports say of a point, so that it reads the same in all of them. Pure;
// safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/curve.h"
#include "daemon/model/verdict.h"

namespace iobenchd::api {

inline constexpr double bytes_per_mib = 1024.0 * 1024.0;
inline constexpr double ns_per_us = 1000.0;

[[nodiscard]] std::string note_text(const Point& point);  // "strong scaling", "failed"
// In µs; "-" where there is none, or none that the source of an import printed.
[[nodiscard]] std::string percentile_text(const Point& point, std::uint64_t latency_ns);
[[nodiscard]] std::string half_width_text(const Point& point);  // "± 1 234" IOPS, or "-"
[[nodiscard]] std::string axis_value(const std::string& axis, const Setting& setting);
// "randread, bs 4k, iodepth 32": everything but the axis.
[[nodiscard]] std::string curve_heading(const Curve& curve);
// All sentences of one severity, a blank before each.
[[nodiscard]] std::string sentences(const std::vector<Verdict>& warnings, Severity severity);
// Indices of the points that lie on no curve, ascending.
[[nodiscard]] std::vector<std::size_t> lone_points(const SweepResult& result);

}  // namespace iobenchd::api
