// Open loops: I/Os begin when they are due, not when the one before has ended, and their latency
// counts from that instant. What a stalled disk kept waiting shows as latency, as a user would feel
// it (ANALYSIS, "Open loop"). One owner each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "daemon/engine/clock.h"
#include "daemon/engine/offsets.h"
#include "daemon/engine/os.h"
#include "daemon/engine/worker.h"
#include "daemon/model/workload.h"

namespace iobenchd::engine {

// Due times, in ticks: pure arithmetic. A disk that falls behind doesn't shift them.
class Pacer {
 public:
  // linear: the k-th I/O at start + (k + phase) * interval. poisson: gaps of -interval * ln(u).
  Pacer(std::uint64_t start_ticks, double interval_ticks, double phase, RateProcess process,
        std::uint64_t seed) noexcept
      : start_(start_ticks),
        interval_(interval_ticks),
        phase_(phase),
        poisson_(process == RateProcess::poisson),
        random_(seed) {
    elapsed_ = poisson_ ? gap() : phase_ * interval_;
  }

  [[nodiscard]] std::uint64_t due_ticks() const noexcept {
    return start_ + static_cast<std::uint64_t>(elapsed_);
  }

  void advance() noexcept {
    ++count_;
    elapsed_ = poisson_ ? elapsed_ + gap() : (count_ + phase_) * interval_;
  }

 private:
  double gap() noexcept { return -interval_ * std::log(1 - random_.uniform()); }

  std::uint64_t start_;
  double interval_;
  double phase_;
  bool poisson_;
  Random random_;
  double count_ = 0;
  double elapsed_ = 0;  // exact to half a nanosecond for a month
};

// The due times of one worker: rate_iops is a job's, so its threads share it; evenly spaced I/Os
// are even over all workers together.
[[nodiscard]] Pacer pacer_of(const Worker& worker, const Board& board) noexcept;

// Sleeps until shortly before an instant and leaves the rest to a spinning caller; learns from its
// own oversleeping how early that has to be: early enough for all but one nap in 27. Where the
// system wakes at clock ticks of 10 ms alone, most of the waiting is spinning: the CPU figures
// tell, the latencies don't suffer.
template <class Clock>
class Alarm {
 public:
  Alarm(const ClockScale& scale, std::uint64_t late_most_ns) noexcept
      : multiplier_(scale.multiplier),
        nap_most_(scale.to_ticks(50'000'000)),
        margin_most_(scale.to_ticks(late_most_ns)),
        margin_least_(scale.to_ticks(10'000)),
        margin_(scale.to_ticks(60'000)),
        patience_(scale.to_ticks(100'000'000)) {}

  // How long to sleep from `now` to wake shortly before `until`, 50 ms at most so that a stop is
  // heard; 0: not at all.
  [[nodiscard]] std::uint64_t nap(std::uint64_t now, std::uint64_t until) noexcept {
    if (now + margin_ < until) return std::min(until - now - margin_, nap_most_);
    if (now >= try_again_) {
      // One bad moment must not mean spinning for ever, nor a try every other I/O be late.
      shrink();
      try_again_ = now + patience_;
    }
    return 0;
  }

  // A nap that should have ended at `wanted` did at `woke`.
  void learn(std::uint64_t wanted, std::uint64_t woke) noexcept {
    if (woke > wanted + margin_) {
      margin_ = std::min(margin_ + margin_ / 2, margin_most_);
    } else {
      shrink();
    }
  }

  // Comes back at once or after a nap, with the time.
  std::uint64_t rest(std::uint64_t now, std::uint64_t until) noexcept {
    const std::uint64_t ticks = nap(now, until);
    if (ticks == 0) return Clock::now();
    Clock::sleep(ticks, multiplier_);
    const std::uint64_t woke = Clock::now();
    learn(now + ticks, woke);
    return woke;
  }

 private:
  // (1 - 1/64)^26 is 1 / 1.5: growing once and shrinking 26 times is where it stays.
  void shrink() noexcept { margin_ = std::max(margin_ - margin_ / 64, margin_least_); }

  std::uint64_t multiplier_;
  std::uint64_t nap_most_;
  std::uint64_t margin_most_;
  std::uint64_t margin_least_;
  std::uint64_t margin_;
  std::uint64_t patience_;
  std::uint64_t try_again_ = 0;
};

// The pace of most runs: as fast as it goes, until the deadline. Costs nothing.
struct Free {
  static constexpr bool governed = false;
  Free(const Worker&, const Board&, Gate&) noexcept {}
  static constexpr bool wait(std::uint64_t&) noexcept { return true; }
  static constexpr void count() noexcept {}
};

// The other pace: due times, an amount of I/O (io_size), or both.
template <class Clock>
class Governor {
 public:
  static constexpr bool governed = true;

  Governor(const Worker& worker, const Board& board, Gate& gate) noexcept
      : board_(board),
        gate_(gate),
        open_(board.load.workload.rate_iops != 0),
        most_(most_ios(board)),
        pacer_(pacer_of(worker, board)),
        alarm_(board.clock, wakes_late_ns()) {}

  // Waits until the next I/O is due; `began` is then since when its latency counts. False: the run
  // is over, or stopped.
  [[nodiscard]] bool wait(std::uint64_t& began) noexcept {
    std::uint64_t now = Clock::now();
    began = now;
    if (!open_) return true;
    const std::uint64_t due = pacer_.due_ticks();
    while (now < due) {
      if (board_.stop.load(std::memory_order_relaxed) != 0) return false;
      if (gate_.reached(now) && !gate_.pass(now)) return false;
      now = alarm_.rest(now, std::min(due, gate_.boundary_ticks()));
    }
    began = due;
    pacer_.advance();
    return true;
  }

  // An I/O has been counted. The first job that has moved io_size ends the run.
  void count() noexcept {
    if (gate_.measuring() && ++counted_ == most_)
      board_.stop.store(stop_moved_enough, std::memory_order_relaxed);
  }

  [[nodiscard]] Pacer& pacer() noexcept { return pacer_; }
  [[nodiscard]] Alarm<Clock>& alarm() noexcept { return alarm_; }

 private:
  // The threads of a job share its io_size evenly.
  static std::uint64_t most_ios(const Board& board) noexcept {
    const std::uint64_t each = std::uint64_t{board.load.block_bytes} * board.workers_per_job;
    return board.load.workload.io_size_bytes / each +
           (board.load.workload.io_size_bytes % each != 0 ? 1 : 0);
  }

  const Board& board_;
  Gate& gate_;
  bool open_;
  std::uint64_t most_;  // 0: any number
  std::uint64_t counted_ = 0;
  Pacer pacer_;
  Alarm<Clock> alarm_;
};

}  // namespace iobenchd::engine
