// Sweeps that wait, oldest first, and the physical devices that are taken. Not safe by itself: the
// scheduler holds its mutex around every call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/sweep.h"

namespace iobenchd::scheduler {

// The device of a target that couldn't be asked: no real one has such a name.
inline constexpr std::string_view unknown_device = "unknown ";

struct QueuedSweep {
  Sweep sweep;
  std::vector<std::string> leaves;  // empty: not asked yet (after a restart)
};

class RunQueue {
 public:
  void push(QueuedSweep entry) { waiting_.push_back(std::move(entry)); }
  // Puts it back where it stood, for one that couldn't be stored as cancelled.
  void put_back(QueuedSweep entry);
  [[nodiscard]] std::optional<QueuedSweep> remove(std::int64_t sweep_id);
  // The oldest whose devices are all free; takes them. In `quiet` hours a scheduled one that hasn't
  // begun is passed over.
  [[nodiscard]] std::optional<QueuedSweep> take_runnable(bool quiet = false);
  // The oldest whose devices nobody has asked about yet; 0: none.
  [[nodiscard]] const Sweep* unasked() const;
  void set_leaves(std::int64_t sweep_id, std::vector<std::string> leaves);

  void release(std::int64_t sweep_id);  // the devices that sweep took
  // The leases (lease_name) that engines of an earlier life hold: who needs one waits.
  void set_locked(std::set<std::string> leases) { locked_ = std::move(leases); }
  [[nodiscard]] bool is_locked(const std::vector<std::string>& leaves) const;
  [[nodiscard]] std::set<std::string> leases_taken() const;
  // Who holds one of these devices; 0: nobody.
  [[nodiscard]] std::int64_t holder(const std::vector<std::string>& leaves) const;
  [[nodiscard]] std::vector<std::string> held_by(std::int64_t sweep_id) const;
  // Every device that a sweep has taken since the daemon started, free or not.
  [[nodiscard]] const std::set<std::string>& known() const { return known_; }

  [[nodiscard]] const Sweep* find(std::int64_t sweep_id) const;
  [[nodiscard]] std::vector<std::string> leaves_of_waiting(std::int64_t sweep_id) const;
  [[nodiscard]] std::optional<std::uint32_t> position(std::int64_t sweep_id) const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(waiting_.size()); }

 private:
  std::deque<QueuedSweep> waiting_;
  std::map<std::string, std::int64_t> taken_;  // leaf -> sweep
  std::set<std::string> locked_;
  std::set<std::string> known_;
};

}  // namespace iobenchd::scheduler
