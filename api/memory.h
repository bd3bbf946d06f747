// What handlers remember between requests: the results of finished sweeps, and whose turn it is
// with an Idempotency-Key. Safe from any thread.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "daemon/model/curve.h"

namespace iobenchd::api {

// The last few results, the one asked for longest ago forgotten first. Keyed by the sweep's uuid: a
// number may be used again after a delete, a uuid never.
class ResultCache {
 public:
  explicit ResultCache(std::size_t most) : most_(most) {}

  [[nodiscard]] std::shared_ptr<const SweepResult> find(const std::string& uuid);
  void keep(const std::string& uuid, std::shared_ptr<const SweepResult> result);

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const SweepResult>>> entries_;  // latest first
};

struct Memory {
  ResultCache results{32};
  std::mutex keyed_posts;  // two requests with one key at one time must make one sweep
};

}  // namespace iobenchd::api
