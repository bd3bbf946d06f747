// Who was sent away, for the audit trail. The same from the same address is one row a minute, and
// so are all addresses beyond the first few: whoever is refused can fill neither memory nor disk.
// A thread of its own writes, so that no answer waits for the disk. Safe from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "daemon/model/audit.h"

namespace iobenchd::api {

// What is refused until the next write. One owner.
class RefusedFold {
 public:
  static constexpr std::size_t rows_most = 32;

  void add(AuditEntry entry);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  [[nodiscard]] const std::vector<AuditEntry>& rows() const noexcept { return rows_; }

 private:
  std::vector<AuditEntry> rows_;  // the last one of rows_most + 1 is "others"
};

class AuditTrail {
 public:
  using Keep = std::function<void(const std::vector<AuditEntry>&)>;  // may throw

  explicit AuditTrail(Keep keep, std::chrono::milliseconds spacing = std::chrono::minutes(1));
  ~AuditTrail();  // stop()
  AuditTrail(const AuditTrail&) = delete;
  AuditTrail& operator=(const AuditTrail&) = delete;

  void start();
  void refused(AuditEntry entry);
  void stop();  // writes what there is; idempotent

 private:
  using Clock = std::chrono::steady_clock;
  void work();
  void write(std::unique_lock<std::mutex>& lock);

  const Keep keep_;
  const std::chrono::milliseconds spacing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  RefusedFold fold_;  // guarded by mutex_
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace iobenchd::api
