// The story of one run, told from the control thread: make the jobs, open the gate, tick, end.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "daemon/engine/clock.h"
#include "daemon/engine/crew.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/failure.h"
#include "daemon/engine/os.h"
#include "daemon/engine/payload.h"
#include "daemon/engine/results.h"
#include "daemon/engine/sandbox.h"
#include "daemon/model/control.h"

namespace iobenchd::engine {
namespace {

class Run {
 public:
  Run(Outbox& outbox, Board& board)
      : outbox_(outbox), board_(board), calibration_(kernel_trusts_cycles()) {}

  // False: the service went away.
  [[nodiscard]] bool perform(int first_target_fd);

 private:
  [[nodiscard]] bool wait_until_ready();
  void set_off();
  [[nodiscard]] bool wait_until_ended();
  [[nodiscard]] bool listen(std::uint64_t until_ns);
  [[nodiscard]] std::uint64_t next_tick_ns() const noexcept;
  [[nodiscard]] bool is_over(std::uint64_t now_ns) const noexcept;
  [[nodiscard]] bool tick(Phase phase, std::uint64_t until_ns);
  void tell_results(int first_target_fd);

  Outbox& outbox_;
  Board& board_;
  Calibration calibration_;
  Crew crew_{board_, control_fd};
  std::uint64_t start_ns_ = 0, ramp_end_ns_ = 0, deadline_ns_ = 0;
  std::uint64_t last_tick_ns_ = 0;
  Phase phase_ = Phase::starting;       // of the next tick
  Phase told_phase_ = Phase::starting;  // of the last one
  Span told_;                           // cumulative, of the span that ticks tell of
  bool telling_measured_ = false;
};

bool Run::perform(int first_target_fd) {
  FailureBody failure{};
  try {
    if (!crew_.start(failure)) throw failure;
    if (!wait_until_ready()) return false;
    board_.clock = calibration_.settle();
    enter_sandbox(Cell::control);
    if (board_.load.task == Task::trial) board_.stop.store(stop_at_once, std::memory_order_relaxed);
    set_off();
    if (!wait_until_ended()) return false;
  } catch (...) {
    crew_.kill();
    throw;
  }
  tell_results(first_target_fd);
  crew_.join();
  return true;
}

// Listens to service and jobs at once. A stop is passed on; false when the service is gone, and the
// jobs with it.
bool Run::listen(std::uint64_t until_ns) {
  const Outbox::Heard heard = outbox_.listen(crew_.news_fd(), until_ns);
  if (heard == Outbox::Heard::stop) board_.stop.store(stop_at_once, std::memory_order_relaxed);
  if (heard == Outbox::Heard::end) {
    crew_.kill();
    return false;
  }
  FailureBody failure{};
  if (!crew_.take_news(failure)) throw failure;
  return true;
}

bool Run::wait_until_ready() {
  while (!crew_.all_ready())
    if (!listen(PosixClock::now() + tick_ns)) return false;
  return true;
}

void Run::set_off() {
  const std::uint64_t now_ns = PosixClock::now();
  const bool cycles = board_.clock.source == ClockSource::tsc;
  board_.start_ticks = cycles ? cycles_now() : now_ns;
  board_.ramp_end_ticks = board_.start_ticks + board_.clock.to_ticks(board_.load.ramp_ns);
  board_.deadline_ticks = board_.ramp_end_ticks + board_.clock.to_ticks(board_.load.runtime_ns);
  start_ns_ = last_tick_ns_ = now_ns;
  ramp_end_ns_ = start_ns_ + board_.load.ramp_ns;
  deadline_ns_ = ramp_end_ns_ + board_.load.runtime_ns;
  phase_ = board_.load.ramp_ns > 0 ? Phase::ramp : Phase::measure;
  telling_measured_ = phase_ == Phase::measure;
  outbox_.enter(phase_);
  crew_.open_gate();
}

// Ticks end where phases end, so that none tells of two. The last measured one waits a moment for
// completions that were counted but not yet written down.
std::uint64_t Run::next_tick_ns() const noexcept {
  const std::uint64_t regular = last_tick_ns_ + tick_ns;
  if (!outbox_.idle()) return PosixClock::now() + tick_ns;  // wakes when the service has read
  if (phase_ == Phase::ramp) return std::min(regular, ramp_end_ns_);
  if (phase_ == Phase::measure && regular >= deadline_ns_) return deadline_ns_ + tick_ns;
  return regular;
}

// A run that reads back what it has written isn't at its end when a job has moved enough.
bool Run::is_over(std::uint64_t now_ns) const noexcept {
  return now_ns >= deadline_ns_ ||
         (board_.load.workload.verify != 0 && board_.stop.load(std::memory_order_relaxed) != 0);
}

bool Run::wait_until_ended() {
  while (!crew_.all_ended()) {
    const std::uint64_t due = next_tick_ns();
    if (!listen(due)) return false;
    const std::uint64_t now_ns = PosixClock::now();
    if (now_ns < due) continue;
    // However late we are, phases follow one another, and measured time is told as such.
    if (phase_ == Phase::ramp) {
      static_cast<void>(tick(phase_, std::min(now_ns, ramp_end_ns_)));
      if (now_ns >= ramp_end_ns_) phase_ = Phase::measure;
    } else if (phase_ == Phase::measure) {
      if (tick(phase_, std::min(now_ns, deadline_ns_)) && is_over(now_ns))
        phase_ = board_.load.workload.verify != 0 ? Phase::verify : Phase::drain;
    } else {
      // A tick of this phase that has gone out was heard before the next one is due.
      if (phase_ == Phase::verify && told_phase_ == Phase::verify && outbox_.idle())
        board_.may_read_back.store(1, std::memory_order_release);
      static_cast<void>(tick(phase_, now_ns));
    }
  }
  return true;
}

// False: the service is slow, and the next tick tells of this time too.
bool Run::tick(Phase phase, std::uint64_t until_ns) {
  if (phase != Phase::ramp && !telling_measured_) {
    told_ = Span{};
    telling_measured_ = true;
    last_tick_ns_ = ramp_end_ns_;
  }
  if (!outbox_.idle()) return false;
  const Span now = collect(board_, telling_measured_);
  const auto news = [&](Kind kind, std::uint32_t block_bytes) {
    return to_traffic(difference(now.of(kind), told_.of(kind)), block_bytes);
  };
  Frame frame;
  frame.body.tick.read = news(Kind::read, board_.load.block_bytes);
  frame.body.tick.write = news(Kind::write, board_.load.block_bytes);
  frame.body.tick.fsync = news(Kind::fsync, 0);
  if (phase == Phase::verify)
    read_back_so_far(board_, frame.body.tick.done_bytes, frame.body.tick.total_bytes);
  frame.body.tick.span_ns = until_ns > last_tick_ns_ ? until_ns - last_tick_ns_ : 0;
  outbox_.post(frame, FrameKind::tick, phase);
  told_ = now;
  told_phase_ = phase;
  last_tick_ns_ = std::max(last_tick_ns_, until_ns);
  return true;
}

void Run::tell_results(int first_target_fd) {
  if (!calibration_.held()) {
    throw make_failure("clock", 0, 0,
                       "the processor's cycle counter drifted by more than 0.1 % during the run; "
                       "let the kernel use another clocksource, and measure again");
  }
  Frame frame;
  frame.body.final = final_of_run(board_, first_target_fd);
  const FinalBody final = frame.body.final;
  const bool reached = final.measured_ns > 0;
  const Phase last = reached && phase_ == Phase::ramp ? Phase::measure : phase_;
  if (board_.load.task == Task::measure && outbox_.flush())
    static_cast<void>(tick(last, reached ? ramp_end_ns_ + final.measured_ns : PosixClock::now()));

  const std::uint32_t numjobs = board_.load.numjobs;
  for (std::uint32_t first = 0; first < numjobs; first += jobs_per_frame) {
    frame.body.jobs = JobsBody{};
    frame.body.jobs.count = std::min(jobs_per_frame, numjobs - first);
    for (std::uint32_t i = 0; i < frame.body.jobs.count; ++i)
      frame.body.jobs.jobs[i] = figures_of_job(board_, first + i);
    outbox_.post(frame, FrameKind::jobs, Phase::drain);
  }
  frame.body.final = final;
  outbox_.post(frame, FrameKind::final, Phase::drain);
}

}  // namespace

bool measure(Outbox& outbox, const Load& load, int first_target_fd) {
  Board* const board = make_board(load, first_target_fd);
  if (board == nullptr)
    throw make_failure("mmap", ENOMEM, 0, "no memory for this many jobs: ask for less numjobs");
  // Inherited by the jobs; with the board it lives as long as any thread may need it.
  static std::vector<std::byte> pool;
  if (writes(load.rw)) pool = make_pool(load.seed);
  board->pool = pool.data();
  Run run(outbox, *board);
  return run.perform(first_target_fd);
}

}  // namespace iobenchd::engine
