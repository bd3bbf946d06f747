// I/Os that end at once: what the engine itself costs.
#include <cerrno>

#include "daemon/engine/loop.h"
#include "daemon/engine/payload.h"

namespace iobenchd::engine {
namespace {

class NullLoop final : public Loop {
 public:
  NullLoop(Worker& worker, const Board& board) : worker_(worker), board_(board) {}

  [[nodiscard]] bool prepare() {
    if (buffers_.allocate(1, board_.load.block_bytes)) return true;
    worker_.fail("mmap", ENOMEM, 0, "no memory for the blocks: ask for fewer or smaller ones");
    return false;
  }

  void run() override {
    with_choices(board_, [this]<class Clock, class Offsets, class Direction>() {
      spin<Clock, Offsets, Direction>();
    });
  }

 private:
  template <class Clock, class Offsets, class Direction>
  void spin() noexcept;

  Worker& worker_;
  const Board& board_;
  Buffers buffers_;
};

template <class Clock, class Offsets, class Direction>
void NullLoop::spin() noexcept {
  const std::uint32_t block_bytes = board_.load.block_bytes;
  const std::uint64_t multiplier = board_.clock.multiplier;
  const Region region = region_of(worker_, board_);
  Offsets offsets(region);
  Payload payload(board_.pool, worker_.index);
  Direction direction(board_.load, region);
  Gate gate(worker_, board_);
  Span* span = &gate.span();
  std::uint64_t began = Clock::now();
  while (board_.stop.load(std::memory_order_relaxed) == 0) {
    const bool write = direction.next();
    worker_.null_offset_bytes = offsets.next();
    if (write) {
      payload.fill(buffers_.block(0), block_bytes);
      began = Clock::now();
    }
    const std::uint64_t ended = Clock::now();
    if (gate.reached(ended)) [[unlikely]] {
      if (!gate.pass(ended)) return;
      span = &gate.span();
    }
    span->of(write).add(Clock::span_ns(ended - began, multiplier));
    began = ended;
    // No system call here tells the compiler that another thread reads the counters.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  gate.close_early(Clock::now());
}

}  // namespace

std::unique_ptr<Loop> make_null_loop(Worker& worker, const Board& board) {
  auto loop = std::make_unique<NullLoop>(worker, board);
  if (!loop->prepare()) return nullptr;
  return loop;
}

}  // namespace iobenchd::engine
