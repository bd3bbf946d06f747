#include "daemon/analysis/usl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "daemon/analysis/sweet_spot.h"
#include "daemon/analysis/wording.h"

namespace iobenchd::analysis {
namespace {

using Parameters = std::array<double, 3>;  // lambda (relative to the greatest x), sigma, kappa
enum : std::size_t { lambda, sigma, kappa };

constexpr double least_r2 = 0.9;
constexpr double no_kappa = 1e-9;
constexpr double tolerance = 1e-9;

double divisor(const Parameters& p, double n) noexcept {
  return 1 + p[sigma] * (n - 1) + p[kappa] * n * (n - 1);
}

// Levenberg-Marquardt on the parameters marked free, from a start to the nearest minimum.
class Fit {
 public:
  Fit(std::span<const Figure> figures, double most_x) noexcept
      : figures_(figures), most_x_(most_x) {}

  [[nodiscard]] double squares(const Parameters& p) const noexcept {
    double sum = 0;
    for (const Figure& figure : figures_) {
      const double below = divisor(p, figure.n);
      if (!(below > 0)) return std::numeric_limits<double>::infinity();
      const double residual = p[lambda] * figure.n / below - figure.x / most_x_;
      sum += residual * residual;
    }
    return sum;
  }

  [[nodiscard]] Parameters descend(Parameters p, const std::array<bool, 3>& free) const noexcept {
    double damping = 1e-3;
    double best = squares(p);
    for (int round = 0; round < 200 && damping < 1e12; ++round) {
      const Parameters step = step_from(p, free, damping);
      Parameters next = p;
      for (std::size_t i = 0; i < 3; ++i) next[i] += step[i];
      const double reached = squares(next);
      if (!(reached <= best)) {
        damping *= 8;
        continue;
      }
      const bool settled = best - reached <= 1e-15 * best && small(step, next);
      p = next;
      best = reached;
      damping = std::max(damping / 8, 1e-12);
      if (settled) break;
    }
    return p;
  }

 private:
  static bool small(const Parameters& step, const Parameters& p) noexcept {
    for (std::size_t i = 0; i < 3; ++i) {
      if (std::abs(step[i]) > 1e-12 + 1e-10 * std::abs(p[i])) return false;
    }
    return true;
  }

  // Solves (J'J + damping diag J'J) step = -J'residual for the free parameters; 0 for the rest.
  [[nodiscard]] Parameters step_from(const Parameters& p, const std::array<bool, 3>& free,
                                     double damping) const noexcept {
    std::array<std::array<double, 4>, 3> m{};
    for (const Figure& figure : figures_) {
      const double n = figure.n;
      const double below = divisor(p, n);
      const double predicted = p[lambda] * n / below;
      const Parameters slope{n / below, -predicted * (n - 1) / below,
                             -predicted * n * (n - 1) / below};
      const double residual = predicted - figure.x / most_x_;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) m[i][j] += slope[i] * slope[j];
        m[i][3] -= slope[i] * residual;
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (!free[i]) {
        for (std::size_t j = 0; j < 3; ++j) m[i][j] = m[j][i] = 0;
        m[i][i] = 1;
        m[i][3] = 0;
      }
      m[i][i] *= 1 + damping;
    }
    return solved(m);
  }

  // Gauss with pivots. A singular column moves nothing.
  static Parameters solved(std::array<std::array<double, 4>, 3>& m) noexcept {
    for (std::size_t column = 0; column < 3; ++column) {
      std::size_t pivot = column;
      for (std::size_t row = column + 1; row < 3; ++row) {
        if (std::abs(m[row][column]) > std::abs(m[pivot][column])) pivot = row;
      }
      std::swap(m[column], m[pivot]);
      if (m[column][column] == 0) continue;
      for (std::size_t row = 0; row < 3; ++row) {
        if (row == column) continue;
        const double factor = m[row][column] / m[column][column];
        for (std::size_t j = column; j < 4; ++j) m[row][j] -= factor * m[column][j];
      }
    }
    Parameters step{};
    for (std::size_t i = 0; i < 3; ++i) step[i] = m[i][i] == 0 ? 0 : m[i][3] / m[i][i];
    return step;
  }

