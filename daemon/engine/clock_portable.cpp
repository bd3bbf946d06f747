#include "daemon/engine/clock.h"

namespace iobenchd::engine {

bool has_cycle_counter() noexcept {
  return false;
}

std::uint64_t cycles_now() noexcept {
  return PosixClock::now();
}

}  // namespace iobenchd::engine
