#include "daemon/engine/pacer.h"

namespace iobenchd::engine {

Pacer pacer_of(const Worker& worker, const Board& board) noexcept {
  const Workload& workload = board.load.workload;
  const auto rate = static_cast<double>(std::max<std::uint64_t>(1, workload.rate_iops));
  const double interval_ns = 1e9 * board.workers_per_job / rate;
  const double phase = static_cast<double>(worker.index) / board.worker_count;
  const std::uint64_t seed = board.load.seed + worker.index * 0xA0761D6478BD642F;
  return {board.start_ticks, interval_ns * board.clock.ticks_per_ns(), phase, workload.rate_process,
          ~seed};
}

}  // namespace iobenchd::engine
