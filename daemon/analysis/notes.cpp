#include "daemon/analysis/notes.h"

#include <algorithm>

namespace iobenchd::analysis {
namespace {

constexpr double regression_share = 0.99;  // at least 1 % lost
constexpr double near_peak_share = 0.85;
constexpr double strong_gain = 0.5;
constexpr double some_gain = 0.1;

}  // namespace

std::vector<std::string> notes(std::span<const Figure> figures, std::span<const double> half_widths,
                               const std::optional<Spot>& spot) {
  std::vector<std::string> result;
  if (figures.empty()) return result;
  result.reserve(figures.size());
  result.emplace_back("baseline");
  const std::size_t top = argmax_x(figures);
  const double most = figures[top].x;
  const double first_worth = figures[0].x / figures[0].n;  // IOPS that one job brings alone
  const std::uint32_t good_until = spot ? std::max(spot->at, spot->band.high) : 0;
  for (std::size_t i = 1; i < figures.size(); ++i) {
    const Figure& here = figures[i];
    const Figure& before = figures[i - 1];
    const double gain = (here.x - before.x) / static_cast<double>(here.n - before.n) / first_worth;
    const double interval = i < half_widths.size() ? half_widths[i] : 0;
    if (i > top && here.x + interval < most && here.x <= regression_share * most) {
      result.emplace_back("regression");
    } else if (here.n <= good_until && here.x >= near_peak_share * most) {
      result.emplace_back("near_peak");
    } else if (gain >= strong_gain) {
      result.emplace_back("strong_scaling");
    } else if (gain >= some_gain) {
      result.emplace_back("scaling");
    } else {
      result.emplace_back("saturated");
    }
  }
  return result;
}

}  // namespace iobenchd::analysis
