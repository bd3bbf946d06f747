#include "daemon/analysis/figures.h"

#include <algorithm>
#include <cmath>

#include "daemon/analysis/noise.h"

namespace iobenchd::analysis {
namespace {

bool is_latency(double r) noexcept {
  return std::isfinite(r) && r > 0;
}

// One figure of several with the same n.
Figure merged(std::span<const Figure> same) {
  std::vector<double> x;
  std::vector<double> r;
  for (const Figure& figure : same) {
    x.push_back(figure.x);
    if (is_latency(figure.r)) r.push_back(figure.r);
  }
  return Figure{same.front().n, median(x), r.empty() ? 0 : median(r)};
}

}  // namespace

bool usable(const Figure& figure) noexcept {
  return figure.n > 0 && std::isfinite(figure.x) && figure.x > 0;
}

std::vector<Figure> clean(std::span<const Figure> figures) {
  std::vector<Figure> sorted;
  sorted.reserve(figures.size());
  for (const Figure& figure : figures) {
    if (!usable(figure)) continue;
    sorted.push_back({figure.n, figure.x, is_latency(figure.r) ? figure.r : 0});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Figure& a, const Figure& b) { return a.n < b.n; });

  std::vector<Figure> result;
  result.reserve(sorted.size());
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first + 1;
    while (last < sorted.size() && sorted[last].n == sorted[first].n) ++last;
    const std::span<const Figure> same(sorted.data() + first, last - first);
    result.push_back(same.size() == 1 ? same.front() : merged(same));
    first = last;
  }
  return result;
}

std::size_t argmax_x(std::span<const Figure> figures) noexcept {
  std::size_t best = 0;
  for (std::size_t i = 1; i < figures.size(); ++i) {
    if (figures[i].x > figures[best].x) best = i;
  }
  return best;
}

}  // namespace iobenchd::analysis
