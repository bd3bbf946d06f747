// The published column: what each step along numjobs was worth, in a word. Pure; safe from any
// thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/analysis/figures.h"
#include "daemon/analysis/sweet_spot.h"

namespace iobenchd::analysis {

struct Spot {
  std::uint32_t at = 0;
  Band band;
};

// One word for each figure: baseline, strong_scaling, scaling, near_peak, saturated, regression.
// `half_widths[i]` is half the 95 % interval of `figures[i].x`; 0, or a span that ends before i,
// where there are no repeats.
[[nodiscard]] std::vector<std::string> notes(std::span<const Figure> figures,
                                             std::span<const double> half_widths,
                                             const std::optional<Spot>& spot);

}  // namespace iobenchd::analysis
