// The files that one job works on, as one region: its blocks run on from file to file. With fewer
// jobs than files a job has several, so that the working set of a curve stays the same along it.
// Constant once made: safe from any thread.
#pragma once

#include <cstdint>

#include "daemon/engine/worker.h"

namespace iobenchd::engine {

// Where a block really is.
struct Place {
  std::int32_t descriptor = -1;
  std::uint32_t file = 0;  // of the job's
  std::uint64_t offset_bytes = 0;
};

// Job j has the files j, j + numjobs, j + 2 numjobs, ...
[[nodiscard]] constexpr std::uint32_t files_of_job(const Load& load, std::uint32_t job) noexcept {
  return load.files <= load.numjobs ? 1 : (load.files - job + load.numjobs - 1) / load.numjobs;
}

class Files {
 public:
  Files(const Worker& worker, const Board& board) noexcept
      : first_(worker.descriptor),
        stride_(static_cast<std::int32_t>(board.load.numjobs)),
        count_(files_of_job(board.load, worker.job)),
        begin_(board.load.offset_bytes),
        size_(board.load.size_bytes) {}

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::int32_t descriptor(std::uint32_t file) const noexcept {
    return first_ + static_cast<std::int32_t>(file) * stride_;
  }

  // The only division of a loop, and only where there are several.
  [[nodiscard]] Place at(std::uint64_t offset) const noexcept {
    if (count_ == 1) [[likely]]
      return {first_, 0, offset};
    const std::uint64_t file = (offset - begin_) / size_;
    return {descriptor(static_cast<std::uint32_t>(file)), static_cast<std::uint32_t>(file),
            offset - file * size_};
  }

 private:
  std::int32_t first_;
  std::int32_t stride_;
  std::uint32_t count_;
  std::uint64_t begin_;
  std::uint64_t size_;
};

}  // namespace iobenchd::engine
