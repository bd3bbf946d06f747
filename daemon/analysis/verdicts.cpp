#include "daemon/analysis/verdicts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/little.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/steady_state.h"
#include "daemon/analysis/strain.h"
#include "daemon/analysis/wording.h"
#include "daemon/model/quantity.h"

namespace iobenchd::analysis {
namespace {

constexpr double moved_share = 0.9;
constexpr double cpu_busy_percent = 95;
constexpr double noisy_variation = 0.2;
constexpr double slowed_share = 0.8;
constexpr double steady_seconds = 5;
constexpr double short_seconds = 10;
constexpr double holes_most_percent = 1;  // the last block of a file is rarely full
constexpr double least_rate_share = 0.95;
constexpr double other_share = 0.05;
constexpr double other_ios_per_s = 5;

// One run while its doubts are collected: the run, its line of numbers, the list that grows.
class Examination {
 public:
  Examination(const Run& run, const SweepSpec* spec)
      : run_(run), spec_(spec), m_(run.measurement), c_(run.circumstances), line_(summarise(run)) {}

  [[nodiscard]] std::vector<Doubt> result() && {
    about_the_program();
    about_the_cache();
    about_holes();
    about_littles_law();
    about_the_rate();
    about_units_and_errors();
    about_the_engine();
    about_the_machine();
    about_other_load();
    about_its_seconds();
    about_the_target();
    about_its_length();
    about_strain();
    about_temperature();
    return std::move(doubts_);
  }

 private:
  void raise(std::string_view name, Severity severity, std::string seen, std::string advice,
             double weight = 0) {
    doubts_.push_back({std::string(name), severity, std::move(seen), std::move(advice), weight});
  }

  [[nodiscard]] bool measured_here() const { return !run_.imported_figures; }

  void about_the_program() {
    const std::string& type = c_.build_type;
    if (!measured_here() || type.empty()) return;
    if (type == "Release" || type == "RelWithDebInfo" || type == "MinSizeRel") return;
    raise("debug_build", Severity::invalid, "measured by a build of type " + type,
          "Its loops are slower than what you will run: build with CMAKE_BUILD_TYPE=Release and "
          "measure again.");
  }

  // The device's counters are read up to a tick away from the measured span, at either end: the
  // share of our bytes that may fall on the other side.
  [[nodiscard]] double counter_slack() const {
    return std::min(1.0, static_cast<double>(2 * tick_ns) / static_cast<double>(m_.measured_ns));
  }

  void about_the_cache() {
    if (!measured_here() || m_.ioengine == IoEngine::null) return;
    if (m_.device_counters_known) {
      const auto less = [this](std::uint64_t device, std::uint64_t ours, const char* verb) {
        const auto asked = static_cast<double>(ours);
        const auto moved = static_cast<double>(device);
        if (ours == 0 || moved >= moved_share * asked * (1 - counter_slack())) return false;
        raise("cached", Severity::invalid,
              "the device moved only " + percent(moved / asked) + " of the " + size_text(ours) +
                  " that were " + verb,
              "The rest came from or went to memory: use direct=true, or a size of at least twice "
              "the memory.",
              1 - moved / asked);
        return true;
      };
      if (less(m_.device_read_bytes, m_.read.bytes, "read")) return;
      if (less(m_.device_write_bytes, m_.write.bytes, "written")) return;
    }
    std::uint64_t working_set = c_.target_bytes;
    if (spec_ != nullptr && spec_->size_bytes != 0) working_set = spec_->size_bytes;
    if (m_.direct || working_set == 0 || c_.memory_bytes == 0) return;
    if (working_set / 2 >= c_.memory_bytes) return;
    raise("cached", Severity::invalid,
          "no direct I/O, and the " + size_text(working_set) + " fit into twice the memory of " +
              size_text(c_.memory_bytes),
          "Memory answers in place of the disk: use direct=true where the target allows it, or a "
          "size of at least " +
              size_text(2 * c_.memory_bytes) + ".");
  }

  // An open loop and fsyncs leave the disk idle on purpose.
  [[nodiscard]] bool leaves_room() const {
    return open_loop() || (spec_ != nullptr && spec_->workload.fsync > 0);
  }
  [[nodiscard]] bool open_loop() const { return spec_ != nullptr && spec_->workload.rate_iops > 0; }