  std::span<const Figure> figures_;
  double most_x_;
};

// sigma and kappa by the linear form, n lambda / x - 1 = sigma (n - 1) + kappa n (n - 1), clipped:
// a start near enough, not an answer (it weighs the slow points too much).
Parameters start(std::span<const Figure> figures, double most_x) noexcept {
  const double first = figures.front().x / most_x / figures.front().n;
  double aa = 0;
  double ab = 0;
  double bb = 0;
  double ay = 0;
  double by = 0;
  for (const Figure& figure : figures) {
    const double n = figure.n;
    const double a = n - 1;
    const double b = n * (n - 1);
    const double y = n * first * most_x / figure.x - 1;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    ay += a * y;
    by += b * y;
  }
  const double determinant = aa * bb - ab * ab;
  if (determinant == 0) return {first, 0.1, 0.001};
  return {first, std::clamp((ay * bb - by * ab) / determinant, 0.0, 1.0),
          std::max((by * aa - ay * ab) / determinant, 0.0)};
}

// The bounded minimum: the free one where it is within bounds, else the best of those on a bound.
Parameters bounded_fit(const Fit& fit, Parameters from, bool lambda_free) noexcept {
  const Parameters open = fit.descend(from, {lambda_free, true, true});
  const bool within = open[sigma] >= -tolerance && open[sigma] <= 1 + tolerance &&
                      open[kappa] >= -tolerance && open[lambda] > 0;
  if (within) {
    return {open[lambda], std::clamp(open[sigma], 0.0, 1.0), std::max(open[kappa], 0.0)};
  }
  struct Edge {
    std::optional<double> sigma, kappa;
  };
  const std::array<Edge, 5> edges{Edge{0.0, {}}, Edge{1.0, {}}, Edge{{}, 0.0}, Edge{0.0, 0.0},
                                  Edge{1.0, 0.0}};
  Parameters best{from[lambda], 0, 0};
  double least = std::numeric_limits<double>::infinity();
  for (const Edge& edge : edges) {
    Parameters p = from;
    if (edge.sigma) p[sigma] = *edge.sigma;
    if (edge.kappa) p[kappa] = *edge.kappa;
    p = fit.descend(p, {lambda_free, !edge.sigma, !edge.kappa});
    if (p[sigma] < 0 || p[sigma] > 1 || p[kappa] < 0 || p[lambda] <= 0) continue;
    if (fit.squares(p) >= least) continue;
    least = fit.squares(p);
    best = p;
  }
  return best;
}

// How well it fits, and where it peaks.
Usl described(std::span<const Figure> figures, const Parameters& p, double most_x) {
  Usl usl;
  usl.lambda = p[lambda] * most_x;
  usl.sigma = p[sigma];
  usl.kappa = p[kappa];
  double center = 0;
  for (const Figure& figure : figures) {
    center += figure.x / most_x / static_cast<double>(figures.size());
  }
  double squares = 0;
  double total = 0;
  for (const Figure& figure : figures) {
    const double x = figure.x / most_x;
    const double residual = usl_at(usl, figure.n) / most_x - x;
    squares += residual * residual;
    total += (x - center) * (x - center);
    const double error = std::abs(residual) / x;
    usl.mean_error += error / static_cast<double>(figures.size());
    usl.worst_error = std::max(usl.worst_error, error);
  }
  usl.r2 = 1 - squares / total;
  if (usl.kappa > no_kappa) {
    const double peak = std::sqrt((1 - usl.sigma) / usl.kappa);
    if (peak >= 1 && peak <= figures.back().n) usl.peak_numjobs = peak;
  }
  return usl;
}

}  // namespace

double usl_at(const Usl& usl, double n) noexcept {
  return usl.lambda * n / (1 + usl.sigma * (n - 1) + usl.kappa * n * (n - 1));
}

std::variant<Usl, Named> fit_usl(std::span<const Figure> figures) {
  if (figures.size() < least_points) {
    return Named{"too_few_points", "A fit needs 4 different numbers of jobs; there are " +
                                       std::to_string(figures.size()) + "."};
  }
  const double most_x = figures[argmax_x(figures)].x;
  if (figures.front().x >= first_share * most_x) {
    if (figures.back().x < first_share * figures.front().x) {
      return Named{"falling",
                   "IOPS fall from the first point on: there is no scaling to describe."};
    }
    return Named{"flat", "IOPS don't change with the jobs: there is no scaling to describe."};
  }
  const bool has_one = figures.front().n == 1;
  const Fit fit(figures, most_x);
  const Parameters p = bounded_fit(fit, start(figures, most_x), !has_one);
  const Usl usl = described(figures, p, most_x);
  if (!(usl.r2 >= least_r2)) {
    return Named{"poor_fit", "The scalability law explains only " + percent(std::max(usl.r2, 0.0)) +
                                 " of how IOPS vary; 90 % are asked of a fit."};
  }
  return usl;
}

}  // namespace iobenchd::analysis
