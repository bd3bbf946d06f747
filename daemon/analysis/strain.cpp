#include "daemon/analysis/strain.h"

namespace iobenchd::analysis {

bool strained(const WakeupDelay& during, const WakeupDelay& reference) noexcept {
  if (during.count == 0 || reference.count == 0) return false;
  const auto p99 = static_cast<double>(during.p99_ns);
  const auto usual = static_cast<double>(reference.p99_ns);
  return p99 > usual + strain_margin_ns && p99 > strain_factor * usual;
}

}  // namespace iobenchd::analysis
