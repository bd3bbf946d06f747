// What the I/Os of a sweep are like beside the axes of its grid: the same at every point. A flat
// value, part of what a user asks for and of what an engine is told. Names and meanings are fio's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/error.h"

namespace iobenchd {

// When the I/Os of an open loop are due: evenly, or as independent users would ask for them.
enum class RateProcess : std::uint8_t { linear, poisson };
// O_SYNC and O_DSYNC: a write has ended when it is on the medium.
enum class Sync : std::uint8_t { none, sync, dsync };
enum class Distribution : std::uint8_t { random, zipf, pareto };

[[nodiscard]] std::string_view to_string(RateProcess value) noexcept;
[[nodiscard]] std::string_view to_string(Sync value) noexcept;
[[nodiscard]] std::optional<RateProcess> parse_rate_process(std::string_view text) noexcept;
[[nodiscard]] std::optional<Sync> parse_sync(std::string_view text) noexcept;

// fio's --random_distribution: "random", "zipf:1.2" (theta, 0 < theta <= 10, not 1), "pareto:0.3"
// (h, 0 < h < 1).
struct RandomDistribution {
  Distribution kind = Distribution::random;
  double parameter = 0;  // theta or h
  bool operator==(const RandomDistribution&) const = default;
};
[[nodiscard]] std::string to_string(const RandomDistribution& value);
[[nodiscard]] std::optional<RandomDistribution> parse_random_distribution(
    std::string_view text) noexcept;

struct Workload {
  std::uint64_t rate_iops = 0;      // of each job, due times of an open loop; 0: closed loop
  std::uint64_t io_size_bytes = 0;  // a run ends when a job has moved so much; 0: by time alone
  RandomDistribution random_distribution;
  std::uint32_t rwmixread = 50;                  // percent of reads in rw and randrw
  std::uint32_t fsync = 0;                       // after so many writes of a job; 0: never
  std::uint32_t buffer_compress_percentage = 0;  // of each block written; 0: incompressible
  RateProcess rate_process = RateProcess::linear;
  Sync sync = Sync::none;
  // 0 or 1: numbers, because a bool that crosses a socket could be anything.
  std::uint8_t norandommap = 1;  // 0: no block twice before all were once
  std::uint8_t verify = 0;  // what was written is looked at when it is read, and read back at last
  std::uint8_t hipri = 0;   // completions are polled for, not announced by interrupts (io_uring)
  bool operator==(const Workload&) const = default;
};

inline constexpr std::uint64_t rate_iops_most = 100'000'000;

// What is wrong with it whatever the grid and the target are.
[[nodiscard]] std::vector<FieldError> validate(const Workload& workload);

// The CPUs a run may use, bit i for CPU i. All zero: all of them.
inline constexpr std::uint32_t cpus_most = 1024;
using CpuSet = std::array<std::uint64_t, cpus_most / 64>;

// fio's --cpus_allowed: "0-3,6". None: not such a list, or a CPU beyond 1023.
[[nodiscard]] std::optional<CpuSet> parse_cpus(std::string_view text) noexcept;

}  // namespace iobenchd
