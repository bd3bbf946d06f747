#include "api/audit_trail.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace iobenchd::api {
namespace {

constexpr std::chrono::milliseconds first_wait{500};  // for what comes right after the first

bool is_same(const AuditEntry& one, const AuditEntry& other) {
  return one.status == other.status && one.peer == other.peer && one.token == other.token;
}

AuditEntry others(const AuditEntry& last) {
  AuditEntry entry;
  entry.at_ns = last.at_ns;
  entry.peer = "others";
  entry.what = "from more addresses than are told apart";
  return entry;
}

}  // namespace

void RefusedFold::add(AuditEntry entry) {
  auto found = std::find_if(rows_.begin(), rows_.end(),
                            [&](const AuditEntry& row) { return is_same(row, entry); });
  if (found == rows_.end() && rows_.size() < rows_most) {
    rows_.push_back(std::move(entry));
    return;
  }
  if (found == rows_.end() && rows_.size() == rows_most) {
    rows_.push_back(others(entry));
    return;
  }
  AuditEntry& row = found == rows_.end() ? rows_.back() : *found;
  row.times += entry.times;
  row.at_ns = entry.at_ns;
}

AuditTrail::AuditTrail(Keep keep, std::chrono::milliseconds spacing)
    : keep_(std::move(keep)), spacing_(spacing) {}

AuditTrail::~AuditTrail() {
  stop();
}

void AuditTrail::start() {
  thread_ = std::thread([this] { work(); });
}

void AuditTrail::refused(AuditEntry entry) {
  {
    const std::lock_guard lock(mutex_);
    const bool was_empty = fold_.empty();
    fold_.add(std::move(entry));
    if (!was_empty) return;
  }
  changed_.notify_all();
}

void AuditTrail::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void AuditTrail::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !fold_.empty(); });
    changed_.wait_for(lock, std::min(first_wait, spacing_), [this] { return stopping_; });
    const bool last = stopping_;  // told while a write failed: there is one more try
    if (!fold_.empty()) write(lock);
    if (last) return;
    changed_.wait_for(lock, spacing_, [this] { return stopping_; });
  }
}

// What can't be kept now is tried again with what comes until then.
void AuditTrail::write(std::unique_lock<std::mutex>& lock) {
  RefusedFold taken = std::exchange(fold_, {});
  lock.unlock();
  bool kept = true;
  try {
    keep_(taken.rows());
  } catch (const std::exception& error) {
    kept = false;
    spdlog::warn("audit: what was refused can't be written: {}", error.what());
  }
  lock.lock();
  if (kept) return;
  for (const AuditEntry& entry : fold_.rows()) taken.add(entry);
  fold_ = std::move(taken);
}

}  // namespace iobenchd::api
