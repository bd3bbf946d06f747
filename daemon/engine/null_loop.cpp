// I/Os that end at once: what the engine itself costs.
#include "daemon/engine/null_loop.h"

#include <cerrno>

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
    with_choices(board_, [this]<class Clock, class Offsets, class Direction, class Pace, class>() {
      NullDevice device;
      null_spin<Clock, Offsets, Direction, Pace>(worker_, board_, buffers_.block(0), device);
    });
  }

 private:
  Worker& worker_;
  const Board& board_;
  Buffers buffers_;
};

}  // namespace

std::unique_ptr<Loop> make_null_loop(Worker& worker, const Board& board) {
  auto loop = std::make_unique<NullLoop>(worker, board);
  if (!loop->prepare()) return nullptr;
  return loop;
}

}  // namespace iobenchd::engine
