// How a runner waits: for time, for room under the database; and what it says meanwhile.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "daemon/model/error.h"
#include "daemon/scheduler/runner.h"

namespace iobenchd::scheduler {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds nap{20};  // how long a stop may go unnoticed

// What the daemon wants goes before what the user wants: a cancelled sweep is cancelled again.
void Runner::interrupt() noexcept {
  Stop expected = Stop::none;
  stop_.compare_exchange_strong(expected, Stop::interrupt);
}

void Runner::check_stop() const {
  if (stopping()) throw Stopped{};
}

void Runner::rest(std::chrono::nanoseconds time) {
  const Clock::time_point until = Clock::now() + time;
  while (Clock::now() < until) {
    check_stop();
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(nap, until - Clock::now()));
  }
}

// A full database stops the measuring and loses nothing: what must be stored is kept here until it
// can be.
void Runner::stored(const std::function<void()>& action, bool even_when_cancelled) {
  for (;;) {
    try {
      action();
      break;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::storage_full) throw;
      wait_for_room(even_when_cancelled, error.what());
    }
  }
  if (!waits_for_room_) return;
  waits_for_room_ = false;
  board_.wait_for("");
  spdlog::info("sweep {}: the database has room again", sweep_.id);
  publish_state(SweepState::running, "", "");
}

void Runner::wait_for_room(bool even_when_cancelled, const std::string& why) {
  if (!waits_for_room_) {
    waits_for_room_ = true;
    spdlog::error("sweep {}: database_full: {}; it waits until there is room", sweep_.id, why);
    board_.wait_for("database_full: " + why);
    publish_state(SweepState::running, "", "database_full: " + why);
  }
  const Clock::time_point until = Clock::now() + in_.timing.storage_retry;
  while (Clock::now() < until) {
    if (interrupted() || (stopping() && !even_when_cancelled)) throw Stopped{};
    std::this_thread::sleep_for(nap);
  }
}

double Runner::run_seconds() const {
  const SweepSpec& spec = sweep_.spec;
  const double asked = asked_seconds(spec);
  const double each = runs_good_ > 0 ? spent_in_runs_s_ / runs_good_ : asked + run_overhead_seconds;
  return each + static_cast<double>(spec.cooldown_ns) / 1e9;
}

void Runner::expect_rest() {
  board_.count(runs_done_, runs_done_ + schedule_->most_left());
  board_.expect(schedule_->most_left() * run_seconds());
}

void Runner::publish_state(SweepState state, const std::string& answer, const std::string& error) {
  Event event;
  event.sweep_id = sweep_.id;
  event.kind = EventKind::state;
  event.state = state;
  event.answer = answer;
  event.error = error;
  event.progress = board_.now();
  in_.hub.publish(std::move(event));
}

}  // namespace iobenchd::scheduler
