// From the workers' growing counters to what frames carry. Used by the control thread; the workers
// never subtract or add up.
#pragma once

#include "daemon/engine/worker.h"

namespace iobenchd::engine {

// Merges what all workers have of one span. Kinds that this load doesn't have stay empty.
[[nodiscard]] Span collect(const Board& board, bool measured) noexcept;
[[nodiscard]] Traffic to_traffic(const Histogram& latency, std::uint32_t block_bytes) noexcept;

// How far the last pass of verify is.
void read_back_so_far(const Board& board, std::uint64_t& done_bytes,
                      std::uint64_t& total_bytes) noexcept;

// After the run.
[[nodiscard]] JobFigures figures_of_job(const Board& board, std::uint32_t job) noexcept;
[[nodiscard]] FinalBody final_of_run(const Board& board, int first_target_fd) noexcept;

}  // namespace iobenchd::engine
