// Random offsets of which some are hotter than others, as fio's random_distribution means them. The
// ranks are shuffled over the region, one block a rank, so that hot blocks don't lie side by side;
// all workers of a run find the same blocks hot. One owner each.
#pragma once

#include <cmath>
#include <cstdint>

#include "daemon/engine/permutation.h"

namespace iobenchd::engine {

// Rank 0 is the hottest. J. Gray et al., "Quickly Generating Billion-Record Synthetic Databases",
// SIGMOD 1994, section 3.2: the two hottest ranks are exact, the others follow a power law. Unlike
// fio, whose sum of the powers ends at ten million, this one knows a region of any size.
class Zipf {
 public:
  Zipf(std::uint64_t count, double theta) noexcept;

  // `uniform` is in [0, 1).
  [[nodiscard]] std::uint64_t rank(double uniform) const noexcept {
    const double share = uniform * zeta_;
    if (share < 1) return 0;
    if (share < zeta_of_two_) return 1;
    const double rank = count_ * std::pow(eta_ * uniform - eta_ + 1, alpha_);
    return rank < last_ ? static_cast<std::uint64_t>(rank) : static_cast<std::uint64_t>(last_);
  }

 private:
  double count_;
  double last_;         // the coldest rank
  double zeta_;         // sum of i^-theta for i = 1 .. count
  double zeta_of_two_;  // of the first two
  double alpha_;
  double eta_;
};

// Self-similar: h = 0.2 sends 80 % of the I/Os to 20 % of the blocks, and so on within those.
// (count - 1) * uniform ^ (log h / log(1 - h)), as fio has it.
class Pareto {
 public:
  Pareto(std::uint64_t count, double h) noexcept
      : last_(static_cast<double>(count - 1)), power_(std::log(h) / std::log(1 - h)) {}

  [[nodiscard]] std::uint64_t rank(double uniform) const noexcept {
    return static_cast<std::uint64_t>(last_ * std::pow(uniform, power_));
  }

 private:
  double last_;
  double power_;
};

// The sum of i^-theta for i = 1 .. count, for theta other than 1.
[[nodiscard]] double zeta(std::uint64_t count, double theta) noexcept;

class SkewedOffsets {
 public:
  explicit SkewedOffsets(const Region& region) noexcept
      : random_(region.seed),
        is_zipf_(region.distribution.kind == Distribution::zipf),
        zipf_(region.blocks, is_zipf_ ? region.distribution.parameter : 0.5),
        pareto_(region.blocks, is_zipf_ ? 0.5 : region.distribution.parameter),
        order_(region.blocks, region.common_seed),
        begin_(region.begin_bytes),
        block_bytes_(region.block_bytes) {}

  std::uint64_t next() noexcept {
    const double uniform = random_.uniform();
    const std::uint64_t rank = is_zipf_ ? zipf_.rank(uniform) : pareto_.rank(uniform);
    return begin_ + order_.at(rank) * block_bytes_;
  }

 private:
  Random random_;
  bool is_zipf_;
  Zipf zipf_;
  Pareto pareto_;
  Permutation order_;
  std::uint64_t begin_;
  std::uint64_t block_bytes_;
};

}  // namespace iobenchd::engine
