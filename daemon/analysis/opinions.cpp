#include "daemon/analysis/opinions.h"

#include <algorithm>

#include "daemon/analysis/kneedle.h"
#include "daemon/analysis/sweet_spot.h"

namespace iobenchd::analysis {

std::optional<Opinion> latency_first_opinion(std::span<const Figure> figures, double noise) {
  double most_power = 0;
  for (const Figure& figure : figures) {
    if (figure.r <= 0) return std::nullopt;
    most_power = std::max(most_power, figure.x / figure.r);
  }
  for (const Figure& figure : figures) {
    if (figure.x / figure.r >= (1 - noise) * most_power) return Opinion{figure.n, "latency_first"};
  }
  return std::nullopt;
}

std::optional<Opinion> throughput_first_opinion(std::span<const Figure> figures, double noise) {
  if (figures.empty()) return std::nullopt;
  return Opinion{throughput_first(figures, noise), "throughput_first"};
}

std::optional<Opinion> kneedle_opinion(std::span<const Figure> figures) {
  std::vector<double> x;
  std::vector<double> y;
  x.reserve(figures.size());
  y.reserve(figures.size());
  for (const Figure& figure : figures) {
    x.push_back(figure.n);
    y.push_back(figure.x);
  }
  const std::optional<std::size_t> knee = kneedle(x, y);
  if (!knee) return std::nullopt;
  return Opinion{figures[*knee].n, "kneedle"};
}

std::optional<Opinion> under_limit_opinion(std::span<const Figure> figures,
                                           std::span<const double> limited_ns,
                                           std::uint64_t limit_ns, double noise) {
  std::size_t leading = 0;
  const auto limit = static_cast<double>(limit_ns);
  while (leading < figures.size() && leading < limited_ns.size() && limited_ns[leading] > 0 &&
         limited_ns[leading] <= limit) {
    ++leading;
  }
  if (leading == 0) return std::nullopt;
  return Opinion{throughput_first(figures.first(leading), noise), "under_limit"};
}

}  // namespace iobenchd::analysis
