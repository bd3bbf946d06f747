#include "daemon/scheduler/run_queue.h"

#include <algorithm>
#include <utility>

#include "daemon/model/lease.h"

namespace iobenchd::scheduler {

void RunQueue::put_back(QueuedSweep entry) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const QueuedSweep& other) {
    return other.sweep.id > entry.sweep.id;
  });
  waiting_.insert(at, std::move(entry));
}

std::optional<QueuedSweep> RunQueue::remove(std::int64_t sweep_id) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const QueuedSweep& entry) {
    return entry.sweep.id == sweep_id;
  });
  if (at == waiting_.end()) return std::nullopt;
  QueuedSweep entry = std::move(*at);
  waiting_.erase(at);
  return entry;
}

std::optional<QueuedSweep> RunQueue::take_runnable(bool quiet) {
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (quiet && at->sweep.schedule_id != 0 && at->sweep.started_at_ns == 0) continue;
    if (at->leaves.empty() || holder(at->leaves) != 0 || is_locked(at->leaves)) continue;
    QueuedSweep entry = std::move(*at);
    waiting_.erase(at);
    for (const std::string& leaf : entry.leaves) {
      taken_[leaf] = entry.sweep.id;
      if (!leaf.starts_with(unknown_device)) known_.insert(leaf);
    }
    return entry;
  }
  return std::nullopt;
}

const Sweep* RunQueue::unasked() const {
  for (const QueuedSweep& entry : waiting_) {
    if (entry.leaves.empty()) return &entry.sweep;
  }
  return nullptr;
}

void RunQueue::set_leaves(std::int64_t sweep_id, std::vector<std::string> leaves) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const QueuedSweep& entry) {
    return entry.sweep.id == sweep_id;
  });
  if (at != waiting_.end()) at->leaves = std::move(leaves);
}

void RunQueue::release(std::int64_t sweep_id) {
  std::erase_if(taken_, [&](const auto& entry) { return entry.second == sweep_id; });
}

std::int64_t RunQueue::holder(const std::vector<std::string>& leaves) const {
  for (const std::string& leaf : leaves) {
    const auto at = taken_.find(leaf);
    if (at != taken_.end()) return at->second;
  }
  return 0;
}

bool RunQueue::is_locked(const std::vector<std::string>& leaves) const {
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const std::string& leaf) { return locked_.contains(lease_name(leaf)); });
}

std::set<std::string> RunQueue::leases_taken() const {
  std::set<std::string> leases;
  for (const auto& [leaf, id] : taken_) leases.insert(lease_name(leaf));
  return leases;
}

std::vector<std::string> RunQueue::leaves_of_waiting(std::int64_t sweep_id) const {
  for (const QueuedSweep& entry : waiting_) {
    if (entry.sweep.id == sweep_id) return entry.leaves;
  }
  return {};
}

std::vector<std::string> RunQueue::held_by(std::int64_t sweep_id) const {
  std::vector<std::string> leaves;
  for (const auto& [leaf, id] : taken_) {
    if (id == sweep_id) leaves.push_back(leaf);
  }
  return leaves;
}

const Sweep* RunQueue::find(std::int64_t sweep_id) const {
  for (const QueuedSweep& entry : waiting_) {
    if (entry.sweep.id == sweep_id) return &entry.sweep;
  }
  return nullptr;
}

std::optional<std::uint32_t> RunQueue::position(std::int64_t sweep_id) const {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].sweep.id == sweep_id) return static_cast<std::uint32_t>(i + 1);
  }
  return std::nullopt;
}

}  // namespace iobenchd::scheduler
