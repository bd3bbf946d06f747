// The loops: how I/Os are made. Chosen once per worker; run() then goes from the gate to the end of
// the run without a virtual call, lock, allocation or log. One loop, one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "daemon/engine/offsets.h"
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

// A worker's own part of it where the run verifies.
[[nodiscard]] Region region_of(const Worker& worker, const Board& board) noexcept;

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
