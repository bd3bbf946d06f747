#include "daemon/engine/skew.h"

namespace iobenchd::engine {

// The first thousand one by one, the rest by Euler and Maclaurin's formula up to the first
// derivative: exact to ten digits, at once for a region of any size.
double zeta(std::uint64_t count, double theta) noexcept {
  constexpr std::uint64_t by_hand = 1000;
  double sum = 0;
  for (std::uint64_t i = 1; i <= std::min(count, by_hand); ++i)
    sum += std::pow(static_cast<double>(i), -theta);
  if (count <= by_hand) return sum;
  const auto from = static_cast<double>(by_hand);
  const auto to = static_cast<double>(count);
  sum += (std::pow(to, 1 - theta) - std::pow(from, 1 - theta)) / (1 - theta);
  sum += (std::pow(to, -theta) - std::pow(from, -theta)) / 2;
  sum -= theta * (std::pow(to, -theta - 1) - std::pow(from, -theta - 1)) / 12;
  return sum;
}

Zipf::Zipf(std::uint64_t count, double theta) noexcept
    : count_(static_cast<double>(count)),
      last_(static_cast<double>(count - 1)),
      zeta_(zeta(count, theta)),
      zeta_of_two_(1 + std::pow(0.5, theta)),
      alpha_(1 / (1 - theta)),
      // Of one or two blocks there is no third rank that would ask for it.
      eta_(count <= 2 ? 0 : (1 - std::pow(2 / count_, 1 - theta)) / (1 - zeta_of_two_ / zeta_)) {}

}  // namespace iobenchd::engine
