// What the arithmetic of curves works on: n (jobs, depth or block size), x (IOPS, or bytes per
// second along block sizes) and r (mean latency in seconds, 0 where unknown). Pure functions; safe
// from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iobenchd::analysis {

struct Figure {
  std::uint32_t n = 0;
  double x = 0;
  double r = 0;
};

// Fit to be reasoned about: n > 0, x finite and positive.
[[nodiscard]] bool usable(const Figure& figure) noexcept;

// The usable figures, ascending and distinct in n; equal n are merged by their medians. A latency
// that is no positive number becomes 0, "unknown". Every other function of the room that takes
// figures expects them like this.
[[nodiscard]] std::vector<Figure> clean(std::span<const Figure> figures);

// The largest x and the index of its first occurrence. Expects at least one figure.
[[nodiscard]] std::size_t argmax_x(std::span<const Figure> figures) noexcept;

}  // namespace iobenchd::analysis
