// The loop without a disk: what the engine itself costs, and, with a device and a clock made up, a
// disk of exactly known latency for the tests.
#pragma once

#include "daemon/engine/choices.h"
#include "daemon/engine/loop.h"
#include "daemon/engine/payload.h"

namespace iobenchd::engine {

// Ends at once.
struct NullDevice {
  static void transfer(bool) noexcept {}
  static void sync() noexcept {}
};

// `block` holds a block; `multiplier` is what span_ns of this clock wants.
template <class Clock, class Offsets, class Direction, class Pace, class Device>
void null_spin(Worker& worker, const Board& board, std::byte* block, Device& device) noexcept {
  const std::uint32_t block_bytes = board.load.block_bytes;
  const std::uint64_t multiplier = board.clock.multiplier;
  const Region region = region_of(worker, board);
  Offsets offsets(region);
  Payload payload(board.pool, worker.index, board.load.workload.buffer_compress_percentage);
  Direction direction(board.load, region);
  Gate gate(worker, board);
  Pace pace(worker, board, gate);
  Span* span = &gate.span();
  std::uint64_t began = Clock::now();
  while (board.stop.load(std::memory_order_relaxed) == 0) {
    const bool write = direction.next();
    worker.null_offset_bytes = offsets.next();
    if (write) {
      payload.fill(block, block_bytes);
      began = Clock::now();
    }
    if constexpr (Pace::governed) {
      if (!pace.wait(began)) break;
      span = &gate.span();
    }
    device.transfer(write);
    std::uint64_t ended = Clock::now();
    if (gate.reached(ended)) [[unlikely]] {
      if (!gate.pass(ended)) return;
      span = &gate.span();
    }
    span->of(write).add(Clock::span_ns(ended - began, multiplier));
    pace.count();
    if constexpr (Direction::may_sync) {
      if (direction.take_sync()) {
        device.sync();
        began = ended;
        ended = Clock::now();
        if (gate.reached(ended) && !gate.pass(ended)) return;
        span = &gate.span();
        span->of(Kind::fsync).add(Clock::span_ns(ended - began, multiplier));
      }
    }
    began = ended;
    // No system call here tells the compiler that another thread reads the counters.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  gate.close_early(Clock::now());
}

}  // namespace iobenchd::engine
