#include "daemon/analysis/kneedle.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace iobenchd::analysis {

std::optional<std::size_t> kneedle(std::span<const double> x, std::span<const double> y) {
  constexpr double sensitivity = 1;
  if (x.size() < 3 || x.size() != y.size()) return std::nullopt;
  const auto [least_y, most_y] = std::minmax_element(y.begin(), y.end());
  const double width = x.back() - x.front();
  const double height = *most_y - *least_y;
  if (!(width > 0) || !(height > 0) || !std::isfinite(width) || !std::isfinite(height)) {
    return std::nullopt;
  }
  std::vector<double> above;  // how far the curve, put into the unit square, is above its diagonal
  above.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    above.push_back((y[i] - *least_y) / height - (x[i] - x.front()) / width);
  }
  const double step = sensitivity / static_cast<double>(x.size() - 1);  // mean distance in x
  std::optional<std::size_t> candidate;
  for (std::size_t i = 1; i < above.size(); ++i) {
    if (candidate && above[i] < above[*candidate] - step) return candidate;
    if (i + 1 == above.size()) break;
    const bool top = above[i] >= above[i - 1] && above[i] > above[i + 1];
    const bool bottom = above[i] <= above[i - 1] && above[i] < above[i + 1];
    if (top) candidate = i;
    if (bottom) candidate.reset();
  }
  return std::nullopt;
}

}  // namespace iobenchd::analysis
