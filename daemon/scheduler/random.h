// Numbers from a seed, the same with every standard library: the order of runs, the jitter of
// schedules. splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// 2014). Pure; safe from any thread.
#pragma once

#include <cstdint>

namespace iobenchd::scheduler {

// The next number; moves the state on.
[[nodiscard]] constexpr std::uint64_t next_random(std::uint64_t& state) noexcept {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace iobenchd::scheduler
