#include "daemon/model/event.h"

namespace iobenchd {

std::string_view to_string(SweepPhase value) noexcept {
  switch (value) {
    case SweepPhase::waiting:
      return "waiting";
    case SweepPhase::reference:
      return "reference";
    case SweepPhase::grace:
      return "grace";
    case SweepPhase::layout:
      return "layout";
    case SweepPhase::precondition:
      return "precondition";
    case SweepPhase::ramp:
      return "ramp";
    case SweepPhase::measure:
      return "measure";
    case SweepPhase::verify:
      return "verify";
    case SweepPhase::cooldown:
      return "cooldown";
    case SweepPhase::yielding:
      return "yielding";
    case SweepPhase::finished:
      return "finished";
  }
  return "unknown";
}

}  // namespace iobenchd
