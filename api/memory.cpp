#include "api/memory.h"

#include <algorithm>

#include "api/server.h"

namespace iobenchd::api {

std::shared_ptr<Memory> make_memory() {
  return std::make_shared<Memory>();
}

std::shared_ptr<const SweepResult> ResultCache::find(const std::string& uuid) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry.first == uuid; });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return entries_.front().second;
}

void ResultCache::keep(const std::string& uuid, std::shared_ptr<const SweepResult> result) {
  const std::lock_guard lock(mutex_);
  entries_.remove_if([&](const auto& entry) { return entry.first == uuid; });
  entries_.emplace_front(uuid, std::move(result));
  if (entries_.size() > most_) entries_.pop_back();
}

}  // namespace iobenchd::api
