// The loops: how I/Os are made. Chosen once per worker; run() then goes from the gate to the end of
// the run without a virtual call, lock, allocation or log. One loop, one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "daemon/engine/clock.h"
#include "daemon/engine/direction.h"
#include "daemon/engine/offsets.h"
#include "daemon/engine/pacer.h"
#include "daemon/engine/permutation.h"
#include "daemon/engine/skew.h"
#include "daemon/engine/worker.h"

namespace iobenchd::engine {

class Loop {
 public:
  Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  virtual ~Loop() = default;
  // Called after the gate has opened. Failures stand in the worker.
  virtual void run() = 0;
};

// Each sets up everything before the first I/O; null with the failure in the worker.
[[nodiscard]] std::unique_ptr<Loop> make_uring_loop(Worker& worker, const Board& board);
[[nodiscard]] std::unique_ptr<Loop> make_posix_loop(Worker& worker, const Board& board);
[[nodiscard]] std::unique_ptr<Loop> make_mmap_loop(Worker& worker, const Board& board);
[[nodiscard]] std::unique_ptr<Loop> make_null_loop(Worker& worker, const Board& board);
[[nodiscard]] std::unique_ptr<Loop> make_loop(Worker& worker, const Board& board);

[[nodiscard]] Region region_of(const Worker& worker, const Board& board) noexcept;

[[nodiscard]] inline bool governed(const Load& load) noexcept {
  return load.workload.rate_iops != 0 || load.workload.io_size_bytes != 0;
}

// What is rarer has fewer instantiations, with the general direction: a mix can be pure, too.
template <class Clock, class Offsets, class Run>
void with_any_direction(const Load& load, const Run& run) {
  if (governed(load)) return run.template operator()<Clock, Offsets, Mixing, Governor<Clock>>();
  return run.template operator()<Clock, Offsets, Mixing, Free>();
}

template <class Clock, class Offsets, class Run>
void with_direction(const Load& load, const Run& run) {
  if (governed(load) || mixed(load.rw) || load.workload.fsync != 0)
    return with_any_direction<Clock, Offsets>(load, run);
  if (writes(load.rw)) return run.template operator()<Clock, Offsets, Writing, Free>();
  return run.template operator()<Clock, Offsets, Reading, Free>();
}

template <class Clock, class Run>
void with_offsets(const Load& load, const Run& run) {
  if (!random(load.rw)) return with_direction<Clock, SequentialOffsets>(load, run);
  if (load.workload.random_distribution.kind != Distribution::random)
    return with_any_direction<Clock, SkewedOffsets>(load, run);
  if (load.workload.norandommap == 0) return with_any_direction<Clock, PermutedOffsets>(load, run);
  return with_direction<Clock, RandomOffsets>(load, run);
}

// Calls run.operator()<Clock, Offsets, Direction, Pace>(): every choice of a run, made once.
template <class Run>
void with_choices(const Board& board, const Run& run) {
  if (board.clock.source == ClockSource::tsc) return with_offsets<CycleClock>(board.load, run);
  return with_offsets<PosixClock>(board.load, run);
}

// Page-aligned memory for the blocks of one worker. Touched once, so that no page fault falls into
// the run.
class Buffers {
 public:
  Buffers() = default;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers();

  [[nodiscard]] bool allocate(std::uint32_t blocks, std::uint32_t block_bytes) noexcept;
  [[nodiscard]] std::byte* block(std::size_t index) const noexcept {
    return memory_ + index * stride_bytes_;
  }

 private:
  std::byte* memory_ = nullptr;
  std::size_t stride_bytes_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace iobenchd::engine
