// Housekeeping between the runs: the database, and test files that a crash left.
#include <spdlog/spdlog.h>

#include <chrono>
#include <span>
#include <utility>

#include "daemon/analysis/steady_state.h"
#include "daemon/model/error.h"
#include "daemon/scheduler/scheduler_state.h"
#include "daemon/scheduler/scratch.h"
#include "storage/retention.h"

namespace iobenchd::scheduler {

constexpr std::chrono::milliseconds between_steps{50};

// Never beside a run: what the store writes is felt by a disk under test.
bool Scheduler::State::is_time_to_tend() const {
  return running.empty() && !tending && std::chrono::steady_clock::now() >= tend_next;
}

// One step; between two of them a sweep may begin.
void Scheduler::State::tend(std::unique_lock<std::mutex>& lock) {
  tending = true;
  storage::RetentionRules rules;
  rules.samples_days = settings.retention_samples_days;
  rules.sweeps_days = settings.retention_sweeps_days;
  rules.variation = [](std::span<const Sample> samples) {
    return analysis::variation_of_seconds(samples).value_or(0);
  };
  lock.unlock();
  bool more = false;
  try {
    more = store.tend(rules);
  } catch (const Error& error) {
    spdlog::debug("the database isn't tended now: {}", error.what());
  }
  lock.lock();
  tending = false;
  more_to_tend = more;
  tend_next = std::chrono::steady_clock::now() + (more ? between_steps : timing.tend_every);
}

// Test files of sweeps that are over: a crash left them. A sweep that goes on removes its own; one
// that was told to keep its file keeps it.
void Scheduler::State::remove_leftovers() try {
  std::string directory;
  {
    const std::lock_guard lock(mutex);
    if (std::exchange(leftovers_removed, true)) return;
    directory = text_of(settings.scratch_dir);
  }
  for (const std::string& uuid : scratch_uuids(directory)) {
    const auto id = store.sweeps().find_uuid(uuid);
    const auto sweep = id ? store.sweeps().find(*id) : std::nullopt;
    if (sweep && (sweep->finished_at_ns == 0 || sweep->spec.keep_file)) continue;
    const std::string trouble = remove_scratch(directory, uuid);
    if (trouble.empty())
      spdlog::info("removed the test file {}/{}", directory, scratch_name(uuid));
    else
      spdlog::warn("a test file left over can't be removed: {}", trouble);
  }
} catch (const Error& error) {
  spdlog::warn("test files left over are not removed: {}", error.what());
}

}  // namespace iobenchd::scheduler
