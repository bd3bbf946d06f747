// Kneedle (Satopaa, Albrecht, Irwin, Raghavan 2011) for rising curves, sensitivity 1, without the
// smoothing: few points, each a median already. A second opinion only: its answer moves when the
// sweep goes further to the right. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace iobenchd::analysis {

// Index of the first knee of y over x, x ascending. None for fewer than three points, for a curve
// without extent, and where no local maximum of the difference curve is left far enough behind.
[[nodiscard]] std::optional<std::size_t> kneedle(std::span<const double> x,
                                                 std::span<const double> y);

}  // namespace iobenchd::analysis
