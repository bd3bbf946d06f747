// What the scheduler knows of disks: the facts behind a judgement, and the list of targets.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "daemon/model/clock.h"
#include "daemon/model/error.h"
#include "daemon/scheduler/leases.h"
#include "daemon/scheduler/plan_target.h"
#include "daemon/scheduler/scheduler_state.h"

namespace iobenchd::scheduler {
namespace {

constexpr std::chrono::seconds stuck_told_after{2};

bool is_glob(const std::string& pattern) {
  return pattern.find_first_of("*?[") != std::string::npos;
}

std::string real_path_of(const TargetFacts& facts) {
  const std::string real = text_of(facts.real_path);
  return real.empty() ? text_of(facts.path) : real;
}

bool listed(const std::vector<TargetView>& views, const std::string& path) {
  return std::any_of(views.begin(), views.end(), [&](const TargetView& view) {
    return text_of(view.facts.path) == path || real_path_of(view.facts) == path;
  });
}

TargetFacts ask_one(EngineHost& host, const std::string& path) {
  std::vector<TargetFacts> facts = host.probe(path);
  if (facts.empty()) throw Error(ErrorCode::unavailable, path + " didn't answer");
  return facts.front();
}

void allow(TargetView& view, const Settings& settings) {
  const AllowedTarget* const entry = find_allowed(settings, real_path_of(view.facts));
  view.allowed = entry != nullptr || view.scratch;
  // The scratch directory is written to only in files of the daemon's own.
  view.may_write = view.scratch || (entry != nullptr && entry->write != 0 && is_device(view.facts));
  view.read_in_use = entry != nullptr && entry->read_in_use != 0;
}

void find_neighbours(std::vector<TargetView>& views) {
  for (TargetView& view : views) {
    const std::vector<std::string> leaves = leaves_of(view.facts);
    for (const TargetView& other : views) {
      if (&other == &view) continue;
      const std::vector<std::string> theirs = leaves_of(other.facts);
      const bool shared = std::any_of(leaves.begin(), leaves.end(), [&](const std::string& leaf) {
        return std::find(theirs.begin(), theirs.end(), leaf) != theirs.end();
      });
      if (shared) view.shares_device_with.push_back(text_of(other.facts.path));
    }
  }
}

// Flash wears: a day of sweeps may write so much to one target, and no more by oversight.
void judge_budget(const Plan& plan, std::uint64_t budget_bytes, std::uint64_t spent) {
  if (plan.write_bytes == 0) return;
  const std::uint64_t left = budget_bytes > spent ? budget_bytes - spent : 0;
  if (plan.write_bytes <= left) return;
  throw Error(ErrorCode::confirmation_needed, "size",
              "this sweep would write " + std::to_string(plan.write_bytes) + " bytes to " +
                  plan.target + ", and " + std::to_string(left) + " of its write_budget (" +
                  std::to_string(budget_bytes) +
                  " bytes in 24 h) are left; ask for a smaller size, wait, or raise write_budget "
                  "in iobenchd.conf");
}

}  // namespace

// A device that is held and not measured waits for an engine that doesn't end; so does one whose
// lease an engine of the daemon's last life still has.
TargetState Scheduler::State::state_of(std::int64_t holder,
                                       const std::vector<std::string>& leaves) const {
  if (holder == 0) return queue.is_locked(leaves) ? TargetState::stuck : TargetState::free;
  return running.count(holder) != 0 ? TargetState::busy : TargetState::stuck;
}

Settings Scheduler::State::settings_now() {
  const std::lock_guard lock(mutex);
  return settings;
}

Ability Scheduler::State::ability() {
  Ability ability;
  ability.layout_per_job = machine.layout_per_job;
  ability.why_no_io_uring = "this system has none";
  if (machine.machine) ability.memory_bytes = machine.machine().memory_bytes;
  if (machine.io_uring) ability.io_uring = machine.io_uring(ability.why_no_io_uring);
  if (machine.device_counters && machine.counters_while_measuring)
    ability.counts = [this](const std::string& leaf) {
      return machine.device_counters(leaf).known;
    };
  std::string directory;
  {
    const std::lock_guard lock(mutex);
    ability.scratch_real_dir = scratch_real_dir;
    directory = text_of(settings.scratch_dir);
  }
  if (!ability.scratch_real_dir.empty() || directory.empty()) return ability;
  ability.scratch_real_dir = real_path_of(ask_one(host, directory));
  const std::lock_guard lock(mutex);
  scratch_real_dir = ability.scratch_real_dir;  // it needs a restart to change
  return ability;
}

TargetFacts Scheduler::State::facts_for(const SweepSpec& spec) {
  return ask_one(host, spec.target.empty() ? text_of(settings_now().scratch_dir) : spec.target);
}

// An engine that is stuck in the kernel keeps its lease over the end of the daemon that started it.
void Scheduler::State::look_at_leases() {
  const std::set<std::string> locked =
      locked_leases(text_of(settings.database), queue.leases_taken());
  const auto now = std::chrono::steady_clock::now();
  for (const std::string& name : locked) {
    StuckLease& lease = stuck.try_emplace(name, StuckLease{now}).first->second;
    if (lease.told || now - lease.since < stuck_told_after) continue;
    lease.told = true;
    spdlog::error("{} is held by an engine of an earlier life that doesn't end: its disk is stuck",
                  name);
  }
  std::erase_if(stuck, [&](const auto& entry) {
    if (locked.contains(entry.first)) return false;
    if (entry.second.told) spdlog::info("{} is free again", entry.first);
    return true;
  });
  queue.set_locked(locked);
}

std::string Scheduler::State::why_waiting(const std::vector<std::string>& leaves) const {
  if (queue.is_locked(leaves))
    return "the disk is stuck: an engine from before the daemon's last start doesn't end";
  const std::int64_t holder = queue.holder(leaves);
  if (holder == 0 || running.count(holder) != 0) return "";
  return "the disk is stuck: the engine of sweep " + std::to_string(holder) + " doesn't end";
}

Judgement Scheduler::State::judge_now(const SweepSpec& spec, bool for_later) {
  // What is wrong whatever the target is needs no disk to be asked; a path that is none least.
  std::vector<FieldError> errors = validate(spec);
  const bool no_path = std::any_of(errors.begin(), errors.end(),
                                   [](const FieldError& error) { return error.field == "target"; });
  if (no_path) {
    const std::string first = errors.front().field + ": " + errors.front().message;
    throw Error(first, std::move(errors));
  }
  const Settings settings_of_now = settings_now();
  Judgement judgement = judge(spec, facts_for(spec), settings_of_now, ability());
  constexpr std::int64_t day_ns = std::int64_t{24} * 3600 * 1'000'000'000;
  const std::uint64_t spent =
      for_later ? 0 : store.sweeps().planned_writes(judgement.plan.target, wall_now_ns() - day_ns);
  judge_budget(judgement.plan, settings_of_now.write_budget_bytes, spent);
  return judgement;
}

std::vector<TargetView> Scheduler::targets() {
  State& state = *state_;
  const Settings settings = state.settings_now();
  std::vector<TargetView> views;
  TargetView scratch;
  scratch.scratch = true;
  scratch.facts = ask_one(state.host, text_of(settings.scratch_dir));
  views.push_back(scratch);
  for (const TargetFacts& facts : state.host.probe("")) {
    TargetView view;
    view.facts = facts;
    views.push_back(view);
  }
  for (std::uint32_t i = 0; i < settings.target_count && i < max_allowed_targets; ++i) {
    const std::string pattern = text_of(settings.targets[i].pattern);
    if (is_glob(pattern) || listed(views, pattern)) continue;
    TargetView view;
    view.facts = ask_one(state.host, pattern);
    views.push_back(view);
  }
  for (TargetView& view : views) allow(view, settings);
  find_neighbours(views);
  const std::lock_guard lock(state.mutex);
  state.look_at_leases();
  for (TargetView& view : views) {
    const std::vector<std::string> leaves = lease_names(view.facts);
    view.sweep_id = state.queue.holder(leaves);
    view.state = state.state_of(view.sweep_id, leaves);
  }
  return views;
}

std::vector<DeviceView> Scheduler::devices() const {
  const std::lock_guard lock(state_->mutex);
  state_->look_at_leases();
  std::vector<DeviceView> views;
  for (const std::string& name : state_->queue.known()) {
    const std::vector<std::string> leaves{name};
    views.push_back({name, state_->state_of(state_->queue.holder(leaves), leaves)});
  }
  return views;
}

Circumstances Scheduler::system() const {
  return state_->machine.machine ? state_->machine.machine() : Circumstances{};
}

}  // namespace iobenchd::scheduler
