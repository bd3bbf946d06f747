#include "daemon/engine/results.h"

#include <algorithm>

#include "daemon/engine/os.h"

namespace iobenchd::engine {
namespace {

std::uint64_t whole_word(const std::uint64_t& word) noexcept {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// Merges a histogram whose owner goes on adding to it: the count is what the copied buckets hold,
// so that every frame is consistent in itself.
void merge_live(Histogram& into, const Histogram& live) noexcept {
  for (std::size_t i = 0; i < live.buckets.size(); ++i) {
    const std::uint64_t bucket = whole_word(live.buckets[i]);
    into.buckets[i] += bucket;
    into.count += bucket;
  }
  into.sum_ns += whole_word(live.sum_ns);
  into.min_ns = std::min(into.min_ns, whole_word(live.min_ns));
  into.max_ns = std::max(into.max_ns, whole_word(live.max_ns));
}

std::uint64_t measured_ns(const Board& board, const Worker& worker) noexcept {
  if (worker.measured_end_ticks <= board.ramp_end_ticks) return 0;
  return board.clock.to_ns(worker.measured_end_ticks - board.ramp_end_ticks);
}

}  // namespace

Span collect(const Board& board, bool measured) noexcept {
  Span merged;
  for (const Kind kind : {Kind::read, Kind::write, Kind::fsync}) {
    if (!has(board.load, kind)) continue;
    for (std::uint32_t i = 0; i < board.worker_count; ++i) {
      const Worker& worker = board.workers[i];
      merge_live(merged.of(kind), (measured ? worker.measured : worker.ramp).of(kind));
    }
  }
  return merged;
}

Traffic to_traffic(const Histogram& latency, std::uint32_t block_bytes) noexcept {
  Traffic traffic;
  traffic.ios = latency.count;
  traffic.bytes = latency.count * block_bytes;
  traffic.latency = latency;
  return traffic;
}

// The workers begin the pass one after the other, so the total may still grow.
void read_back_so_far(const Board& board, std::uint64_t& done_bytes,
                      std::uint64_t& total_bytes) noexcept {
  done_bytes = total_bytes = 0;
  for (std::uint32_t i = 0; i < board.worker_count; ++i) {
    done_bytes += whole_word(board.workers[i].read_back_bytes);
    total_bytes += whole_word(board.workers[i].to_read_back_bytes);
  }
  done_bytes = std::min(done_bytes, total_bytes);  // a worker may just have begun
}

JobFigures figures_of_job(const Board& board, std::uint32_t job) noexcept {
  JobFigures figures;
  figures.job = job;
  for (std::uint32_t i = 0; i < board.workers_per_job; ++i) {
    const Worker& worker = board.workers[job * board.workers_per_job + i];
    const Histogram& read = worker.measured.of(Kind::read);
    const Histogram& write = worker.measured.of(Kind::write);
    figures.read_ios += read.count;
    figures.write_ios += write.count;
    figures.latency_sum_ns += read.sum_ns + write.sum_ns;
    figures.latency_max_ns = std::max({figures.latency_max_ns, read.max_ns, write.max_ns});
    figures.measured_ns = std::max(figures.measured_ns, measured_ns(board, worker));
    const Usage usage = worker.at_stop - worker.at_ramp_end;
    figures.cpu_user_ns += usage.user_ns;
    figures.cpu_system_ns += usage.system_ns;
  }
  return figures;
}

FinalBody final_of_run(const Board& board, int first_target_fd) noexcept {
  const Load& load = board.load;
  FinalBody final;
  final.engine_flags = engine_flag::all;
  for (std::uint32_t i = 0; i < board.worker_count; ++i) {
    const Worker& worker = board.workers[i];
    final.engine_flags &= worker.engine_flags;  // what all of them had
    final.measured_ns = std::max(final.measured_ns, measured_ns(board, worker));
    final.verified_bytes += worker.verified_bytes;
    const Usage usage = worker.at_stop - worker.at_ramp_end;
    final.cpu_user_ns += usage.user_ns;
    final.cpu_system_ns += usage.system_ns;
    final.voluntary_context_switches += usage.voluntary_switches;
    final.involuntary_context_switches += usage.involuntary_switches;
    final.minor_page_faults += usage.minor_faults;
    final.major_page_faults += usage.major_faults;
  }
  const bool mapped = load.ioengine == IoEngine::mmap;  // through the page cache, always
  const bool one_each =
      mapped || load.ioengine == IoEngine::psync || load.ioengine == IoEngine::null;
  const bool batches = load.ioengine == IoEngine::io_uring;
  final.clock_source = board.clock.source;
  final.ioengine = load.ioengine;
  final.direct = !mapped && is_direct(first_target_fd) ? 1 : 0;
  final.batch_submit = batches ? board.batch_submit : 1;
  // An open loop waits for no number of completions: it takes what there is.
  final.batch_complete = batches && load.workload.rate_iops == 0 ? board.batch_complete : 1;
  final.in_flight_max = one_each ? load.numjobs : load.numjobs * load.iodepth;
  const Span span = collect(board, true);
  final.read = to_traffic(span.of(Kind::read), load.block_bytes);
  final.write = to_traffic(span.of(Kind::write), load.block_bytes);
  final.fsync = to_traffic(span.of(Kind::fsync), 0);
  return final;
}

}  // namespace iobenchd::engine
