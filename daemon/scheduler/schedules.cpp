#include "daemon/scheduler/schedules.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "daemon/model/error.h"
#include "daemon/scheduler/plan_target.h"
#include "daemon/scheduler/regression.h"
#include "daemon/scheduler/timetable.h"

namespace iobenchd::scheduler {
namespace {

bool is_under_way(const SweepSchedule& schedule) {
  return schedule.last_outcome == LastOutcome::queued ||
         schedule.last_outcome == LastOutcome::running;
}

Error no_such_schedule() {
  return Error(ErrorCode::not_found, "there is no such schedule; GET /api/v1/schedules lists them");
}

void check(const SweepSchedule& wish) {
  std::vector<FieldError> errors = validate(wish);
  if (errors.empty()) return;
  const std::string first = errors.front().field + ": " + errors.front().message;
  throw Error(first, std::move(errors));
}

// What is wrong with the sweep stands under the name that it has in a schedule.
void judge_spec(Scheduler& scheduler, const SweepSpec& spec) {
  try {
    static_cast<void>(scheduler.plan_for_later(spec));
  } catch (const Error& error) {
    std::vector<FieldError> fields = error.fields();
    if (fields.empty()) throw;
    for (FieldError& field : fields) field.field = "sweep." + field.field;
    if (fields.size() == 1)
      throw Error(error.code(), fields[0].field, fields[0].message, error.destroys());
    throw Error(error.what(), std::move(fields));
  }
}

// Of what submit() throws: the budget is a matter of time, a phrase that is missing is not.
bool is_of_budget(const Error& error) {
  return error.code() == ErrorCode::confirmation_needed && !error.fields().empty() &&
         error.fields().front().field == "size";
}

// Nobody asks over HTTP for what a schedule overwrites: it leaves its row here.
void note_overwrite(storage::Store& store, const Sweep& sweep) {
  if (sweep.spec.target.empty() || !writes_any(sweep.spec)) return;
  AuditEntry entry;
  entry.kind = AuditKind::overwrite;
  entry.peer = "schedule " + std::to_string(sweep.schedule_id);
  try {
    entry.what = overwrite_text(sweep, store);
    store.audit().add({entry});
  } catch (const Error& error) {
    spdlog::error("schedule {}: its row of the audit trail can't be written: {}", sweep.schedule_id,
                  error.what());
  }
}

}  // namespace

Schedules::Schedules(storage::Store& store, Scheduler& scheduler, const Settings& settings,
                     std::function<double()> load_average, WallClock now,
                     const ScheduleTiming& timing)
    : store_(store),
      scheduler_(scheduler),
      load_average_(std::move(load_average)),
      now_(std::move(now)),
      timing_(timing),
      settings_(settings) {
  // A damaged database may still have its sweeps, when its schedules can't be read any more.
  try {
    schedules_ = store_.schedules().list();
    take_over();
  } catch (const Error&) {
    if (store_.damage().empty()) throw;
  }
}

Schedules::~Schedules() {
  stop();
}

// A sweep may have been queued just before the end, and its schedule not told: it isn't queued
// twice.
void Schedules::take_over() {
  for (SweepSchedule& schedule : schedules_) {
    storage::SweepFilter filter;
    filter.schedule_id = schedule.id;
    const auto newest = store_.sweeps().list(filter, 0, 1).items;
    if (newest.empty() || newest.front().id <= schedule.last_sweep_id) continue;
    schedule.last_sweep_id = newest.front().id;
    schedule.last_at_ns = newest.front().created_at_ns;
    schedule.last_outcome = LastOutcome::queued;
    if (!schedule.paused) advance(schedule, std::max(schedule.last_at_ns, schedule.due_at_ns));
    keep(schedule);
  }
}

void Schedules::start() {
  thread_ = std::thread([this] { work(); });
}

void Schedules::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Schedules::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    try {
      // A damaged database takes nothing in, and has said so.
      if (store_.damage().empty()) look();
    } catch (const std::exception& error) {
      spdlog::error("schedules: {}", error.what());
    }
    lock.lock();
    if (!stopping_) changed_.wait_for(lock, timing_.look);
  }
}

std::vector<SweepSchedule> Schedules::list() const {
  const std::lock_guard lock(mutex_);
  return schedules_;
}

SweepSchedule Schedules::find(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  for (const SweepSchedule& schedule : schedules_)
    if (schedule.id == id) return schedule;
  throw no_such_schedule();
}

