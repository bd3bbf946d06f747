#include "daemon/analysis/sweet_spot.h"

#include <algorithm>
#include <cmath>

namespace iobenchd::analysis {
namespace {

// x enters relative to the greatest, so that no cube overflows.
double balance(double relative_x, double n) noexcept {
  return relative_x * relative_x * relative_x / n;
}

double balance(const Figure& figure, double most_x) noexcept {
  return balance(figure.x / most_x, figure.n);
}

std::size_t argmax_balance(std::span<const Figure> figures, double most_x) noexcept {
  std::size_t best = 0;
  double greatest = balance(figures[0], most_x);
  for (std::size_t i = 1; i < figures.size(); ++i) {
    const double here = balance(figures[i], most_x);
    if (here <= greatest) continue;
    greatest = here;
    best = i;
  }
  return best;
}

// The stretch between two measured neighbours. With x linear in log n, d(log B)/d(log n) is
// 3 slope / x - 1: the balance rises until x = 3 slope, then falls. One peak, so that both ends of
// what lies above a threshold can be found by halving.
class Stretch {
 public:
  Stretch(const Figure& left, const Figure& right, double most_x) noexcept
      : left_n_(left.n), right_n_(right.n), left_x_(left.x / most_x) {
    slope_ = (right.x / most_x - left_x_) / std::log(static_cast<double>(right.n) / left.n);
  }

  [[nodiscard]] double at(std::uint32_t n) const noexcept {
    return balance(left_x_ + slope_ * std::log(static_cast<double>(n) / left_n_), n);
  }

  [[nodiscard]] std::uint32_t peak() const noexcept {
    if (slope_ <= 0) return left_n_;
    const double exact = left_n_ * std::exp(3 - left_x_ / slope_);
    if (!(exact > left_n_)) return left_n_;
    if (exact >= right_n_) return right_n_;
    const auto below = static_cast<std::uint32_t>(exact);
    const std::uint32_t above = std::min(below + 1, right_n_);
    return at(above) > at(below) ? above : below;
  }

  // The first and the last integer at or above the threshold; 0 where none is.
  [[nodiscard]] std::uint32_t first_above(double threshold) const noexcept {
    std::uint32_t high = peak();
    if (at(high) < threshold) return 0;
    std::uint32_t low = left_n_;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (at(middle) >= threshold) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  [[nodiscard]] std::uint32_t last_above(double threshold) const noexcept {
    std::uint32_t low = peak();
    if (at(low) < threshold) return 0;
    std::uint32_t high = right_n_;
    while (low < high) {
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (at(middle) >= threshold) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

 private:
  std::uint32_t left_n_, right_n_;
  double left_x_, slope_ = 0;
};

}  // namespace

std::uint32_t throughput_first(std::span<const Figure> figures, double noise) noexcept {
  if (figures.empty()) return 0;
  const double enough = (1 - noise) * figures[argmax_x(figures)].x;
  for (const Figure& figure : figures) {
    if (figure.x >= enough) return figure.n;
  }
  return figures.back().n;
}

Decision decide(std::span<const Figure> figures, double noise) noexcept {
  if (figures.size() < least_points) return {Outcome::too_few_points, 0};
  const double most_x = figures[argmax_x(figures)].x;
  if (figures.front().x >= first_share * most_x) return {Outcome::first, figures.front().n};
  const std::size_t best = argmax_balance(figures, most_x);
  if (best == figures.size() - 1) return {Outcome::not_saturated, 0};
  return {Outcome::balance, std::min(figures[best].n, throughput_first(figures, noise))};
}

Band band(std::span<const Figure> figures, std::uint32_t at, Between between) noexcept {
  Band result{at, at};
  if (figures.empty()) return result;
  const double most_x = figures[argmax_x(figures)].x;
  const double threshold = band_share * balance(figures[argmax_balance(figures, most_x)], most_x);
  for (const Figure& figure : figures) {
    if (balance(figure, most_x) < threshold) continue;
    result.low = std::min(result.low, figure.n);
    result.high = std::max(result.high, figure.n);
  }
  if (between == Between::measured_only) return result;
  for (std::size_t i = 0; i + 1 < figures.size(); ++i) {
    const Stretch stretch(figures[i], figures[i + 1], most_x);
    const std::uint32_t first = stretch.first_above(threshold);
    const std::uint32_t last = stretch.last_above(threshold);
    if (first != 0) result.low = std::min(result.low, first);
    result.high = std::max(result.high, last);
  }
  return result;
}

}  // namespace iobenchd::analysis
