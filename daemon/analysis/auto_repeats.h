// repeats "auto": which n of a curve to measure once more, so that a fixed number of runs says the
// most about the band. Runs go where they matter: to the n whose place inside or outside the band
// is least certain, and to the best one, against which all are held. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iobenchd::analysis {

struct RepeatedPoint {
  std::uint32_t n = 0;
  std::vector<double> runs;  // x of each
};

// Relative deviation of a single run: pooled over the points, with 2 % as if four runs had said so,
// because the first few repeats know little.
[[nodiscard]] double run_noise(std::span<const RepeatedPoint> points);
[[nodiscard]] double run_noise(std::span<const std::vector<double>> repeats);

// 0 where every point's place is certain, by three standard errors of its balance, and the best one
// has three runs. Points without a usable run are passed over.
[[nodiscard]] std::uint32_t most_doubtful(std::span<const RepeatedPoint> points);

}  // namespace iobenchd::analysis