SweepSchedule Schedules::create(const SweepSchedule& wish) {
  check(wish);
  judge_spec(scheduler_, wish.spec);
  const std::lock_guard working(work_);
  if (list().size() >= schedules_most)
    throw Error(ErrorCode::conflict, "there are " + std::to_string(schedules_most) +
                                         " schedules already; delete one first");
  SweepSchedule schedule;
  schedule.label = wish.label;
  schedule.when = wish.when;
  schedule.max_load = wish.max_load;
  schedule.paused = wish.paused;
  schedule.spec = wish.spec;
  schedule.anchor_ns = now_();
  schedule = store_.schedules().create(std::move(schedule));
  set_next(schedule, schedule.anchor_ns);  // its seed is known now
  store_.schedules().change(schedule);
  const std::lock_guard lock(mutex_);
  schedules_.insert(schedules_.begin(), schedule);
  spdlog::info("schedule {}: made; first run {}", schedule.id,
               schedule.paused ? "when it is resumed" : rfc3339(schedule.next_at_ns));
  return schedule;
}

SweepSchedule Schedules::change(std::int64_t id, const SweepSchedule& wish) {
  check(wish);
  const bool asks_anew = find(id).spec != wish.spec;
  if (asks_anew) judge_spec(scheduler_, wish.spec);
  const std::lock_guard working(work_);
  SweepSchedule schedule = find(id);
  const bool starts_anew = schedule.when != wish.when || (schedule.paused && !wish.paused);
  schedule.label = wish.label;
  schedule.when = wish.when;
  schedule.max_load = wish.max_load;
  schedule.paused = wish.paused;
  if (asks_anew) {
    // Another load has other figures: what was measured before is no measure of it.
    schedule.spec = wish.spec;
    schedule.judged_after_id = schedule.last_sweep_id;
    schedule.regression.reset();
  }
  if (starts_anew || schedule.paused) {
    schedule.anchor_ns = now_();
    set_next(schedule, schedule.anchor_ns);
    schedule.waits_for = WaitsFor::nothing;
  }
  store_.schedules().change(schedule);
  tried_at_ns_.erase(id);
  show(schedule);
  spdlog::info("schedule {}: changed; next run {}", id,
               schedule.paused ? "when it is resumed" : rfc3339(schedule.next_at_ns));
  return schedule;
}

void Schedules::remove(std::int64_t id) {
  const std::lock_guard working(work_);
  static_cast<void>(find(id));
  store_.schedules().remove(id);
  tried_at_ns_.erase(id);
  const std::lock_guard lock(mutex_);
  std::erase_if(schedules_, [&](const SweepSchedule& schedule) { return schedule.id == id; });
  spdlog::info("schedule {}: deleted", id);
}

void Schedules::reload(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  changed_.notify_all();
}

Settings Schedules::settings_now() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Schedules::look() {
  const std::lock_guard working(work_);
  for (SweepSchedule& schedule : list()) look_at(std::move(schedule));
}

void Schedules::look_at(SweepSchedule schedule) {
  follow(schedule);
  if (schedule.paused) return;
  const std::int64_t now_ns = now_();
  // The clock was put back: what is due by the old one would be waited for too long.
  if (schedule.next_at_ns - now_ns > longest_wait_ns(schedule.when)) {
    set_next(schedule, now_ns);
    schedule.waits_for = WaitsFor::nothing;
    keep(schedule);
    spdlog::info("schedule {}: the clock was put back; next run {}", schedule.id,
                 rfc3339(schedule.next_at_ns));
  }
  if (now_ns < schedule.next_at_ns) return;
  std::string why;
  const WaitsFor what = why_not_now(schedule, now_ns, why);
  if (what != WaitsFor::nothing) return wait(schedule, what, why);
  tried_at_ns_[schedule.id] = now_ns;
  run(schedule, now_ns);
}

// Of its last sweep: still queued, running, or over and to be judged.
void Schedules::follow(SweepSchedule& schedule) {
  if (!is_under_way(schedule)) return;
  if (scheduler_.progress(schedule.last_sweep_id)) {
    const bool waits = scheduler_.position(schedule.last_sweep_id).has_value();
    schedule.last_outcome = waits ? LastOutcome::queued : LastOutcome::running;
    return show(schedule);
  }
  const auto sweep = store_.sweeps().find(schedule.last_sweep_id);
  if (sweep && sweep->finished_at_ns == 0) return;  // not taken up yet after a restart
  schedule.last_outcome = sweep ? outcome_of(sweep->state) : LastOutcome::none;
  schedule.last_error = sweep ? sweep->error : "its sweep was deleted";
  if (sweep && sweep->state == SweepState::done) judge(schedule, *sweep);
  keep(schedule);
}

void Schedules::judge(SweepSchedule& schedule, const Sweep& sweep) {
  const RegressionFinding found = find_regression(store_, sweep, schedule.judged_after_id);
  if (!found.comparable) return;
  if (found.sentence.empty()) {
    if (schedule.regression) spdlog::info("schedule {}: no longer worse than before", schedule.id);
    return schedule.regression.reset();
  }
  if (!schedule.regression)
    schedule.regression = Regression{sweep.finished_at_ns, sweep.id, found.sentence};
  schedule.regression->sentence = found.sentence;
  spdlog::warn("schedule {}: regression in sweep {}: {}", schedule.id, sweep.id, found.sentence);
}

