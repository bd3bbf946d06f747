// What becomes of old measurements: a walk over all runs and sweeps once a day, a few at a time.
// One owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "daemon/model/run.h"

namespace iobenchd::storage {

class Connection;
class Database;

inline constexpr std::size_t samples_most = 60;  // that a thinned run keeps

struct RetentionRules {
  std::uint32_t samples_days = 0;  // then the samples of a run are thinned; 0: never
  std::uint32_t sweeps_days = 0;   // then a sweep of our own is deleted; 0: never
  // How much IOPS varied from second to second, which thinned samples can't tell any more. Needed
  // where samples are thinned.
  std::function<double(std::span<const Sample>)> variation;
};

// Neighbours in one, so that at most 60 are left, 10 of them of the ramp: I/Os, bytes and time are
// sums, the mean is weighted by I/Os, maximum and percentiles are the highest of the seconds. More
// than that can't be known of a percentile: it is at most so much.
[[nodiscard]] std::vector<Sample> thinned(std::span<const Sample> samples);

class Retention {
 public:
  // Looks at the next few hundred and changes what is due, in one small transaction. True: the walk
  // goes on. What is pinned is left alone, and so are imported sweeps but for their samples. What
  // couldn't be written is due again the next day.
  [[nodiscard]] bool step(Database& database, const RetentionRules& rules, std::int64_t now_ns);

 private:
  void thin_some(Database& database, const RetentionRules& rules, std::int64_t now_ns);
  void delete_some(Database& database, const RetentionRules& rules, std::int64_t now_ns);

  std::int64_t run_after_ = 0, sweep_after_ = 0;  // where the walk stands
  bool over_ = false;
  std::int64_t over_at_ns_ = 0;
};

}  // namespace iobenchd::storage
