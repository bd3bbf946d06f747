// Ticks of a quarter second in, samples of a second out. One owner, one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/model/frame.h"
#include "daemon/model/run.h"

namespace iobenchd::scheduler {

class Sampler {
 public:
  // A sample never mixes ramp and measurement: the change of phase ends it, however short it is.
  void add(const TickBody& tick, bool ramp);
  // The last, perhaps shorter, sample included. Leaves the sampler empty.
  [[nodiscard]] std::vector<Sample> take();

 private:
  void close();

  std::vector<Sample> samples_;
  Sample current_;
  Histogram latency_;  // both directions
};

}  // namespace iobenchd::scheduler