  // What a filesystem never allocated is answered with zeros, and no disk is asked. Compressing
  // filesystems look the same, and their figures are as wrong.
  void about_holes() {
    if (!measured_here() || run_.hole_percent < holes_most_percent || m_.read.ios == 0) return;
    raise("hole_reads", Severity::invalid,
          percent(run_.hole_percent / 100) + " of " + c_.target + " is not on the disk",
          "The file has holes, or is compressed: reads of them never reach the disk. Write all of "
          "it with random data first, or leave target out.",
          run_.hole_percent);
  }

  void about_littles_law() {
    if (!(line_.latency_mean_ns > 0) || !(line_.iops > 0)) return;
    const double asked = asked_in_flight(run_.setting);
    const std::optional<double> most = most_in_flight(m_.ioengine, run_.setting, c_.os);
    // In an open loop what waits its turn counts as well: latency begins when an I/O is due.
    if (most && !open_loop() && line_.concurrency > sync_tolerance * *most) {
      raise("exceeds_sync_bound", Severity::invalid,
            count(line_.iops) + " IOPS at " + latency_text(line_.latency_mean_ns) +
                ", where jobs that wait for each I/O can't exceed " +
                count(*most / line_.latency_mean_ns * 1e9),
            "IOPS and latency describe different things: trust neither until you know what the "
            "program counted.",
            line_.concurrency / *most);
    }
    if (line_.concurrency >= least_depth_share * asked || leaves_room()) return;
    const std::string in_flight = "only " +
                                  decimal(line_.concurrency, line_.concurrency < 10 ? 2 : 1) +
                                  " of " + count(asked) + " I/Os were in flight on average (" +
                                  percent(line_.concurrency / asked) + ")";
    const bool one_per_job = measured_here() && run_.setting.iodepth > 1 &&
                             (m_.ioengine == IoEngine::psync || m_.ioengine == IoEngine::mmap);
    raise("depth_not_attained", Severity::caution, in_flight,
          one_per_job ? std::string(to_string(m_.ioengine)) +
                            " holds one I/O per job whatever iodepth says: use "
                            "ioengine=threads or io_uring, or read the result as iodepth 1."
                      : "The jobs did not keep the disk as busy as asked: look for a CPU limit or "
                        "a cache, or read the result as that of the smaller depth.",
          1 - line_.concurrency / asked);
  }

  // Of an open loop: what may be missing by chance is no doubt, a rounded I/O of each job or, among
  // independent users, three standard deviations.
  void about_the_rate() {
    if (!measured_here() || !open_loop() || !(line_.measured_seconds > 0)) return;
    const Workload& workload = spec_->workload;
    const double asked = static_cast<double>(workload.rate_iops) * run_.setting.numjobs;
    const double due = asked * line_.measured_seconds;
    const double missing = due - line_.iops * line_.measured_seconds;
    const double by_chance = workload.rate_process == RateProcess::poisson
                                 ? 3 * std::sqrt(due)
                                 : static_cast<double>(run_.setting.numjobs);
    if (missing <= (1 - least_rate_share) * due || missing <= by_chance) return;
    raise("rate_not_attained", Severity::caution,
          "only " + count(line_.iops) + " of the " + count(asked) + " IOPS asked for were done (" +
              percent(line_.iops / asked) + ")",
          "The disk can't keep that rate at this depth, and latency, which begins when an I/O is "
          "due, grows for as long as the run lasts: use a lower rate_iops, or more depth or jobs.",
          1 - line_.iops / asked);
  }

  void about_units_and_errors() {
    const std::optional<double> gap =
        unit_gap(line_.bandwidth_bytes_per_s, line_.iops, run_.setting.block_bytes);
    if (gap && *gap > unit_tolerance) {
      raise("inconsistent_units", Severity::invalid,
            "bandwidth and IOPS x block size are " + percent(*gap) + " apart",
            "One of the three is in another unit than it says: check the block size and MB "
            "against MiB.",
            *gap);
    }
    const std::uint64_t errors = m_.read.errors + m_.write.errors;
    if (errors == 0) return;
    raise("io_errors", Severity::invalid, count_text(errors) + " I/Os failed",
          "Look into the system log, and check the disk before you measure again.",
          static_cast<double>(errors));
  }

