// Whether the next I/O reads or writes, and when an fsync is its turn. One owner each; chosen once
// per worker, so that a pure workload pays for none of it.
#pragma once

#include <cstdint>

#include "daemon/engine/offsets.h"
#include "daemon/model/load.h"

namespace iobenchd::engine {

struct Reading {
  static constexpr bool may_write = false;
  Reading(const Load&, const Region&) noexcept {}
  static constexpr bool next() noexcept { return false; }
};

struct Writing {
  static constexpr bool may_write = true;
  Writing(const Load&, const Region&) noexcept {}
  static constexpr bool next() noexcept { return true; }
};

// fio's rwmixread: each I/O is drawn by itself, so that the mix is exact over time and nothing
// repeats. The general direction: pure workloads are mixes of 100 and 0 percent.
class Mixing {
 public:
  static constexpr bool may_write = true;

  Mixing(const Load& load, const Region& region) noexcept
      : random_(region.seed ^ 0x8BB84B93962EACC9), read_percent_(percent_of_reads(load)) {}

  // True: a write.
  bool next() noexcept { return scale_down(random_.next(), 100) >= read_percent_; }

 private:
  static std::uint32_t percent_of_reads(const Load& load) noexcept {
    if (mixed(load.rw)) return load.workload.rwmixread;
    return writes(load.rw) ? 0 : 100;
  }

  Random random_;  // not the one of the offsets: where an I/O goes says nothing about its direction
  std::uint64_t read_percent_;
};

}  // namespace iobenchd::engine