WaitsFor Schedules::why_not_now(const SweepSchedule& schedule, std::int64_t now_ns,
                                std::string& why) {
  if (is_under_way(schedule)) {
    why = "sweep " + std::to_string(schedule.last_sweep_id) + " of it is not over";
    return WaitsFor::queue;
  }
  if (in_quiet_hours(settings_now(), now_ns)) {
    why = "in quiet_hours nothing is started by a schedule";
    return WaitsFor::quiet_hours;
  }
  // A machine under load isn't asked every second; a clock that was put back doesn't make it never.
  const auto tried = tried_at_ns_.find(schedule.id);
  const std::int64_t retry_ns = std::chrono::nanoseconds(timing_.retry).count();
  const bool waits =
      schedule.waits_for == WaitsFor::load || schedule.waits_for == WaitsFor::budget ||
      schedule.waits_for == WaitsFor::unavailable || schedule.waits_for == WaitsFor::queue;
  if (waits && tried != tried_at_ns_.end() && now_ns >= tried->second &&
      now_ns - tried->second < retry_ns) {
    why = schedule.last_error;
    return schedule.waits_for;
  }
  if (!schedule.max_load || !load_average_) return WaitsFor::nothing;
  const double load = load_average_();
  if (!(load > *schedule.max_load)) return WaitsFor::nothing;
  tried_at_ns_[schedule.id] = now_ns;
  why = fmt::format("the load average is {:.2f}, above max_load {:.2f}", load, *schedule.max_load);
  return WaitsFor::load;
}

void Schedules::run(SweepSchedule& schedule, std::int64_t now_ns) {
  SweepSpec spec = schedule.spec;
  if (spec.label.empty()) spec.label = schedule.label;
  try {
    const Sweep sweep = scheduler_.submit(spec, schedule.id);
    schedule.last_sweep_id = sweep.id;
    note_overwrite(store_, sweep);
    schedule.last_outcome = LastOutcome::queued;
    schedule.last_error.clear();
  } catch (const Error& error) {
    if (is_of_budget(error)) return wait(schedule, WaitsFor::budget, error.what());
    if (error.code() == ErrorCode::queue_full) return wait(schedule, WaitsFor::queue, error.what());
    if (error.code() == ErrorCode::storage_full || error.code() == ErrorCode::unavailable)
      return wait(schedule, WaitsFor::unavailable, error.what());
    schedule.last_outcome = LastOutcome::refused;
    schedule.last_error = error.what();
    spdlog::warn("schedule {}: its sweep was refused: {}", schedule.id, error.what());
  }
  schedule.last_at_ns = now_ns;
  const std::uint64_t missed_before = schedule.missed;
  advance(schedule, now_ns);
  schedule.waits_for = WaitsFor::nothing;
  tried_at_ns_.erase(schedule.id);
  keep(schedule);
  if (schedule.missed > missed_before)
    spdlog::warn("schedule {}: {} were missed and are not made up for", schedule.id,
                 schedule.missed - missed_before == 1
                     ? "1 more run"
                     : std::to_string(schedule.missed - missed_before) + " more runs");
}

// Said once in the log, and as long as it lasts by the schedule.
void Schedules::wait(SweepSchedule& schedule, WaitsFor what, const std::string& why) {
  if (schedule.waits_for != what)
    spdlog::info("schedule {}: due, and waits for {}: {}", schedule.id, to_string(what), why);
  schedule.waits_for = what;
  schedule.last_error = why;
  show(schedule);
}

void Schedules::set_next(SweepSchedule& schedule, std::int64_t after_ns) const {
  schedule.due_at_ns = schedule.next_at_ns = 0;
  if (schedule.paused) return;
  schedule.due_at_ns = next_occurrence(schedule.when, schedule.anchor_ns, after_ns);
  schedule.next_at_ns =
      schedule.due_at_ns + jitter_of(schedule.when, schedule.seed, schedule.due_at_ns);
}

void Schedules::advance(SweepSchedule& schedule, std::int64_t now_ns) const {
  schedule.missed +=
      occurrences_between(schedule.when, schedule.anchor_ns, schedule.due_at_ns, now_ns);
  set_next(schedule, std::max(now_ns, schedule.due_at_ns));
}

// To those who ask.
void Schedules::show(const SweepSchedule& schedule) {
  const std::lock_guard lock(mutex_);
  for (SweepSchedule& shown : schedules_)
    if (shown.id == schedule.id) shown = schedule;
}

// And to those who ask after a restart. Without room it is shown nevertheless, and stored with the
// next change; a sweep that it queued is found by its own row then.
void Schedules::keep(const SweepSchedule& schedule) {
  show(schedule);
  try {
    store_.schedules().change(schedule);
  } catch (const Error& error) {
    spdlog::error("schedule {}: its state can't be stored: {}", schedule.id, error.what());
  }
}

}  // namespace iobenchd::scheduler
