// One measurement and everything needed to believe or doubt it. Plain values.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/frame.h"
#include "daemon/model/histogram.h"
#include "daemon/model/sweep.h"
#include "daemon/model/verdict.h"

namespace iobenchd {

enum class RunState : std::uint8_t { running, done, failed, interrupted, cancelled };
[[nodiscard]] std::string_view to_string(RunState value) noexcept;
[[nodiscard]] std::optional<RunState> parse_run_state(std::string_view text) noexcept;

// One second of a run, both directions. Percentiles come from that second's own merged buckets.
struct Sample {
  std::uint32_t second = 0;  // from the start of the ramp
  bool ramp = false;
  std::uint64_t span_ns = 0;
  std::uint64_t read_ios = 0, write_ios = 0;
  std::uint64_t read_bytes = 0, write_bytes = 0;
  std::uint64_t latency_mean_ns = 0, latency_p50_ns = 0, latency_p99_ns = 0, latency_max_ns = 0;
};

// How late a 10 ms sleep wakes up in the service: the stutter a person at the machine would feel.
struct WakeupDelay {
  std::uint64_t count = 0;
  std::uint64_t p50_ns = 0, p99_ns = 0, max_ns = 0;
};

// What the machine and the disk were when the run was made. Empty or 0 where unknown.
struct Circumstances {
  std::string host, os, cpu, program_version, build_type, compiler;
  std::uint64_t memory_bytes = 0;
  std::uint32_t cpus = 0;
  std::string target, target_kind, model, serial, firmware, filesystem, mount_options, io_scheduler;
  std::uint64_t target_bytes = 0;
  std::uint32_t logical_sector_bytes = 0, physical_sector_bytes = 0;
  bool virtual_machine = false, in_use = false, block_storage = true, database_on_target = false;
};

// What one run yields. Counts only what completed between the end of the ramp and the deadline.
struct Measurement {
  std::uint64_t measured_ns = 0;
  Traffic read, write, fsync;
  std::vector<Sample> samples;
  // Of samples that were thinned: how much IOPS varied from second to second before (standard
  // deviation by mean). None: each is a second, as measured.
  std::optional<double> samples_variation;
  std::vector<JobFigures> jobs;
  std::uint64_t cpu_user_ns = 0, cpu_system_ns = 0;  // the engine's jobs
  std::uint64_t voluntary_context_switches = 0, involuntary_context_switches = 0;  // of the jobs
  std::uint64_t minor_page_faults = 0, major_page_faults = 0;
  std::uint64_t verified_bytes = 0;      // of verify: found as written
  std::uint32_t rounds = 0;              // of steady_state: how many were made; 0: it was one run
  bool rounds_steady = false;            // the last five of them were
  double machine_cpu_busy_percent = -1;  // 0..100 of all CPUs; -1 unknown
  double load_average = -1;              // one minute, at the end; -1 unknown
  WakeupDelay wakeup_delay;
  WakeupDelay wakeup_reference;  // 5 s before the sweep
  // By the device's own counters, ramp end to stop.
  std::uint64_t device_read_ios = 0, device_write_ios = 0;
  std::uint64_t device_read_bytes = 0, device_write_bytes = 0;
  bool device_counters_known = false;
  ClockSource clock_source = ClockSource::clock_gettime;
  IoEngine ioengine = IoEngine::psync;  // really used
  bool direct = false;                  // really used
  std::uint32_t engine_flags = 0, batch_submit = 0, batch_complete = 0,
                in_flight_max = 0;  // really used
};

// What the device and the machine say of themselves at the run's end. NaN or empty: unknown.
struct DeviceHealth {
  double temperature_celsius = std::numeric_limits<double>::quiet_NaN();
  double temperature_limit_celsius = std::numeric_limits<double>::quiet_NaN();  // its own threshold
  double wear_percent_used = std::numeric_limits<double>::quiet_NaN();          // NVMe's word
};

// One direction of a mixed point, or its fsyncs. Latencies 0 where there were none.
struct DirectionFigures {
  double iops = 0, bandwidth_bytes_per_s = 0, latency_mean_ns = 0;
  std::uint64_t latency_min_ns = 0, latency_p50_ns = 0, latency_p90_ns = 0, latency_p99_ns = 0;
  std::uint64_t latency_p99_9_ns = 0, latency_p99_99_ns = 0, latency_max_ns = 0;
};

struct Run {
  std::int64_t id = 0;
  std::int64_t sweep_id = 0;
  Setting setting;
  std::uint32_t repeat = 0;     // 0.. within its point
  bool is_drift_check = false;  // the curve's first point, measured again last
  RunState state = RunState::running;
  std::int64_t started_at_ns = 0, finished_at_ns = 0;
  std::string error;  // operation, offset, errno in words
  std::uint64_t seed = 0;
  Measurement measurement;
  Circumstances circumstances;
  DeviceHealth health;
  double hole_percent = 0;  // of a file target: what was never written, and is read from nowhere
  std::string governor, container;  // "performance"; "docker": what the machine was then
  bool imported_figures = false;    // not measured here: `imported` holds the figures
  // Of an imported run: only what the source printed. Latency 0: not printed. `measurement` holds
  // what it printed beside: counters, CPU, and histograms where it printed their buckets.
  struct Imported {
    double iops = 0, bandwidth_bytes_per_s = 0, latency_mean_ns = 0;  // both directions together
    DirectionFigures read{}, write{}, fsync{};                        // apart
  } imported;
};

// A run in one line of numbers: what lists, points and analysis work with. Made by
// analysis/summary, stored with the run.
struct RunSummary {
  std::int64_t run_id = 0, sweep_id = 0;
  Setting setting;
  std::uint32_t repeat = 0;
  bool is_drift_check = false;
  RunState state = RunState::done;
  std::int64_t started_at_ns = 0, finished_at_ns = 0;
  std::string error, target, serial, model, host;
  IoEngine ioengine = IoEngine::psync;
  bool direct = false;
  std::uint32_t engine_flags = 0;
  double iops = 0, bandwidth_bytes_per_s = 0;
  double latency_mean_ns = 0;
  std::uint64_t latency_min_ns = 0, latency_p50_ns = 0, latency_p90_ns = 0, latency_p99_ns = 0;
  std::uint64_t latency_p99_9_ns = 0, latency_p99_99_ns = 0, latency_max_ns = 0;
  double concurrency = 0;                               // Little's law: IOPS x mean latency
  double depth_attained = 0;                            // concurrency / (numjobs x iodepth)
  double cpu_user_percent = 0, cpu_system_percent = 0;  // 100 is one core
  double cpu_per_io_ns = 0;
  double load_average = -1;
  std::uint64_t wakeup_delay_p99_ns = 0;
  double measured_seconds = 0;
};

// A run of another sweep of the same disk model: what a standing among them needs.
struct ModelFigure {
  std::int64_t sweep_id = 0;
  Setting setting;
  bool direct = false;
  double iops = 0;
};

}  // namespace iobenchd