  void about_the_engine() {
    if (!measured_here() || spec_ == nullptr || m_.ioengine == IoEngine::automatic) return;
    const std::string ran(to_string(m_.ioengine));
    const bool linux_host = c_.os.find("Linux") != std::string::npos;
    if (spec_->ioengine == IoEngine::automatic) {
      if (!linux_host || m_.ioengine == IoEngine::io_uring || m_.ioengine == IoEngine::null) return;
      const bool one_at_a_time = m_.ioengine == IoEngine::psync && run_.setting.iodepth == 1;
      raise("engine_fallback", Severity::caution,
            "measured with " + ran + " where io_uring is usual",
            std::string(one_at_a_time
                            ? "One I/O at a time asks the disk the same, but costs another amount "
                              "of CPU: compare it with runs of psync alone, or check "
                            : "It costs more CPU for each I/O: check ") +
                "that io_uring is built in and allowed (sysctl kernel.io_uring_disabled=0).");
    } else if (spec_->ioengine != m_.ioengine) {
      raise("engine_fallback", Severity::caution,
            "measured with " + ran + " although " + std::string(to_string(spec_->ioengine)) +
                " was asked for",
            "Don't compare it with runs of the other engine.");
    }
  }

  void about_the_machine() {
    if (m_.machine_cpu_busy_percent < cpu_busy_percent) return;
    raise("cpu_bound", Severity::caution,
          "all CPUs were " + percent(m_.machine_cpu_busy_percent / 100) + " busy",
          "The machine may be the limit and not the disk: use an engine that needs less CPU for "
          "each I/O, or larger blocks.",
          m_.machine_cpu_busy_percent);
  }

  // On average; the device splits large blocks and merges small ones.
  [[nodiscard]] double bytes_of_a_device_io() const {
    const auto ios = static_cast<double>(m_.device_read_ios + m_.device_write_ios);
    const auto bytes = static_cast<double>(m_.device_read_bytes + m_.device_write_bytes);
    return ios > 0 ? bytes / ios : run_.setting.block_bytes;
  }

  // Only where the device's bytes are ours one by one: buffered I/O reads ahead and writes late.
  void about_other_load() {
    if (!measured_here() || !m_.device_counters_known || !m_.direct || m_.measured_ns == 0) return;
    // A write that has to be on the medium takes its filesystem's journal along: of a file, what is
    // read can be told apart from other load, what is written can't.
    const bool journalled = spec_ != nullptr && c_.target_kind == "regular_file" &&
                            (spec_->workload.fsync > 0 || spec_->workload.sync != Sync::none);
    const double written = journalled ? 0 : static_cast<double>(m_.device_write_bytes);
    const double device = static_cast<double>(m_.device_read_bytes) + written;
    const auto ours = static_cast<double>(m_.read.bytes) + static_cast<double>(m_.write.bytes);
    const double beyond = device - ours * (1 + counter_slack());
    const double ios_per_s =
        beyond / bytes_of_a_device_io() / (static_cast<double>(m_.measured_ns) / 1e9);
    if (ours <= 0 || beyond <= other_share * ours || ios_per_s <= other_ios_per_s) return;
    raise("other_load", Severity::caution,
          "the device moved " + percent((device - ours) / ours) + " more than these jobs asked for",
          "Something else uses the disk: stop it, or measure when the machine is quiet.",
          beyond / ours);
  }

  void about_its_seconds() {
    const std::vector<double> seconds = per_second_iops(m_.samples);
    if (line_.measured_seconds >= steady_seconds && seconds.size() >= steady_rounds) {
      const std::vector<double> slices = slice_iops(m_.samples, steady_rounds);
      if (mean(slices) > 0) judge_steadiness(steadiness(slices));
    }
    const std::optional<double> variation =
        m_.samples_variation ? m_.samples_variation : variation_of_seconds(m_.samples);
    if (variation && *variation > noisy_variation) {
      raise("noisy", Severity::caution,
            "IOPS varied by " + percent(*variation) + " from second to second",
            "Something shares the disk or the machine: use repeats, or a quieter time.",
            *variation);
    }
    if (seconds.size() < 3) return;
    const std::vector<double> thirds = slice_iops(m_.samples, 3);
    if (thirds.size() != 3 || thirds[0] <= 0 || thirds[2] >= slowed_share * thirds[0]) return;
    raise("slowed_down", Severity::caution,
          "the last third ran at " + percent(thirds[2] / thirds[0]) + " of the first",
          "A cache may have filled, or the disk become warm: measure longer, and take the later "
          "part as the truth.",
          1 - thirds[2] / thirds[0]);
  }

