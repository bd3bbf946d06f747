// What a sweep will do to which disk, decided before it is accepted and once more when it starts:
// pure judgement of a spec by facts. The opener judges again, on the descriptor. Safe from any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "daemon/model/settings.h"
#include "daemon/model/sweep.h"
#include "daemon/model/target.h"

namespace iobenchd::scheduler {

inline constexpr std::uint32_t most_refinements = 6;
inline constexpr double reference_seconds = 5;        // of wake-up delays before a sweep
inline constexpr double short_reference_seconds = 1;  // where the whole sweep is under 20 s
inline constexpr double short_sweep_seconds = 20;
inline constexpr double grace_seconds = 10;           // before the first write to a device
inline constexpr double run_overhead_seconds = 0.25;  // birth, setup and reaping of an engine

// What the machine and its configuration allow.
struct Ability {
  bool io_uring = false;
  std::string why_no_io_uring;
  bool layout_per_job = false;     // the default of `layout` here
  std::string scratch_real_dir;    // after symlinks
  std::uint64_t memory_bytes = 0;  // of the machine; 0: unknown
  // Can this device's counters be read while a run measures? Empty: no device's can.
  std::function<bool(const std::string& leaf)> counts;
};

struct Judgement {
  Plan plan;
  TargetFacts facts;  // of the target, or of the scratch directory
  bool scratch = false;
  IoEngine ioengine = IoEngine::psync;  // never automatic
  std::uint32_t most_jobs = 1;          // the largest numjobs there may be
  std::uint32_t files = 1;              // scratch files
  std::uint64_t file_bytes = 0;         // of each of them
  bool yields = false;                  // a run stops while others need the disk
  std::vector<std::string> leaves;      // physical devices; never empty
};

// Throws Error{invalid} with every wrong field, Error{forbidden}, Error{confirmation_needed},
// Error{unavailable}.
[[nodiscard]] Judgement judge(const SweepSpec& spec, const TargetFacts& facts,
                              const Settings& settings, const Ability& ability);

// The first allow-list entry that matches a resolved path, by the opener's own rule; null: none.
[[nodiscard]] const AllowedTarget* find_allowed(const Settings& settings, const std::string& path);

// What two sweeps must not share: the physical devices under a target; where they are unknown, the
// device number alone.
[[nodiscard]] std::vector<std::string> lease_names(const TargetFacts& facts);

// Ramp and measured time of one run, at most.
[[nodiscard]] double asked_seconds(const SweepSpec& spec) noexcept;

// "4g", "1536m", "4096": as `size` takes it.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace iobenchd::scheduler
