// Little's law, L = X R: what was really in flight, and whether IOPS, latency and bandwidth can
// describe the same thing. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/model/run.h"

namespace iobenchd::analysis {

inline constexpr double least_depth_share = 0.7;
inline constexpr double sync_tolerance = 1.05;
inline constexpr double unit_tolerance = 0.005;

[[nodiscard]] double concurrency(double iops, double latency_ns) noexcept;
// numjobs x iodepth: what was asked for.
[[nodiscard]] double asked_in_flight(const Setting& setting) noexcept;
[[nodiscard]] double depth_attained(double in_flight, const Setting& setting) noexcept;

// The most that can be in flight where every job waits for its I/O: numjobs, or numjobs x iodepth
// for `threads`. None where the engine is asynchronous, null, or unknown on an OS that may have
// asynchronous I/O. An imported run says `automatic` for "unknown".
[[nodiscard]] std::optional<double> most_in_flight(IoEngine engine, const Setting& setting,
                                                   std::string_view os) noexcept;

// Relative gap between bandwidth and IOPS x block size. None where one of them is missing.
[[nodiscard]] std::optional<double> unit_gap(double bandwidth_bytes_per_s, double iops,
                                             std::uint32_t block_bytes) noexcept;

}  // namespace iobenchd::analysis
