#include "daemon/scheduler/scheduler.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "daemon/model/clock.h"
#include "daemon/model/error.h"
#include "daemon/model/failpoint.h"
#include "daemon/scheduler/scheduler_state.h"
#include "daemon/scheduler/timetable.h"

namespace iobenchd::scheduler {
namespace {

constexpr std::chrono::milliseconds idle_wait{1'000};
constexpr std::chrono::milliseconds reap_wait{50};

Event state_event(const Sweep& sweep, SweepState state, const std::string& error) {
  Event event;
  event.sweep_id = sweep.id;
  event.kind = EventKind::state;
  event.state = state;
  event.error = error;
  event.progress.runs_total = sweep.plan.runs;
  event.progress.eta_s = sweep.plan.seconds;
  if (state != SweepState::queued) event.progress.phase = SweepPhase::finished;
  return event;
}

}  // namespace

Scheduler::State::State(storage::Store& store_, events::Hub& hub_, EngineHost& host_,
                        const Settings& settings_, MachineProbe machine_, const Timing& timing_)
    : store(store_),
      hub(hub_),
      host(host_),
      machine(std::move(machine_)),
      timing(timing_),
      settings(settings_) {}

Scheduler::Scheduler(storage::Store& store, events::Hub& hub, EngineHost& host,
                     const Settings& settings, MachineProbe machine, const Timing& timing)
    : state_(std::make_unique<State>(store, hub, host, settings, std::move(machine), timing)) {
  state_->take_over();
  const std::lock_guard lock(state_->mutex);
  state_->grow_pool();
}

Scheduler::~Scheduler() {
  stop();
}

// A full or damaged database is no reason not to start: reads are served, and the pool tries again.
void Scheduler::State::take_over() try {
  if (!store.damage().empty()) return;
  const std::uint32_t runs = store.runs().interrupt_running();
  if (runs > 0)
    spdlog::warn("{} interrupted when the daemon ended",
                 runs == 1 ? "1 run was" : std::to_string(runs) + " runs were");
  for (Sweep& sweep : store.sweeps().unfinished()) {
    if (sweep.state == SweepState::running && sweep.spec.on_restart == OnRestart::fail) {
      const std::string why = "the daemon was restarted, and on_restart is \"fail\"";
      store.sweeps().finish(sweep.id, SweepState::failed, "", why);
      meters.count_sweep(SweepState::failed);
      spdlog::warn("sweep {}: failed: {}", sweep.id, why);
      continue;
    }
    if (sweep.state == SweepState::running) store.sweeps().set_queued(sweep.id);
    sweep.state = SweepState::queued;
    spdlog::info("sweep {}: queued again after a restart", sweep.id);
    const std::lock_guard lock(mutex);
    if (queue.find(sweep.id) == nullptr) queue.push({std::move(sweep), {}});
  }
  const std::lock_guard lock(mutex);
  taken_over = true;
} catch (const Error& error) {
  if (!store.damage().empty()) return;  // which the log says already
  if (error.code() != ErrorCode::storage_full) throw;
  spdlog::error("what an earlier life left waits for room under the database: {}", error.what());
}

void Scheduler::State::grow_pool() {
  while (pool.size() < settings.workers) pool.emplace_back([this] { work_in_peace(); });
}

// The one catch of a pool thread: what no runner could handle ends the thread's sweep, not the
// daemon.
void Scheduler::State::work_in_peace() {
  try {
    work();
  } catch (const std::exception& error) {
    spdlog::error("scheduler: a worker ended: {}", error.what());
  }
}

void Scheduler::State::work() {
  remove_leftovers();
  std::unique_lock lock(mutex);
  while (!stopping) {
    reap();
    look_at_leases();
    if (!taken_over) {
      lock.unlock();
      take_over();
      lock.lock();
      if (!taken_over) changed.wait_for(lock, timing.storage_retry);
      continue;
    }
    if (queue.unasked() != nullptr && !asking) {
      ask_leaves(lock);
      continue;
    }
    if (is_time_to_tend()) {
      tend(lock);
      continue;
    }
    // What a damaged database can't keep isn't measured: the queue waits for another life.
    if (running.size() < settings.workers && store.damage().empty()) {
      if (auto entry = queue.take_runnable(in_quiet_hours(settings, wall_now_ns()))) {
        run_sweep(lock, std::move(*entry));
        continue;
      }
    }
    const bool waiting = lingering.empty() && stuck.empty() && !more_to_tend;
    changed.wait_for(lock, waiting ? idle_wait : reap_wait);
  }
}

// After a restart nobody knows yet which devices a queued sweep needs.
void Scheduler::State::ask_leaves(std::unique_lock<std::mutex>& lock) {
  asking = true;
  const Sweep sweep = *queue.unasked();
  lock.unlock();
  // A target that can't be asked is judged by the runner, which says why.
  std::vector<std::string> leaves{std::string(unknown_device) + sweep.plan.target};
  try {
    leaves = lease_names(facts_for(sweep.spec));
  } catch (const Error& error) {
    spdlog::warn("sweep {}: {}", sweep.id, error.what());
  }
  lock.lock();
  asking = false;
  queue.set_leaves(sweep.id, std::move(leaves));
}

void Scheduler::State::run_sweep(std::unique_lock<std::mutex>& lock, QueuedSweep entry) {
  const std::int64_t id = entry.sweep.id;
  Surroundings in{store,
                  hub,
                  host,
                  machine,
                  timing,
                  meters,
                  [this] { return settings_now(); },
                  [this] { return ability(); },
                  [this, id](std::unique_ptr<EngineProcess> process) {
                    spdlog::error(
                        "sweep {}: its engine doesn't end; the disk is stuck until it does", id);
                    const std::lock_guard guard(mutex);
                    lingering.push_back({id, std::move(process)});
                  }};
  const auto runner = std::make_shared<Runner>(std::move(in), std::move(entry.sweep));
  running[id] = runner;
  lock.unlock();
  tell_runner(*runner, id);
  lock.lock();
  running.erase(id);
  release_unless_lingering(id);
  changed.notify_all();
}

void Scheduler::State::tell_runner(Runner& runner, std::int64_t sweep_id) {
  std::string why;
  try {
    return runner.run();
  } catch (const std::exception& error) {
    why = error.what();
  }
  spdlog::error("sweep {}: {}", sweep_id, why);
  try {
    store.sweeps().finish(sweep_id, SweepState::failed, "", why);
    meters.count_sweep(SweepState::failed);
  } catch (const std::exception& error) {
    spdlog::error("sweep {}: its end can't be stored: {}", sweep_id, error.what());
  }
}

void Scheduler::State::reap() {
  std::vector<std::int64_t> ended;
  std::erase_if(lingering, [&](LingeringEngine& engine) {
    if (!engine.process->wait_status()) return false;
    ended.push_back(engine.sweep_id);
    return true;
  });
  for (const std::int64_t id : ended) {
    spdlog::info("sweep {}: its engine has ended at last", id);
    if (running.count(id) == 0) release_unless_lingering(id);
  }
}

void Scheduler::State::release_unless_lingering(std::int64_t sweep_id) {
  const bool lingers =
      std::any_of(lingering.begin(), lingering.end(),
                  [&](const LingeringEngine& engine) { return engine.sweep_id == sweep_id; });
  if (!lingers) queue.release(sweep_id);
}

Plan Scheduler::plan(const SweepSpec& spec) {
  return state_->judge_now(spec).plan;
}

Plan Scheduler::plan_for_later(const SweepSpec& spec) {
  return state_->judge_now(spec, true).plan;
}

Sweep Scheduler::submit(const SweepSpec& spec, std::int64_t schedule_id) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    if (state.stopping) throw Error(ErrorCode::unavailable, "the daemon is stopping");
    if (state.queue.size() + state.being_submitted >= state.settings.queue_limit)
      throw Error(ErrorCode::queue_full, std::to_string(state.settings.queue_limit) +
                                             " sweeps wait already (queue_limit); try again later, "
                                             "or cancel one");
    ++state.being_submitted;
  }
  struct Place {
    State& state;
    ~Place() {
      const std::lock_guard lock(state.mutex);
      --state.being_submitted;
    }
  } place{state};
  if (const std::string damage = state.store.damage(); !damage.empty())
    throw Error(ErrorCode::unavailable, damage);
  Judgement judgement = state.judge_now(spec);
  Sweep sweep;
  sweep.spec = spec;
  sweep.schedule_id = schedule_id;
  sweep.plan = judgement.plan;
  if (state.machine.machine) sweep.host = state.machine.machine().host;
  sweep = state.store.sweeps().create(std::move(sweep));
  failpoint("sweep_stored");
  spdlog::info("sweep {}: queued: {} on {}, at most {} runs", sweep.id, spec.preset,
               sweep.plan.target, sweep.plan.runs);
  state.hub.publish(state_event(sweep, SweepState::queued, ""));
  const std::lock_guard lock(state.mutex);
  state.queue.push({sweep, std::move(judgement.leaves)});
  state.changed.notify_all();
  return sweep;
}

