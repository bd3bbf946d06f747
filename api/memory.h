// What handlers remember between requests: the results of finished sweeps, the sweet spots that
// metrics tell, and whose turn it is with an Idempotency-Key. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

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

// A curve's sweet spot, and of which sweep it was. at: 0: it has none.
struct CurveSpot {
  std::string target, ioengine;
  Setting setting;
  std::uint32_t at = 0, low = 0, high = 0;
  std::int64_t finished_at_ns = 0;
};

struct SpotMemory {
  std::mutex mutex;
  std::map<std::string, std::vector<CurveSpot>> by_sweep;  // uuid; guarded by mutex
};

struct Memory {
  ResultCache results{32};
  SpotMemory spots;
  std::mutex keyed_posts;  // two requests with one key at one time must make one sweep
};

}  // namespace iobenchd::api
