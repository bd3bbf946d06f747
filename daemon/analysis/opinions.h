// Second opinions beside the sweet spot: what an impatient, a greedy or a bound person would
// choose. Pure functions of cleaned figures; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/analysis/figures.h"
#include "daemon/model/curve.h"
#include "daemon/model/sweep.h"

namespace iobenchd::analysis {

// Smallest n within the noise of the greatest x / r (Kleinrock's power). None where a latency is
// unknown.
[[nodiscard]] std::optional<Opinion> latency_first_opinion(std::span<const Figure> figures,
                                                           double noise);
[[nodiscard]] std::optional<Opinion> throughput_first_opinion(std::span<const Figure> figures,
                                                              double noise);
[[nodiscard]] std::optional<Opinion> kneedle_opinion(std::span<const Figure> figures);

// The throughput-first n among the leading figures that all meet the limit. `limited_ns[i]` is the
// statistic the limit speaks of at `figures[i]`; 0, unknown, does not meet it.
[[nodiscard]] std::optional<Opinion> under_limit_opinion(std::span<const Figure> figures,
                                                         std::span<const double> limited_ns,
                                                         std::uint64_t limit_ns, double noise);

}  // namespace iobenchd::analysis
