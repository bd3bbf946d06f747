// io_uring: iodepth I/Os in flight from one thread. The ring is made by the thread that uses it and
// can then do nothing but transfer.
#include <liburing.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <vector>

#include "daemon/engine/failure.h"
#include "daemon/engine/loop.h"
#include "daemon/engine/payload.h"

namespace iobenchd::engine {
namespace {

struct SetupFlag {
  std::uint32_t ours;
  std::uint32_t kernels;
};
// In the order in which older kernels lose them: 6.1, 6.0, 5.19. DEFER_TASKRUN stays on at every
// depth: beside COOP_TASKRUN alone it was 5 % cheaper where reads complete inline, and within the
// noise on a disk at depths 1 to 32.
constexpr std::array<SetupFlag, 3> setup_flags{
    {{engine_flag::defer_taskrun, IORING_SETUP_DEFER_TASKRUN},
     {engine_flag::single_issuer, IORING_SETUP_SINGLE_ISSUER},
     {engine_flag::coop_taskrun, IORING_SETUP_COOP_TASKRUN}}};

constexpr std::uint64_t registration_patience_ns = 2'000'000'000;

class UringLoop final : public Loop {
 public:
  UringLoop(Worker& worker, const Board& board)
      : worker_(worker),
        board_(board),
        depth_(board.load.iodepth),
        began_ticks_(depth_),
        offsets_(depth_),
        idle_(depth_) {}
  ~UringLoop() override {
    if (ring_made_) io_uring_queue_exit(&ring_);
  }

  [[nodiscard]] bool prepare();

  void run() override {
    with_choices(board_, [this]<class Clock, class Offsets, class Direction>() {
      spin<Clock, Offsets, Direction>();
    });
  }

 private:
  [[nodiscard]] bool make_ring();
  [[nodiscard]] bool register_buffers();
  void register_file();
  [[nodiscard]] bool restrict_and_enable();
  template <class Clock, class Offsets, class Direction>
  void spin() noexcept;
  void prepare_transfer(io_uring_sqe* sqe, std::uint32_t slot, bool write) const noexcept;
  [[nodiscard]] bool submit(std::uint32_t wait_for) noexcept;
  void drain(std::uint32_t in_flight) noexcept;

  [[nodiscard]] bool wanted(std::uint32_t flag) const noexcept {
    return (board_.load.engine_flags & flag) != 0;
  }
  [[nodiscard]] bool used(std::uint32_t flag) const noexcept {
    return (worker_.engine_flags & flag) != 0;
  }

