// io_uring: iodepth I/Os in flight from one thread.
#include <algorithm>
#include <vector>

#include "daemon/engine/choices.h"
#include "daemon/engine/payload.h"
#include "daemon/engine/uring_ring.h"

namespace iobenchd::engine {
namespace {

class UringLoop final : public Loop {
 public:
  UringLoop(Worker& worker, const Board& board)
      : worker_(worker),
        board_(board),
        depth_(board.load.iodepth),
        ring_(worker, board),
        began_ticks_(depth_),
        offsets_(depth_),
        idle_(depth_),
        last_written_(board.load.offset_bytes) {
    for (std::uint32_t i = 0; i < depth_; ++i) idle_[i] = depth_ - 1 - i;
  }

  [[nodiscard]] bool prepare() { return ring_.prepare(); }

  void run() override {
    with_choices(board_,
                 [this]<class Clock, class Offsets, class Direction, class Pace, class Check>() {
                   if constexpr (Pace::governed) {
                     if (board_.load.workload.rate_iops != 0)
                       return spin_open<Clock, Offsets, Check>();
                   }
                   if (ring_.several_files())
                     return spin<Clock, Offsets, Direction, Pace, Check, true>();
                   spin<Clock, Offsets, Direction, Pace, Check, false>();
                 });
  }

 private:
  // Each a function of its own, with all it calls inside it: how much the compiler takes in by
  // itself depends on how much else there is in this file.
  template <class Clock, class Offsets, class Direction, class Pace, class Check, bool several>
  [[gnu::noinline, gnu::flatten]] void spin() noexcept;
  template <class Clock, class Offsets, class Check>
  void spin_open() noexcept;
  template <class Clock>
  [[nodiscard]] bool enter(bool news, std::uint32_t in_flight, std::uint64_t until,
                           Alarm<Clock>& alarm) noexcept;

  template <class Clock, class Check>
  std::uint32_t reap(std::uint64_t ended, Span& span, Governor<Clock>& governor, Check& check,
                     std::uint32_t& idle) noexcept;

  [[nodiscard]] bool is_good(const io_uring_cqe& cqe) const noexcept {
    const bool sync = Ring::kind_of(cqe.user_data) == Kind::fsync;
    return cqe.res == (sync ? 0 : static_cast<std::int32_t>(board_.load.block_bytes));
  }

