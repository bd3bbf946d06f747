// pread and pwrite, one after the other: the loop that exists everywhere. `threads` is this loop in
// numjobs x iodepth threads.
#include <unistd.h>

#include <cerrno>

#include "daemon/engine/choices.h"
#include "daemon/engine/failure.h"
#include "daemon/engine/files.h"
#include "daemon/engine/loop.h"
#include "daemon/engine/payload.h"

namespace iobenchd::engine {
namespace {

class PosixLoop final : public Loop {
 public:
  PosixLoop(Worker& worker, const Board& board) : worker_(worker), board_(board) {}

  [[nodiscard]] bool prepare() {
    if (buffers_.allocate(1, board_.load.block_bytes)) return true;
    worker_.fail("mmap", ENOMEM, 0, "no memory for the blocks: ask for fewer or smaller ones");
    return false;
  }

  void run() override {
    with_choices(board_,
                 [this]<class Clock, class Offsets, class Direction, class Pace, class Check>() {
                   spin<Clock, Offsets, Direction, Pace, Check>();
                 });
  }

 private:
  template <class Clock, class Offsets, class Direction, class Pace, class Check>
  void spin() noexcept;

  template <class Clock>
  [[nodiscard]] bool sync(Gate& gate, const Place& place) noexcept;

  Worker& worker_;
  const Board& board_;
  Buffers buffers_;
};

// False: it failed, or the run is over.
template <class Clock>
bool PosixLoop::sync(Gate& gate, const Place& place) noexcept {
  const std::uint64_t began = Clock::now();
  if (fsync(place.descriptor) != 0) {
    worker_.fail("fsync", errno, place.offset_bytes, cure_of_sync(errno));
    return false;
  }
  const std::uint64_t ended = Clock::now();
  if (gate.reached(ended) && !gate.pass(ended)) return false;
  gate.span().of(Kind::fsync).add(Clock::span_ns(ended - began, board_.clock.multiplier));
  return true;
}

template <class Clock, class Offsets, class Direction, class Pace, class Check>
void PosixLoop::spin() noexcept {
  const std::uint32_t block_bytes = board_.load.block_bytes;
  const std::uint64_t multiplier = board_.clock.multiplier;
  const Files files(worker_, board_);
  std::byte* const block = buffers_.block(0);
  const Region region = region_of(worker_, board_);
  Offsets offsets(region);
  Payload payload(board_.pool, worker_.index, board_.load.workload.buffer_compress_percentage);
  Direction direction(board_.load, region);
  Gate gate(worker_, board_);
  Pace pace(worker_, board_, gate);
  Check check(worker_);
  Span* span = &gate.span();
  std::uint64_t began = Clock::now();
  while (board_.stop.load(std::memory_order_relaxed) == 0) {
    const std::uint64_t offset = check.take(offsets);
    const Place place = files.at(offset);
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
    const auto at = static_cast<off_t>(place.offset_bytes);
    const ssize_t done = write ? pwrite(place.descriptor, block, block_bytes, at)
                               : pread(place.descriptor, block, block_bytes, at);
    if (done != static_cast<ssize_t>(block_bytes)) [[unlikely]] {
      if (done < 0 && errno == EINTR) {
        check.give_up(write, offset);
        continue;
      }
      worker_.fail_transfer(write, done < 0 ? -errno : done, place.offset_bytes, block_bytes);
      break;
    }
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
        if (!sync<Clock>(gate, place)) break;
        span = &gate.span();
        ended = Clock::now();
      }
    }
    began = ended;  // of a read the next one begins here: a clock reading saved, nothing left out
  }
  gate.close_early(Clock::now());
}

}  // namespace

std::unique_ptr<Loop> make_posix_loop(Worker& worker, const Board& board) {
  auto loop = std::make_unique<PosixLoop>(worker, board);
  if (!loop->prepare()) return nullptr;
  return loop;
}

}  // namespace iobenchd::engine
