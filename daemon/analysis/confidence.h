// How sure a sweet spot is: resampled curves, seeded with a constant, so that the same runs always
// give the same figure. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daemon/analysis/figures.h"
#include "daemon/analysis/sweet_spot.h"

namespace iobenchd::analysis {

// xorshift64*: own and tiny, because std:: distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed != 0 ? seed : 1) {}
  [[nodiscard]] std::uint64_t next() noexcept;
  [[nodiscard]] double uniform() noexcept;  // [0, 1)
  // Sum of twelve uniforms minus six (Irwin-Hall): mean 0, deviation 1, tails cut at 6. It needs
  // no logarithm or cosine, so every platform draws the same numbers.
  [[nodiscard]] double normal() noexcept;
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept;

 private:
  std::uint64_t state_;
};

struct Confidence {
  double share = 0;   // 0..1
  std::string basis;  // what was resampled
};

// Share of 1000 resamples whose answer lies in the band; a band that holds a single measured n is
// widened to the measured neighbours. `repeats[i]` are the runs of `figures[i]`: two or more are
// drawn from with replacement, else 2 % noise is laid over x. Beyond 4096 points fewer resamples
// are drawn.
[[nodiscard]] Confidence confidence(std::span<const Figure> figures,
                                    std::span<const std::vector<double>> repeats,
                                    const Band& around, double noise);

// Below this share in the band, the band is better than the runs bear.
inline constexpr double sure_share = 0.8;

struct LikelyAnswers {
  Band range;          // from the 5th to the 95th percentile; holds `around` whole
  double in_band = 1;  // share inside `around` itself
};

// 1000 answers, each decided from an x that is off by a normal deviate of `run_noise`
// (auto_repeats.h) over the root of the point's number of runs: two repeats that happen to agree
// don't make it narrower than a disk that noisy allows, which the resamples of confidence() do. A
// draw that ends without an answer counts as the largest n.
[[nodiscard]] LikelyAnswers likely_answers(std::span<const Figure> figures,
                                           std::span<const std::vector<double>> repeats,
                                           const Band& around, double noise, double run_noise);

}  // namespace iobenchd::analysis