  void judge_steadiness(const Steadiness& s) {
    if (s.steady()) return;
    const std::string range = "IOPS ranged over " + percent(s.range) +
                              " of their average and drifted by " + percent(s.excursion);
    const double weight = std::max(s.range / steady_range, s.excursion / steady_excursion);
    const std::uint32_t rounds = spec_ != nullptr ? spec_->steady_rounds : 0;
    if (rounds > 0) {
      raise("not_steady", Severity::caution,
            "over the last 5 of at most " + std::to_string(rounds) + " rounds " + range,
            "Steady is 20 % and 10 % at most: precondition the disk, or ask steady_state for more "
            "or longer rounds.",
            weight);
      return;
    }
    raise("not_steady", Severity::caution, "over 5 equal slices of the run " + range,
          "Steady is 20 % and 10 % at most: use a longer ramp_time and runtime.", weight);
  }

  void about_the_target() {
    if (!measured_here()) return;
    const std::string target = c_.target.empty() ? "the target" : c_.target;
    if (c_.in_use) {
      raise("in_use", Severity::caution, target + " was in use while it was measured",
            "Others may have read and written beside: compare with a disk that nothing uses.");
    }
    if (!c_.block_storage && m_.ioengine != IoEngine::null) {
      raise("not_block_storage", Severity::caution,
            target + " is no block storage" +
                (c_.filesystem.empty() ? "" : " (" + c_.filesystem + ")"),
            "The figures are those of memory or a network, not of a disk.");
    }
    if (c_.database_on_target) {
      raise(
          "database_on_target", Severity::info, "the database of results lives on the same disk",
          "It writes between the runs, not during them; for the purest figures put it elsewhere.");
    }
  }

  void about_its_length() {
    const double seconds = line_.measured_seconds;
    if (seconds <= 0 || seconds >= short_seconds) return;
    raise("short", Severity::info, "measured for " + time_text(seconds),
          "Good for a first look; measure 10 s or more before you rely on it.", 1 / seconds);
  }

  void about_strain() {
    if (!strained(m_.wakeup_delay, m_.wakeup_reference)) return;
    const auto p99 = static_cast<double>(m_.wakeup_delay.p99_ns);
    const auto usual = static_cast<double>(m_.wakeup_reference.p99_ns);
    raise("system_strained", Severity::info,
          "a sleeper woke " + latency_text(p99) + " late (p99), against " + latency_text(usual) +
              " before the sweep",
          "People at this machine would feel it stutter: fewer jobs are kinder.", p99);
  }

  void about_temperature() {
    const DeviceHealth& health = run_.health;
    if (!(health.temperature_celsius >= health.temperature_limit_celsius)) return;
    raise("throttled", Severity::caution,
          "the disk was at " + count(health.temperature_celsius) +
              " degrees Celsius, its own limit is " + count(health.temperature_limit_celsius),
          "It slows down to cool: use cooldown between the runs, or better air, and measure again.",
          health.temperature_celsius);
  }

  const Run& run_;
  const SweepSpec* spec_;
  const Measurement& m_;
  const Circumstances& c_;
  RunSummary line_;
  std::vector<Doubt> doubts_;
};

}  // namespace

std::vector<Doubt> run_doubts(const Run& run, const SweepSpec* spec) {
  return Examination(run, spec).result();
}

Verdict verdict_of(const Doubt& doubt) {
  return {doubt.name, doubt.severity, capitalised(doubt.seen) + ". " + doubt.advice};
}

std::vector<Verdict> run_verdicts(const Run& run, const SweepSpec* spec) {
  std::vector<Verdict> verdicts;
  for (const Doubt& doubt : run_doubts(run, spec)) verdicts.push_back(verdict_of(doubt));
  return verdicts;
}

}  // namespace iobenchd::analysis
