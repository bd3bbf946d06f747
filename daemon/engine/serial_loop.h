// One I/O after the other: the loop of psync, threads, mmap and null, whatever moves their blocks.
// With a device and a clock made up it is, in the tests, a disk of exactly known latency. One loop,
// one thread.
#pragma once

#include <cerrno>
#include <memory>

#include "daemon/engine/choices.h"
#include "daemon/engine/loop.h"
#include "daemon/engine/payload.h"

namespace iobenchd::engine {

// A device moves the bytes of `block` with transfer(write, offset) and makes them durable with
// sync(offset); false: it failed, and the failure stands in the worker. Taken by value: what it
// knows then stays in registers.
template <class Clock, class Offsets, class Direction, class Pace, class Check, class Device>
void serial_spin(Worker& worker, const Board& board, std::byte* block, Device device) noexcept {
  const std::uint32_t block_bytes = board.load.block_bytes;
  const std::uint64_t multiplier = board.clock.multiplier;
  const Region region = region_of(worker, board);
  Offsets offsets(region);
  Payload payload(board.pool, worker.index, board.load.workload.buffer_compress_percentage);
  Direction direction(board.load, region);
  Gate gate(worker, board);
  Pace pace(worker, board, gate);
  Check check(worker);
  Span* span = &gate.span();
  std::uint64_t began = Clock::now();
  while (board.stop.load(std::memory_order_relaxed) == 0) {
    const std::uint64_t offset = check.take(offsets);
    const bool write = direction.next();
    if (write) {
      payload.fill(block, block_bytes);
      check.seal(block, offset);
      began = Clock::now();  // making the data is not the disk's work
    }
    if constexpr (Pace::governed) {
      if (!pace.wait(began)) {
        check.give_up(write, offset);
        break;
      }
      span = &gate.span();
    }
    if (!device.transfer(write, offset)) [[unlikely]]
      break;
    std::uint64_t ended = Clock::now();
    if (gate.reached(ended)) [[unlikely]] {
      if (!gate.pass(ended)) return;
      span = &gate.span();
    }
    span->of(write).add(Clock::span_ns(ended - began, multiplier));
    pace.count();
    if constexpr (Check::verifies) {
      if (!check.settle(write, block, offset)) break;
      ended = Clock::now();
    }
    if constexpr (Direction::may_sync) {
      if (direction.take_sync()) {
        began = ended;
        if (!device.sync(offset)) break;
        ended = Clock::now();
        if (gate.reached(ended) && !gate.pass(ended)) return;
        span = &gate.span();
        span->of(Kind::fsync).add(Clock::span_ns(ended - began, multiplier));
      }
    }
    began = ended;  // of a read the next one begins here: a clock reading saved, nothing left out
  }
  gate.close_early(Clock::now());
}

// Of a device that is made from worker, board and block.
template <class Device>
class SerialLoop final : public Loop {
 public:
  SerialLoop(Worker& worker, const Board& board) : worker_(worker), board_(board) {}

  [[nodiscard]] bool prepare() {
    if (buffers_.allocate(1, board_.load.block_bytes)) return true;
    worker_.fail("mmap", ENOMEM, 0, "no memory for the blocks: ask for fewer or smaller ones");
    return false;
  }

  void run() override {
    with_choices(board_,
                 [this]<class Clock, class Offsets, class Direction, class Pace, class Check>() {
                   std::byte* const block = buffers_.block(0);
                   serial_spin<Clock, Offsets, Direction, Pace, Check>(
                       worker_, board_, block, Device(worker_, board_, block));
                 });
  }

 private:
  Worker& worker_;
  const Board& board_;
  Buffers buffers_;
};

template <class Device>
[[nodiscard]] std::unique_ptr<Loop> make_serial_loop(Worker& worker, const Board& board) {
  auto loop = std::make_unique<SerialLoop<Device>>(worker, board);
  if (!loop->prepare()) return nullptr;
  return loop;
}

}  // namespace iobenchd::engine
