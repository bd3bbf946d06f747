// What the launcher hears: TERM and INT mean stop, HUP means reload, CHLD only wakes it. Handlers
// set flags and nothing else; signals arrive in ppoll alone. Process-wide, single-threaded.
#pragma once

#include <csignal>

namespace iobenchd::launcher {

extern volatile std::sig_atomic_t asked_to_stop;
extern volatile std::sig_atomic_t asked_to_reload;

// Blocks the four and returns the mask to wait with.
[[nodiscard]] sigset_t install_signals();

}  // namespace iobenchd::launcher
