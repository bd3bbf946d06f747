// What a user asks for, and what became of it. Plain values; times are UTC nanoseconds since 1970,
// 0 for "not yet".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/error.h"
#include "daemon/model/load.h"
#include "daemon/model/workload.h"

namespace iobenchd {

// 53 bits: as many as every reader of JSON keeps exactly. Seeds of sweeps and of runs alike.
inline constexpr std::uint64_t seed_most = (std::uint64_t{1} << 53) - 1;

enum class Order : std::uint8_t { shuffled, given };
enum class Layout : std::uint8_t { shared, per_job };
enum class OnRestart : std::uint8_t { resume, fail };  // spelled "continue" and "fail"
enum class SweepState : std::uint8_t { queued, running, done, failed, cancelled };
enum class Origin : std::uint8_t { local, imported };
enum class Statistic : std::uint8_t { p99, mean };

[[nodiscard]] std::string_view to_string(Order value) noexcept;
[[nodiscard]] std::string_view to_string(Layout value) noexcept;
[[nodiscard]] std::string_view to_string(OnRestart value) noexcept;
[[nodiscard]] std::string_view to_string(SweepState value) noexcept;
[[nodiscard]] std::string_view to_string(Origin value) noexcept;
[[nodiscard]] std::optional<Order> parse_order(std::string_view text) noexcept;
[[nodiscard]] std::optional<Layout> parse_layout(std::string_view text) noexcept;
[[nodiscard]] std::optional<OnRestart> parse_on_restart(std::string_view text) noexcept;
[[nodiscard]] std::optional<SweepState> parse_sweep_state(std::string_view text) noexcept;
[[nodiscard]] std::optional<Origin> parse_origin(std::string_view text) noexcept;

// One setting of the grid: everything that makes a point of a curve.
struct Setting {
  Rw rw = Rw::randread;
  std::uint32_t block_bytes = 4096;
  std::uint32_t iodepth = 1;
  std::uint32_t numjobs = 1;
  auto operator<=>(const Setting&) const = default;
};

struct LatencyLimit {
  Statistic statistic = Statistic::p99;
  std::uint64_t limit_ns = 0;
  bool operator==(const LatencyLimit&) const = default;
};

// The defaults below are those of `preset: "quick"`, which an empty POST is; where numjobs is auto
// there, settle_quick() has the last word.
struct SweepSpec {
  std::string preset = "quick";  // quick, published, published-2017
  std::string label;
  std::string target;  // empty: a scratch file of the daemon's own
  std::uint64_t size_bytes =
      0;  // whole working set; 0: 4 GiB of scratch, or all of the target behind `offset`
  std::uint64_t offset_bytes = 0;
  std::vector<Rw> rw{Rw::randread};
  std::vector<std::uint32_t> bs{4096};  // bytes
  std::vector<std::uint32_t> iodepth{1};
  std::vector<std::uint32_t> numjobs;  // sorted, distinct; empty with numjobs_auto
  bool numjobs_auto = true;
  std::uint64_t runtime_ns = 3'000'000'000;
  std::uint64_t ramp_time_ns = 500'000'000;
  std::uint32_t repeats = 1;       // of each point; the least where repeats_most is more
  std::uint32_t repeats_most = 0;  // 0: `repeats`, no more
  double ci_percent = 0;           // enough when the 95 % interval is within +- this
  bool repeats_auto = false;       // runs go where the band is least certain, for auto_repeats_ns
  Order order = Order::shuffled;
  IoEngine ioengine = IoEngine::automatic;
  bool direct = true;
  bool thread = false;
  bool refine = false;
  bool keep_file = false;
  std::uint32_t batch_submit = 0;     // 0: the engine's own
  std::uint32_t batch_complete = 0;   // 0: the engine's own
  std::optional<std::uint64_t> seed;  // none: drawn when the sweep is queued, and stored
  std::optional<Layout> layout;       // none: per_job on OpenBSD files, else shared
  std::uint64_t cooldown_ns = 0;
  std::optional<LatencyLimit> latency_limit;
  OnRestart on_restart = OnRestart::resume;
  // SNIA's rounds in place of runtime: until five are steady, or so many were made. 0: none.
  std::uint32_t steady_rounds = 0;
  std::uint64_t steady_round_ns = 0;
  bool precondition = false;  // one sequential pass of writes over the working set, before all
  Workload workload;
  std::optional<bool> yield_to_other_io;  // none: as the configuration says, where it can be had
  std::string cpus_allowed;               // "0-3,6"; empty: all
  std::string confirm;
  bool operator==(const SweepSpec&) const = default;
};

inline constexpr std::uint64_t scratch_default_bytes = std::uint64_t{4} << 30;
inline constexpr std::uint32_t auto_numjobs_limit = 128;
// With repeats auto: how long the runs of one curve take together, ramps and all; and what the
// quick preset makes of it, 50 runs, where numjobs is auto.
inline constexpr std::uint64_t auto_repeats_ns = 60'000'000'000;
inline constexpr std::uint32_t auto_repeats_most_runs = 200;
inline constexpr std::uint64_t quick_runtime_ns = 1'000'000'000;
inline constexpr std::uint64_t quick_ramp_time_ns = 200'000'000;

[[nodiscard]] std::optional<SweepSpec> preset_spec(std::string_view name);

// Which of the fields that settle_quick() would fill in were asked for.
struct Asked {
  bool runtime = false, ramp_time = false, repeats = false;
};
// The quick preset with numjobs auto: many short runs, as many of each point as help the answer.
// Nothing for other sweeps, nor for what was asked for.
void settle_quick(SweepSpec& spec, const Asked& asked) noexcept;
// With repeats auto: how many runs one curve gets, its drift checks among them. 0 else.
[[nodiscard]] std::uint32_t auto_runs_of_curve(const SweepSpec& spec) noexcept;

// Everything that is wrong with a spec whatever the target is: empty lists, ranges, multiples,
// threads over 4096, writes to a target without its confirmation are not among them (those need the
// target's facts). Empty when it is sound.
[[nodiscard]] std::vector<FieldError> validate(const SweepSpec& spec);

struct Plan {
  std::uint32_t runs = 0;  // the most that may be measured; numjobs auto usually needs fewer
  double seconds = 0;      // measuring, ramps, references and layout, at most
  std::uint64_t layout_bytes = 0;
  std::uint64_t write_bytes = 0;  // layout and an estimate of what write workloads will write
  std::string ioengine;           // what "auto" becomes here
  std::uint64_t size_bytes = 0;   // the working set, after defaults
  std::string target;             // device or file; the scratch file's directory
  std::vector<Setting> settings;  // the grid in ascending order; for auto the first doublings
};

struct Sweep {
  std::int64_t id = 0;
  std::string uuid;  // UUIDv7
  SweepState state = SweepState::queued;
  Origin origin = Origin::local;
  std::string host;
  SweepSpec spec;
  Plan plan;
  std::int64_t created_at_ns = 0;
  std::int64_t started_at_ns = 0;
  std::int64_t finished_at_ns = 0;
  std::string answer;  // the sentence; empty until there is one
  std::uint32_t runs_done = 0;
  std::uint32_t runs_failed = 0;
  std::string error;  // why it failed or waits; empty else
  std::string notes;
  bool pinned = false;
  std::int64_t schedule_id = 0;  // what asked for it; 0: a person
};

}  // namespace iobenchd