void Scheduler::cancel(std::int64_t sweep_id) {
  State& state = *state_;
  std::optional<QueuedSweep> waiting;
  {
    const std::lock_guard lock(state.mutex);
    const auto at = state.running.find(sweep_id);
    if (at != state.running.end()) return at->second->cancel();
    waiting = state.queue.remove(sweep_id);
  }
  if (!waiting) {
    const auto sweep = state.store.sweeps().find(sweep_id);
    if (!sweep) throw Error(ErrorCode::not_found, "there is no sweep " + std::to_string(sweep_id));
    throw Error(ErrorCode::conflict, "sweep " + std::to_string(sweep_id) +
                                         " is over: " + std::string(to_string(sweep->state)));
  }
  const std::string why = "cancelled by the user";
  try {
    state.store.sweeps().finish(sweep_id, SweepState::cancelled, "", why);
  } catch (const Error&) {
    const std::lock_guard lock(state.mutex);
    state.queue.put_back(std::move(*waiting));
    throw;
  }
  state.meters.count_sweep(SweepState::cancelled);
  spdlog::info("sweep {}: {}", sweep_id, why);
  state.hub.publish(state_event(waiting->sweep, SweepState::cancelled, why));
}

std::optional<Progress> Scheduler::progress(std::int64_t sweep_id) const {
  const std::lock_guard lock(state_->mutex);
  const auto at = state_->running.find(sweep_id);
  if (at != state_->running.end()) return at->second->progress();
  const Sweep* const sweep = state_->queue.find(sweep_id);
  if (sweep == nullptr) return std::nullopt;
  Progress progress;
  progress.runs_done = sweep->runs_done;
  progress.runs_total = std::max(sweep->plan.runs, sweep->runs_done);
  progress.eta_s = sweep->plan.seconds;
  progress.waits_for = state_->why_waiting(state_->queue.leaves_of_waiting(sweep_id));
  return progress;
}

std::optional<std::uint32_t> Scheduler::position(std::int64_t sweep_id) const {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.position(sweep_id);
}

std::uint32_t Scheduler::queued() const {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.size();
}

std::uint32_t Scheduler::running() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::uint32_t>(state_->running.size());
}

std::uint32_t Scheduler::queue_limit() const {
  const std::lock_guard lock(state_->mutex);
  return state_->settings.queue_limit;
}

const Meters& Scheduler::meters() const noexcept {
  return state_->meters;
}

void Scheduler::reload(const Settings& settings) {
  const std::lock_guard lock(state_->mutex);
  state_->settings = settings;
  if (!state_->stopping) state_->grow_pool();
  state_->changed.notify_all();
}

void Scheduler::interrupt() {
  const std::lock_guard lock(state_->mutex);
  state_->stopping = true;
  for (const auto& [id, runner] : state_->running) runner->interrupt();
  state_->changed.notify_all();
}

void Scheduler::stop() {
  interrupt();
  std::vector<std::thread> pool;
  {
    const std::lock_guard lock(state_->mutex);
    pool = std::exchange(state_->pool, {});
  }
  for (std::thread& thread : pool) thread.join();
}

}  // namespace iobenchd::scheduler
