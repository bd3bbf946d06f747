#include "daemon/model/run.h"

#include <array>

namespace iobenchd {

std::string_view to_string(RunState value) noexcept {
  switch (value) {
    case RunState::running:
      return "running";
    case RunState::done:
      return "done";
    case RunState::failed:
      return "failed";
    case RunState::interrupted:
      return "interrupted";
    case RunState::cancelled:
      return "cancelled";
  }
  return "unknown";
}

std::optional<RunState> parse_run_state(std::string_view text) noexcept {
  constexpr std::array all{RunState::running, RunState::done, RunState::failed,
                           RunState::interrupted, RunState::cancelled};
  for (const RunState state : all) {
    if (text == to_string(state)) return state;
  }
  return std::nullopt;
}

}  // namespace iobenchd
