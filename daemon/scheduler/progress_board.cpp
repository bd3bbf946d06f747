#include "daemon/scheduler/progress_board.h"

#include <algorithm>
#include <utility>

namespace iobenchd::scheduler {
namespace {

constexpr std::chrono::milliseconds spacing{250};
constexpr std::chrono::milliseconds tolerance{50};  // ticks come every 250 ms, not exactly

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

ProgressBoard::ProgressBoard(events::Hub& hub, std::int64_t sweep_id)
    : hub_(hub), sweep_id_(sweep_id) {}

void ProgressBoard::count(std::uint32_t runs_done, std::uint32_t runs_total) {
  const std::lock_guard lock(mutex_);
  progress_.runs_done = runs_done;
  progress_.runs_total = runs_total;
}

void ProgressBoard::expect(double seconds) {
  const std::lock_guard lock(mutex_);
  expected_seconds_ = seconds;
  expected_at_ = Clock::now();
}

void ProgressBoard::enter(SweepPhase phase) {
  const std::lock_guard lock(mutex_);
  if (phase == SweepPhase::layout || phase == SweepPhase::precondition)
    layout_began_ = Clock::now();
  progress_.phase = phase;
  progress_.has_current = false;
  progress_.iops = progress_.latency_mean_ns = 0;
  tell();
}

void ProgressBoard::enter(SweepPhase phase, const Setting& current) {
  const std::lock_guard lock(mutex_);
  if (progress_.phase == phase && progress_.has_current && progress_.current == current) return;
  progress_.phase = phase;
  progress_.has_current = true;
  progress_.current = current;
  tell();
}

void ProgressBoard::wait_for(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (!what.empty()) progress_.phase = SweepPhase::waiting;
  progress_.waits_for = what;
  tell();
}

void ProgressBoard::tick(double iops, double latency_mean_ns) {
  const std::lock_guard lock(mutex_);
  progress_.iops = iops;
  progress_.latency_mean_ns = latency_mean_ns;
  tell();
}

void ProgressBoard::layout(std::uint64_t done_bytes, std::uint64_t total_bytes,
                           double rest_seconds) {
  const std::lock_guard lock(mutex_);
  progress_.layout_done_bytes = done_bytes;
  progress_.layout_total_bytes = total_bytes;
  const Clock::time_point now = Clock::now();
  const double spent = seconds_between(layout_began_, now);
  if (done_bytes > 0) {
    const auto left = static_cast<double>(total_bytes - std::min(done_bytes, total_bytes));
    expected_seconds_ = rest_seconds + left * spent / static_cast<double>(done_bytes);
    expected_at_ = now;
  }
  tell();
}

Progress ProgressBoard::now() const {
  const std::lock_guard lock(mutex_);
  return now_locked();
}

Progress ProgressBoard::now_locked() const {
  Progress progress = progress_;
  const Clock::time_point now = Clock::now();
  progress.eta_s = std::max(0.0, expected_seconds_ - seconds_between(expected_at_, now));
  const double spent = seconds_between(born_, now);
  progress.fraction = progress.phase == SweepPhase::finished ? 1
                      : spent + progress.eta_s > 0           ? spent / (spent + progress.eta_s)
                                                             : 0;
  return progress;
}

// Never more than four a second on average, and never a thread that waits for its turn: what is
// left out is in the next one.
void ProgressBoard::tell() {
  const Clock::time_point now = Clock::now();
  if (now + tolerance < due_) return;
  due_ = std::max(due_, now) + spacing;
  Event event;
  event.sweep_id = sweep_id_;
  event.kind = EventKind::progress;
  event.progress = now_locked();
  event.state = SweepState::running;
  hub_.publish(std::move(event));
}

}  // namespace iobenchd::scheduler