  Worker& worker_;
  const Board& board_;
  const std::uint32_t depth_;
  Buffers buffers_;
  io_uring ring_{};
  bool ring_made_ = false;
  bool fixed_file_ = false;
  bool fixed_buffers_ = false;
  // Per slot; a slot is idle or in flight.
  std::vector<std::uint64_t> began_ticks_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> idle_;  // a stack
};

bool UringLoop::prepare() {
  for (std::uint32_t i = 0; i < depth_; ++i) idle_[i] = depth_ - 1 - i;
  if (!buffers_.allocate(depth_, board_.load.block_bytes)) {
    worker_.fail("mmap", ENOMEM, 0, "no memory for the blocks: ask for fewer or smaller ones");
    return false;
  }
  if (!make_ring() || !register_buffers()) return false;
  register_file();
  // Spares a look-up per call; kernels before 5.18 don't know it.
  io_uring_register_ring_fd(&ring_);
  return restrict_and_enable();
}

bool UringLoop::make_ring() {
  std::uint32_t ours = 0;
  for (const SetupFlag& flag : setup_flags)
    if (wanted(flag.ours)) ours |= flag.ours;
  // A submission queue of one batch stays in the cache.
  const std::uint32_t entries = std::min(board_.batch_submit, depth_);
  for (std::size_t given_up = 0;; ++given_up) {
    // The kernel wants SINGLE_ISSUER beside DEFER_TASKRUN.
    if ((ours & engine_flag::single_issuer) == 0) ours &= ~engine_flag::defer_taskrun;
    io_uring_params params{};
    params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_R_DISABLED;
    params.cq_entries = std::max(depth_, entries);
    for (const SetupFlag& flag : setup_flags)
      if ((ours & flag.ours) != 0) params.flags |= flag.kernels;
    const int result = io_uring_queue_init_params(entries, &ring_, &params);
    if (result == 0) break;
    if (result != -EINVAL || given_up == setup_flags.size()) {
      worker_.fail(
          "io_uring_setup", -result, 0,
          result == -ENOMEM
              ? "locked memory is short: raise the limit (ulimit -l), or ask for less"
              : "the kernel refuses io_uring: allow it (sysctl kernel.io_uring_disabled=0; "
                "containers: the seccomp profile), or choose ioengine=psync or threads");
      return false;
    }
    ours &= ~setup_flags[given_up].ours;
  }
  ring_made_ = true;
  worker_.engine_flags |= ours;
  return true;
}

// The memory of a run that has just ended is given back late: falling back at once would change the
// engine in the middle of a curve.
bool UringLoop::register_buffers() {
  if (!wanted(engine_flag::fixed_buffers)) return true;
  std::vector<iovec> blocks(depth_);
  for (std::uint32_t i = 0; i < depth_; ++i)
    blocks[i] = {buffers_.block(i), board_.load.block_bytes};
  const std::uint64_t give_up_at = PosixClock::now() + registration_patience_ns;
  int result = io_uring_register_buffers(&ring_, blocks.data(), depth_);
  while (result == -ENOMEM && PosixClock::now() < give_up_at &&
         board_.stop.load(std::memory_order_relaxed) == 0) {
    timespec rest{};
    rest.tv_nsec = 20'000'000;
    nanosleep(&rest, nullptr);
    result = io_uring_register_buffers(&ring_, blocks.data(), depth_);
  }
  fixed_buffers_ = result == 0;
  if (fixed_buffers_) worker_.engine_flags |= engine_flag::fixed_buffers;
  return true;
}

void UringLoop::register_file() {
  if (!wanted(engine_flag::fixed_files)) return;
  fixed_file_ = io_uring_register_files(&ring_, &worker_.descriptor, 1) == 0;
  if (fixed_file_) worker_.engine_flags |= engine_flag::fixed_files;
}

// From here on the ring reads and writes, and nothing else: its operations pass by seccomp.
bool UringLoop::restrict_and_enable() {
  std::array<io_uring_restriction, 6> rules{};
  constexpr std::array<std::uint8_t, 4> operations{IORING_OP_READ, IORING_OP_WRITE,
                                                   IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    rules[i].opcode = IORING_RESTRICTION_SQE_OP;
    rules[i].sqe_op = operations[i];
  }
  rules[4].opcode = IORING_RESTRICTION_REGISTER_OP;
  rules[4].register_op = IORING_REGISTER_ENABLE_RINGS;
  rules[5].opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED;
  rules[5].sqe_flags = IOSQE_FIXED_FILE;
  // The bare call: liburing 2.3 declares functions for these two and doesn't export them.
  const auto ring = static_cast<unsigned>(ring_.ring_fd);
  int result = io_uring_register(ring, IORING_REGISTER_RESTRICTIONS, rules.data(),
                                 static_cast<unsigned>(rules.size()));
  if (result == 0) result = io_uring_register(ring, IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
  if (result == 0) return true;
  worker_.fail("io_uring_register", -result, 0,
               "the kernel can't restrict the ring (it should from 5.10 on): choose ioengine=psync "
               "or threads");
  return false;
}

inline void UringLoop::prepare_transfer(io_uring_sqe* sqe, std::uint32_t slot,
                                        bool write) const noexcept {
  const int file = fixed_file_ ? 0 : worker_.descriptor;
  const int operation = fixed_buffers_ ? (write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED)
                                       : (write ? IORING_OP_WRITE : IORING_OP_READ);
  io_uring_prep_rw(operation, sqe, file, buffers_.block(slot), board_.load.block_bytes,
                   offsets_[slot]);
  if (fixed_buffers_) sqe->buf_index = static_cast<std::uint16_t>(slot);
  if (fixed_file_) sqe->flags = IOSQE_FIXED_FILE;
  sqe->user_data = (std::uint64_t{slot} << 1) | (write ? 1 : 0);
}

inline bool UringLoop::submit(std::uint32_t wait_for) noexcept {
  const int result = io_uring_submit_and_wait(&ring_, wait_for);
  if (result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY) [[likely]]
    return true;
  worker_.fail("io_uring_enter", -result, 0, cure(-result));
  return false;
}

// Submit one batch, wait for one completion, reap no more than the next call may submit: reaping
// everything would leave slots idle while the rest is prepared, which flatters latency.
template <class Clock, class Offsets, class Direction>
void UringLoop::spin() noexcept {
  const std::uint64_t multiplier = board_.clock.multiplier;
  const std::uint32_t block_bytes = board_.load.block_bytes;
  const std::uint32_t batch = board_.batch_submit;
  const std::uint32_t reap_most = std::max(batch, board_.batch_complete);
  const Region region = region_of(worker_, board_);
  Offsets offsets(region);
  Payload payload(board_.pool, worker_.index);
  Direction direction(board_.load, region);
  Gate gate(worker_, board_);
  Span* span = &gate.span();
  std::uint32_t idle = depth_;
  while (board_.stop.load(std::memory_order_relaxed) == 0) {
    const std::uint32_t first = idle - std::min(idle, batch);
    const std::uint32_t end = idle;
    while (idle > first) {
      io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
      if (sqe == nullptr) break;  // an earlier call was interrupted before it took its batch
      const std::uint32_t slot = idle_[--idle];
      const bool write = direction.next();
      offsets_[slot] = offsets.next();
      if (write) payload.fill(buffers_.block(slot), block_bytes);
      prepare_transfer(sqe, slot, write);
    }
    const std::uint64_t began = Clock::now();
    for (std::uint32_t i = idle; i < end; ++i) began_ticks_[idle_[i]] = began;
    if (!submit(idle == 0 ? board_.batch_complete : 0)) break;

    io_uring_cqe* cqe = nullptr;
    std::uint32_t head = 0;
    std::uint32_t reaped = 0;
    const std::uint64_t ended = Clock::now();
    if (gate.reached(ended)) [[unlikely]] {
      if (!gate.pass(ended)) return drain(depth_ - idle);
      span = &gate.span();
    }
    io_uring_for_each_cqe(&ring_, head, cqe) {
      if (reaped == reap_most) break;
      const auto slot = static_cast<std::uint32_t>(cqe->user_data >> 1);
      const bool write = Direction::may_write && (cqe->user_data & 1) != 0;
      if (cqe->res != static_cast<std::int32_t>(block_bytes)) [[unlikely]] {
        worker_.fail_transfer(write, cqe->res, offsets_[slot], block_bytes);
        return;
      }
      span->of(write).add(Clock::span_ns(ended - began_ticks_[slot], multiplier));
      idle_[idle++] = slot;
      ++reaped;
    }
    io_uring_cq_advance(&ring_, reaped);
  }
  gate.close_early(Clock::now());
  if (!worker_.failed()) drain(depth_ - idle);
}

// The kernel still writes into our buffers until everything has come back.
void UringLoop::drain(std::uint32_t in_flight) noexcept {
  while (in_flight > 0) {
    if (!submit(1)) return;
    io_uring_cqe* cqe = nullptr;
    std::uint32_t head = 0;
    std::uint32_t reaped = 0;
    io_uring_for_each_cqe(&ring_, head, cqe)++ reaped;
    io_uring_cq_advance(&ring_, reaped);
    in_flight -= std::min(in_flight, reaped);
  }
}

}  // namespace

std::unique_ptr<Loop> make_uring_loop(Worker& worker, const Board& board) {
  auto loop = std::make_unique<UringLoop>(worker, board);
  if (!loop->prepare()) return nullptr;
  return loop;
}

}  // namespace iobenchd::engine
