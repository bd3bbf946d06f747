// Gunther's Universal Scalability Law, X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1)),
// fitted by least squares with 0 <= sigma <= 1 and kappa >= 0. It describes what was measured; it
// is never asked about an n beyond. Pure; safe from any thread.
#pragma once

#include <span>
#include <variant>

#include "daemon/analysis/figures.h"
#include "daemon/model/curve.h"

namespace iobenchd::analysis {

// The fit, or why there is none: too_few_points, flat, falling, poor_fit. lambda is x at n = 1
// where that was measured, else fitted too. The peak is left out where kappa is next to nothing or
// the peak would lie beyond the largest measured n.
[[nodiscard]] std::variant<Usl, Named> fit_usl(std::span<const Figure> figures);

// X(n) of a fit.
[[nodiscard]] double usl_at(const Usl& usl, double n) noexcept;

}  // namespace iobenchd::analysis
