#include "daemon/analysis/little.h"

#include <cmath>

namespace iobenchd::analysis {

double concurrency(double iops, double latency_ns) noexcept {
  return iops * latency_ns / 1e9;
}

double asked_in_flight(const Setting& setting) noexcept {
  return static_cast<double>(setting.numjobs) * static_cast<double>(setting.iodepth);
}

double depth_attained(double in_flight, const Setting& setting) noexcept {
  const double asked = asked_in_flight(setting);
  return asked > 0 ? in_flight / asked : 0;
}

std::optional<double> most_in_flight(IoEngine engine, const Setting& setting,
                                     std::string_view os) noexcept {
  switch (engine) {
    case IoEngine::psync:
    case IoEngine::mmap:
      return setting.numjobs;
    case IoEngine::threads:
      return asked_in_flight(setting);
    case IoEngine::automatic:
      if (os.find("OpenBSD") != std::string_view::npos) return setting.numjobs;
      return std::nullopt;
    case IoEngine::io_uring:
    case IoEngine::null:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> unit_gap(double bandwidth_bytes_per_s, double iops,
                               std::uint32_t block_bytes) noexcept {
  const double expected = iops * block_bytes;
  if (!(bandwidth_bytes_per_s > 0) || !(expected > 0)) return std::nullopt;
  return std::abs(bandwidth_bytes_per_s / expected - 1);
}

}  // namespace iobenchd::analysis
