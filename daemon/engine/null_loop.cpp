// I/Os that end at once: what the engine itself costs.
#include <atomic>

#include "daemon/engine/serial_loop.h"

namespace iobenchd::engine {
namespace {

class NullDevice {
 public:
  NullDevice(Worker& worker, const Board&, std::byte*) noexcept : worker_(worker) {}

  [[nodiscard]] bool transfer(bool, std::uint64_t offset) noexcept {
    worker_.null_offset_bytes = offset;
    // No system call here tells the compiler that another thread reads the counters.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }
  [[nodiscard]] static bool sync(std::uint64_t) noexcept { return true; }

 private:
  Worker& worker_;
};

}  // namespace

std::unique_ptr<Loop> make_null_loop(Worker& worker, const Board& board) {
  return make_serial_loop<NullDevice>(worker, board);
}

}  // namespace iobenchd::engine
