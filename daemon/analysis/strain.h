// Did the load make the machine stutter? Compares how late a sleeper woke during a run with how
// late it woke before the sweep. Pure; safe from any thread.
#pragma once

#include "daemon/model/run.h"

namespace iobenchd::analysis {

inline constexpr double strain_margin_ns = 5e6;
inline constexpr double strain_factor = 3;

// p99 more than 5 ms and more than three times above the reference. False where either was not
// taken.
[[nodiscard]] bool strained(const WakeupDelay& during, const WakeupDelay& reference) noexcept;

}  // namespace iobenchd::analysis
