// Whether the next I/O reads or writes, and when an fsync is its turn. One owner each; chosen once
// per worker, so that a pure workload pays for none of it.
#pragma once

#include <cstdint>

#include "daemon/engine/offsets.h"
#include "daemon/model/load.h"

namespace iobenchd::engine {

struct Reading {
  static constexpr bool may_write = false;
  static constexpr bool may_sync = false;
  Reading(const Load&, const Region&) noexcept {}
  static constexpr bool next() noexcept { return false; }
  static constexpr bool take_sync() noexcept { return false; }
};

struct Writing {
  static constexpr bool may_write = true;
  static constexpr bool may_sync = false;
  Writing(const Load&, const Region&) noexcept {}
  static constexpr bool next() noexcept { return true; }
  static constexpr bool take_sync() noexcept { return false; }
};

// fio's rwmixread: each I/O is drawn by itself, so that the mix is exact over time and nothing
// repeats. The general direction: pure workloads are mixes of 100 and 0 percent.
class Mixing {
 public:
  static constexpr bool may_write = true;
  static constexpr bool may_sync = true;

  Mixing(const Load& load, const Region& region) noexcept
      : random_(region.seed ^ 0x8BB84B93962EACC9),
        read_percent_(percent_of_reads(load)),
        sync_every_(load.workload.fsync != 0 ? load.workload.fsync : ~std::uint64_t{0}) {}

  // True: a write.
  bool next() noexcept {
    const bool write = scale_down(random_.next(), 100) >= read_percent_;
    writes_since_sync_ += write ? 1 : 0;
    return write;
  }

  // True once after every so many writes: an fsync comes before the next I/O. The threads of a job
  // count each for itself, which makes as many fsyncs of the job.
  bool take_sync() noexcept {
    if (writes_since_sync_ < sync_every_) return false;
    writes_since_sync_ = 0;
    return true;
  }

 private:
  static std::uint32_t percent_of_reads(const Load& load) noexcept {
    if (mixed(load.rw)) return load.workload.rwmixread;
    return writes(load.rw) ? 0 : 100;
  }

  Random random_;  // not the one of the offsets: where an I/O goes says nothing about its direction
  std::uint64_t read_percent_;
  std::uint64_t sync_every_;
  std::uint64_t writes_since_sync_ = 0;
};

}  // namespace iobenchd::engine
