// Every choice of a run, made once before its loop spins: clock, offsets, direction, pace, and
// whether what was written is looked at. Safe from any thread.
#pragma once

#include "daemon/engine/clock.h"
#include "daemon/engine/direction.h"
#include "daemon/engine/offsets.h"
#include "daemon/engine/pacer.h"
#include "daemon/engine/permutation.h"
#include "daemon/engine/skew.h"
#include "daemon/engine/verifier.h"
#include "daemon/engine/worker.h"

namespace iobenchd::engine {

[[nodiscard]] inline bool governed(const Load& load) noexcept {
  return load.workload.rate_iops != 0 || load.workload.io_size_bytes != 0;
}

// What is rarer has fewer instantiations, with the general direction: a mix can be pure, too, and a
// governor needn't have anything to govern.
template <class Clock, class Offsets, class Run>
void with_any_direction(const Load& load, const Run& run) {
  if (load.workload.verify != 0)
    return run.template operator()<Clock, Offsets, Mixing, Governor<Clock>, Verified>();
  if (governed(load))
    return run.template operator()<Clock, Offsets, Mixing, Governor<Clock>, Unverified>();
  return run.template operator()<Clock, Offsets, Mixing, Free, Unverified>();
}

template <class Clock, class Offsets, class Run>
void with_direction(const Load& load, const Run& run) {
  if (governed(load) || mixed(load.rw) || load.workload.fsync != 0 || load.workload.verify != 0)
    return with_any_direction<Clock, Offsets>(load, run);
  if (writes(load.rw)) return run.template operator()<Clock, Offsets, Writing, Free, Unverified>();
  return run.template operator()<Clock, Offsets, Reading, Free, Unverified>();
}

template <class Clock, class Run>
void with_offsets(const Load& load, const Run& run) {
  if (!random(load.rw)) return with_direction<Clock, SequentialOffsets>(load, run);
  if (load.workload.random_distribution.kind != Distribution::random)
    return with_any_direction<Clock, SkewedOffsets>(load, run);
  if (load.workload.norandommap == 0) return with_any_direction<Clock, PermutedOffsets>(load, run);
  return with_direction<Clock, RandomOffsets>(load, run);
}

// Calls run.operator()<Clock, Offsets, Direction, Pace, Check>().
template <class Run>
void with_choices(const Board& board, const Run& run) {
  if (board.clock.source == ClockSource::tsc) return with_offsets<CycleClock>(board.load, run);
  return with_offsets<PosixClock>(board.load, run);
}

}  // namespace iobenchd::engine
