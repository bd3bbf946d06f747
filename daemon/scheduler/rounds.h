// Rounds of one run (SNIA SSS PTS): the same load again and again until the disk is steady. The
// last five are the measurement. Pure; safe from any thread.
#pragma once

#include <span>

#include "daemon/model/run.h"

namespace iobenchd::scheduler {

inline constexpr std::uint32_t steady_rounds_most = 25;  // PTS 2.0: give up beyond

// IOPS of the last five rounds range over at most 20 % of their average, and the line through them
// climbs or falls by at most 10 % of it. False with fewer than five.
[[nodiscard]] bool are_steady(std::span<const Measurement> rounds);

// The last five (or all, where there are fewer) as one measurement: counts and times added up,
// histograms merged. The seconds of all rounds stand one after the other, those before the last
// five as ramp. Of what can't be added the worst round's stands. Says how many rounds there were,
// and whether the last five are steady.
[[nodiscard]] Measurement merge_rounds(std::span<const Measurement> rounds);

}  // namespace iobenchd::scheduler
