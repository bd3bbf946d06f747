#include "daemon/engine/loop.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "daemon/engine/files.h"

namespace iobenchd::engine {
namespace {

constexpr std::size_t page_bytes = 4096;

}  // namespace

std::unique_ptr<Loop> make_loop(Worker& worker, const Board& board) {
  switch (board.load.ioengine) {
    case IoEngine::io_uring:
      return make_uring_loop(worker, board);
    case IoEngine::psync:
    case IoEngine::threads:
      return make_posix_loop(worker, board);
    case IoEngine::null:
      return make_null_loop(worker, board);
    case IoEngine::mmap:
      return make_mmap_loop(worker, board);
    case IoEngine::automatic:
      break;  // check_load refuses it
  }
  worker.fail("setup", EINVAL, 0, "this engine has no such loop");
  return nullptr;
}

Region region_of(const Worker& worker, const Board& board) noexcept {
  Region region;
  region.begin_bytes = board.load.offset_bytes;
  region.blocks = board.load.size_bytes / board.load.block_bytes;
  region.block_bytes = board.load.block_bytes;
  region.blocks *= files_of_job(board.load, worker.job);
  const std::uint32_t files = std::min(board.load.files, board.load.numjobs);
  const std::uint32_t file = worker.job % files;
  const std::uint32_t jobs_of_file = (board.load.numjobs - file + files - 1) / files;
  const std::uint32_t of_job = worker.index % board.workers_per_job;
  region.share = worker.job / files * board.workers_per_job + of_job;
  region.shares = jobs_of_file * board.workers_per_job;
  region.common_seed = board.load.seed;
  region.distribution = board.load.workload.random_distribution;
  // Far apart for every pair of seed and worker: Random mixes it further.
  region.seed = board.load.seed + worker.index * 0xD1342543DE82EF95;
  if (board.load.workload.verify != 0) {
    const std::uint64_t first = slice_begin(region, region.share);
    region.blocks = slice_begin(region, region.share + 1) - first;
    region.begin_bytes += first * region.block_bytes;
    region.share = 0;
    region.shares = 1;
    region.common_seed = region.seed;
  }
  return region;
}

Buffers::~Buffers() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

bool Buffers::allocate(std::uint32_t blocks, std::uint32_t block_bytes) noexcept {
  stride_bytes_ = (std::size_t{block_bytes} + page_bytes - 1) / page_bytes * page_bytes;
  bytes_ = stride_bytes_ * blocks;
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < bytes_; i += page_bytes) memory_[i] = std::byte{1};
  return true;
}

}  // namespace iobenchd::engine