  Worker& worker_;
  const Board& board_;
  const std::uint32_t depth_;
  Ring ring_;
  // Per slot; a slot is idle or in flight.
  std::vector<std::uint64_t> began_ticks_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> idle_;  // a stack
  std::uint64_t last_written_ = 0;   // an fsync is its file's
};

// Submit one batch, wait for one completion, reap no more than the next call may submit: reaping
// everything would leave slots idle while the rest is prepared, which flatters latency.
template <class Clock, class Offsets, class Direction, class Pace, class Check, bool several>
void UringLoop::spin() noexcept {
  const std::uint64_t multiplier = board_.clock.multiplier;
  const std::uint32_t block_bytes = board_.load.block_bytes;
  const std::uint32_t batch = board_.batch_submit;
  const std::uint32_t reap_most = std::max(batch, board_.batch_complete);
  const Region region = region_of(worker_, board_);
  Offsets offsets(region);
  Payload payload(board_.pool, worker_.index, board_.load.workload.buffer_compress_percentage);
  Direction direction(board_.load, region);
  Gate gate(worker_, board_);
  Pace pace(worker_, board_, gate);
  Check check(worker_);
  Span* span = &gate.span();
  std::uint32_t idle = depth_;
  while (board_.stop.load(std::memory_order_relaxed) == 0) {
    const std::uint32_t first = idle - std::min(idle, batch);
    const std::uint32_t end = idle;
    while (idle > first) {
      io_uring_sqe* const sqe = io_uring_get_sqe(ring_.raw());
      if (sqe == nullptr) break;  // an earlier call was interrupted before it took its batch
      const std::uint32_t slot = idle_[--idle];
      if (Direction::may_sync && direction.take_sync()) {
        offsets_[slot] = last_written_;
        ring_.put_sync<several>(sqe, slot, last_written_);
        continue;
      }
      const bool write = direction.next();
      offsets_[slot] = check.take(offsets);
      if (write) {
        payload.fill(ring_.block(slot), block_bytes);
        check.seal(ring_.block(slot), offsets_[slot]);
        if (Direction::may_sync) last_written_ = offsets_[slot];
      }
      ring_.put_transfer<several>(sqe, slot, write, offsets_[slot]);
    }
    const std::uint64_t began = Clock::now();
    for (std::uint32_t i = idle; i < end; ++i) began_ticks_[idle_[i]] = began;
    if (!ring_.submit(idle == 0 ? board_.batch_complete : 0)) break;

    io_uring_cqe* cqe = nullptr;
    std::uint32_t head = 0;
    std::uint32_t reaped = 0;
    const std::uint64_t ended = Clock::now();
    if (gate.reached(ended)) [[unlikely]] {
      if (!gate.pass(ended)) return ring_.drain(depth_ - idle);
      span = &gate.span();
    }
    io_uring_for_each_cqe(ring_.raw(), head, cqe) {
      if (reaped == reap_most) break;
      const std::uint32_t slot = Ring::slot_of(cqe->user_data);
      const Kind kind = Direction::may_write ? Ring::kind_of(cqe->user_data) : Kind::read;
      if (Direction::may_sync ? !is_good(*cqe) : cqe->res != static_cast<std::int32_t>(block_bytes))
          [[unlikely]] {
        ring_.fail(*cqe, offsets_[slot]);
        return;
      }
      span->of(kind).add(Clock::span_ns(ended - began_ticks_[slot], multiplier));
      if (Pace::governed && kind != Kind::fsync) pace.count();
      if (Check::verifies && kind != Kind::fsync &&
          !check.settle(kind == Kind::write, ring_.block(slot), offsets_[slot]))
        return;
      idle_[idle++] = slot;
      ++reaped;
    }
    io_uring_cq_advance(ring_.raw(), reaped);
  }
  gate.close_early(Clock::now());
  if (!worker_.failed()) ring_.drain(depth_ - idle);
}

// The one call of an open loop: submits `news` at once, else waits for completions until `until`.
// Close to it, and where completions have to be polled for, it only looks.
template <class Clock>
bool UringLoop::enter(bool news, std::uint32_t in_flight, std::uint64_t until,
                      Alarm<Clock>& alarm) noexcept {
  if (news) return ring_.submit_and_look();
  const std::uint64_t now = Clock::now();
  if (in_flight == 0) {
    alarm.rest(now, until);
    return true;
  }
  const std::uint64_t nap = alarm.nap(now, until);
  if (nap == 0 || ring_.polled()) return ring_.submit_and_look();
  if (!ring_.submit_and_wait(Clock::span_ns(nap, board_.clock.multiplier))) return false;
  if (io_uring_cq_ready(ring_.raw()) == 0) alarm.learn(now + nap, Clock::now());
  return true;
}

// Due times instead of batches: what is due goes out at once, what has ended is reaped at once. The
// next I/O is made before it is due, for making the data is not the disk's work.
template <class Clock, class Offsets, class Check>
void UringLoop::spin_open() noexcept {
  const std::uint32_t block_bytes = board_.load.block_bytes;
  const Region region = region_of(worker_, board_);
  Offsets offsets(region);
  Payload payload(board_.pool, worker_.index, board_.load.workload.buffer_compress_percentage);
  Mixing direction(board_.load, region);
  Gate gate(worker_, board_);
  Governor<Clock> governor(worker_, board_, gate);
  Pacer& pacer = governor.pacer();
  Check check(worker_);
  std::uint32_t idle = depth_, in_flight = 0, next_slot = 0;
  Kind next = Kind::read;
  bool made = false;  // the next I/O is
  while (board_.stop.load(std::memory_order_relaxed) == 0) {
    const std::uint64_t now = Clock::now();
    std::uint32_t news = 0;
    while (news < board_.batch_submit) {
      if (!made) {
        if (idle == 0) break;
        next_slot = idle_[--idle];
        next = direction.take_sync() ? Kind::fsync : direction.next() ? Kind::write : Kind::read;
        if (next != Kind::fsync) offsets_[next_slot] = check.take(offsets);
        if (next == Kind::write) {
          payload.fill(ring_.block(next_slot), block_bytes);
          check.seal(ring_.block(next_slot), offsets_[next_slot]);
          last_written_ = offsets_[next_slot];
        }
        made = true;
      }
      if (next != Kind::fsync && pacer.due_ticks() > now) break;
      io_uring_sqe* const sqe = io_uring_get_sqe(ring_.raw());
      if (sqe == nullptr) break;
      if (next == Kind::fsync) {
        offsets_[next_slot] = last_written_;
        ring_.put_sync<true>(sqe, next_slot, last_written_);
        began_ticks_[next_slot] = now;
      } else {
        ring_.put_transfer<true>(sqe, next_slot, next == Kind::write, offsets_[next_slot]);
        began_ticks_[next_slot] = pacer.due_ticks();
        pacer.advance();
      }
      made = false;
      ++in_flight;
      ++news;
    }
    const std::uint64_t boundary = gate.boundary_ticks();
    const std::uint64_t until = made ? std::min(pacer.due_ticks(), boundary) : boundary;
    if (!enter(news != 0, in_flight, until, governor.alarm())) break;
    const std::uint64_t ended = Clock::now();
    if (gate.reached(ended) && !gate.pass(ended)) {
      if (made && next != Kind::fsync) check.give_up(next == Kind::write, offsets_[next_slot]);
      return ring_.drain(in_flight);
    }
    const std::uint32_t reaped = reap(ended, gate.span(), governor, check, idle);
    if (worker_.failed()) break;
    in_flight -= reaped;
  }
  if (made && next != Kind::fsync) check.give_up(next == Kind::write, offsets_[next_slot]);
  gate.close_early(Clock::now());
  if (!worker_.failed()) ring_.drain(in_flight);
}

// Everything that has ended.
template <class Clock, class Check>
std::uint32_t UringLoop::reap(std::uint64_t ended, Span& span, Governor<Clock>& governor,
                              Check& check, std::uint32_t& idle) noexcept {
  io_uring_cqe* cqe = nullptr;
  std::uint32_t head = 0, reaped = 0;
  io_uring_for_each_cqe(ring_.raw(), head, cqe) {
    const std::uint32_t slot = Ring::slot_of(cqe->user_data);
    const Kind kind = Ring::kind_of(cqe->user_data);
    if (!is_good(*cqe)) [[unlikely]] {
      ring_.fail(*cqe, offsets_[slot]);
      break;
    }
    span.of(kind).add(Clock::span_ns(ended - began_ticks_[slot], board_.clock.multiplier));
    if (kind != Kind::fsync) governor.count();
    if (Check::verifies && kind != Kind::fsync &&
        !check.settle(kind == Kind::write, ring_.block(slot), offsets_[slot]))
      break;
    idle_[idle++] = slot;
    ++reaped;
  }
  io_uring_cq_advance(ring_.raw(), reaped);
  return reaped;
}

}  // namespace

std::unique_ptr<Loop> make_uring_loop(Worker& worker, const Board& board) {
  auto loop = std::make_unique<UringLoop>(worker, board);
  if (!loop->prepare()) return nullptr;
  return loop;
}

}  // namespace iobenchd::engine
