// One run of a sweep: begun in the store, measured, finished in the store, then told.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "daemon/analysis/analysis.h"
#include "daemon/model/clock.h"
#include "daemon/model/error.h"
#include "daemon/model/failpoint.h"
#include "daemon/scheduler/plan_target.h"
#include "daemon/scheduler/rounds.h"
#include "daemon/scheduler/runner.h"
#include "daemon/scheduler/scratch.h"
#include "daemon/scheduler/vitals.h"

namespace iobenchd::scheduler {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t most_interruptions = 2;
constexpr milliseconds kill_patience{150};   // after a stop, which must be quick
constexpr milliseconds stuck_patience{500};  // a killed engine that isn't reaped by then is stuck

// Another offset sequence for every run, the same for the same run of the same sweep.
static_assert(~std::uint64_t{0} >> 11 == seed_most);
std::uint64_t seed_of(std::uint64_t sweep_seed, const PlannedRun& run) noexcept {
  std::uint64_t seed = sweep_seed;
  for (const std::uint64_t part :
       {std::uint64_t{run.setting.block_bytes}, std::uint64_t{run.setting.iodepth},
        std::uint64_t{run.setting.numjobs}, std::uint64_t{run.repeat},
        std::uint64_t{run.is_drift_check}})
    seed = (seed ^ part) * 0x9E3779B97F4A7C15U + (seed >> 31);
  return seed >> 11;  // the upper bits are the better mixed ones
}

SweepPhase phase_of(Phase phase) noexcept {
  if (phase == Phase::verify) return SweepPhase::verify;
  return phase == Phase::starting || phase == Phase::ramp ? SweepPhase::ramp : SweepPhase::measure;
}

double in_microseconds(double nanoseconds) noexcept {
  return nanoseconds / 1e3;
}

}  // namespace

std::string point_text(const Setting& setting) {
  return fmt::format("{} {}, depth {}, {} {}", to_string(setting.rw),
                     size_text(setting.block_bytes), setting.iodepth, setting.numjobs,
                     setting.numjobs == 1 ? "job" : "jobs");
}

void Runner::measure_point(const PlannedRun& planned) {
  Run run = new_run(planned);
  run_began_ns_ = monotonic_now_ns();
  stored([&] { run.id = in_.store.runs().begin(run); }, false);
  failpoint("run_started");
  MeasureResult result;
  if (interruptions_[planned] >= most_interruptions) {
    result.failure = {FailureKind::io, 0,
                      "the daemon or the machine went down twice during this run; it is not tried "
                      "a third time"};
  } else {
    result = perform(run);
  }
  complete(planned, run, result);
}

Run Runner::new_run(const PlannedRun& planned) const {
  Run run;
  run.sweep_id = sweep_.id;
  run.setting = planned.setting;
  run.repeat = planned.repeat;
  run.is_drift_check = planned.is_drift_check;
  run.started_at_ns = wall_now_ns();
  run.seed = seed_of(sweep_.spec.seed.value_or(0), planned);
  run.circumstances = circumstances_;
  run.measurement.ioengine = judgement_.ioengine;
  return run;
}

MeasureResult Runner::perform(Run& run) {
  board_.enter(SweepPhase::ramp, run.setting);
  Load load = load_of(run.setting, Task::measure);
  load.seed = run.seed;
  MeasureResult result = sweep_.spec.steady_rounds > 0 ? measure_rounds(run.setting, load)
                                                       : measure_once(run.setting, load);
  result.measurement.wakeup_reference = reference_;
  // Also of a run that was stopped: it makes no point, but tells what was seen so far.
  if (result.end == RunEnd::done || result.measurement.measured_ns > 0)
    run.measurement = std::move(result.measurement);
  note_health(run);
  return result;
}

MeasureResult Runner::measure_once(const Setting& setting, const Load& load) {
  Vitals vitals(in_.machine, leaves_of(judgement_.facts));
  std::optional<OtherIo> others = watch_others();
  bool watching = false;  // from the first tick with I/O on
  Observer observer;
  observer.on_tick = [&](const Tick& tick) {
    vitals.notice(tick.phase);
    if (others && (tick.phase == Phase::ramp || tick.phase == Phase::measure)) {
      if (std::exchange(watching, true))
        others->notice(tick.read_bytes, tick.write_bytes);
      else
        others->restart();
    }
    board_.enter(phase_of(tick.phase), setting);
    board_.tick(tick.iops, tick.latency_mean_ns);
  };
  observer.stop_requested = [&] { return stopping() || (others && others->disturbed()); };
  MeasureResult result = drive(request_of(setting.numjobs, writes(setting.rw)), load, observer);
  vitals.fill(result.measurement);
  if (others) note_yield(*others, result);
  return result;
}

// Only the first round has a ramp: the others go on where it stopped.
MeasureResult Runner::measure_rounds(const Setting& setting, Load load) {
  std::vector<Measurement> rounds;
  load.runtime_ns = sweep_.spec.steady_round_ns;
  MeasureResult result;
  while (rounds.size() < sweep_.spec.steady_rounds && !are_steady(rounds)) {
    result = measure_once(setting, load);
    if (result.end == RunEnd::failed) return result;
    if (result.end == RunEnd::done || result.measurement.measured_ns > 0)
      rounds.push_back(std::move(result.measurement));
    if (result.end == RunEnd::stopped) break;
    load.ramp_ns = 0;
    ++load.seed;
  }
  spdlog::info("sweep {}: {}: {} after {} rounds", sweep_.id, point_text(setting),
               are_steady(rounds) ? "steady" : "not steady", rounds.size());
  result.measurement = merge_rounds(rounds);
  return result;
}

// The hottest of the disks underneath, and what the CPUs were told.
void Runner::note_health(Run& run) const {
  const MachineProbe& machine = in_.machine;
  if (machine.governor) run.governor = machine.governor();
  run.container = machine.container;
  const TargetFacts& facts = judgement_.facts;
  if (facts.wear_known != 0) run.health.wear_percent_used = facts.wear_percent_used;
  if (facts.kind == TargetKind::regular_file && facts.allocated_bytes < facts.size_bytes)
    run.hole_percent = 100 - 100 * static_cast<double>(facts.allocated_bytes) /
                                 static_cast<double>(facts.size_bytes);
  if (!machine.device_health) return;
  for (const std::string& leaf : leaves_of(judgement_.facts)) {
    const DeviceHealth one = machine.device_health(leaf);
    // No number is greater than NaN, and NaN is no greater than a number.
    if (!(run.health.temperature_celsius >= one.temperature_celsius)) {
      run.health.temperature_celsius = one.temperature_celsius;
      run.health.temperature_limit_celsius = one.temperature_limit_celsius;
    }
  }
}

// What an engine writes is counted while it writes: flash wears by a run that fails, too. The null
// engine only says so.
Observer Runner::metered(const Load& load, const Observer& observer) const {
  if (load.task == Task::measure && load.ioengine == IoEngine::null) return observer;
  Observer counting = observer;
  counting.on_tick = [&observer, this](const Tick& tick) {
    if (tick.write_bytes > 0) in_.meters.count_written(sweep_.plan.target, tick.write_bytes);
    if (observer.on_tick) observer.on_tick(tick);
  };
  return counting;
}

// Every engine of a sweep goes through here: layout, trial and runs.
MeasureResult Runner::drive(const OpenRun& request, const Load& load, const Observer& observer) {
  std::unique_ptr<EngineProcess> process;
  try {
    process = in_.host.open(request);
  } catch (const Error& error) {
    MeasureResult result;
    result.end = stopping() ? RunEnd::stopped : RunEnd::failed;
    result.failure = {FailureKind::refused, 0, error.what()};
    return result;
  }
  failpoint("engine_started");
  MeasureResult result = measure(*process, load, in_.timing.deadlines, metered(load, observer));
  failpoint("result_seen");
  let_go(std::move(process), result.end);
  if (result.end == RunEnd::failed && result.failure.kind != FailureKind::hung &&
      device_is_gone()) {
    result.failure.kind = FailureKind::device_gone;
    result.failure.text = sweep_.spec.target + " is gone: " + result.failure.text;
  }
  return result;
}

// A disk that was pulled out doesn't always say ENXIO: on Linux it reads as one of no size, or its
// last I/Os end with EIO.
bool Runner::device_is_gone() const {
  const TargetFacts& before = judgement_.facts;
  if (!is_device(before)) return false;
  try {
    const std::vector<TargetFacts> now = in_.host.probe(sweep_.spec.target);
    return !now.empty() && now.front().error_number != ETIMEDOUT &&
           (!is_device(now.front()) || now.front().size_bytes < before.size_bytes);
  } catch (const Error&) {
    return false;  // the launcher has other worries
  }
}

// The disk is free for the next run when the engine is reaped, for its lease dies with it.
void Runner::let_go(std::unique_ptr<EngineProcess> process, RunEnd end) {
  const milliseconds patience = end == RunEnd::done ? in_.timing.deadlines.reap : stuck_patience;
  if (end != RunEnd::stopped && wait_until_reaped(*process, patience)) return;
  if (process->wait_status()) return;
  process->kill();
  if (wait_until_reaped(*process, end == RunEnd::stopped ? kill_patience : stuck_patience)) return;
  engine_lingers_ = true;
  in_.linger(std::move(process));
}

void Runner::name_end(Run& run, const MeasureResult& result) const {
  switch (result.end) {
    case RunEnd::done:
      run.state = RunState::done;
      break;
    case RunEnd::failed:
      run.state = RunState::failed;
      run.error = result.failure.text;
      break;
    case RunEnd::stopped:
      run.state = interrupted() || !yielded_.empty() ? RunState::interrupted : RunState::cancelled;
      run.error = !yielded_.empty() ? yielded_
                  : interrupted()   ? std::string(stopped_text)
                                    : std::string("interrupted by the user");
      break;
  }
}

void Runner::complete(const PlannedRun& planned, Run& run, MeasureResult& result) {
  // The wall's clock may have been set meanwhile: a run lasted as long as it did.
  run.finished_at_ns =
      run.started_at_ns + static_cast<std::int64_t>(monotonic_now_ns() - run_began_ns_);
  name_end(run, result);
  const RunSummary summary = analysis::summarise(run);
  failpoint("run_measured");
  stored([&] { in_.store.runs().finish(run, summary); }, true);
  failpoint("run_stored");
  in_.meters.count_run(sweep_.plan.target, run);
  if (result.end != RunEnd::stopped) {
    schedule_->note(planned,
                    result.end == RunEnd::done ? std::optional(summary.iops) : std::nullopt);
    ++runs_done_;
    board_.count(runs_done_, runs_done_ + schedule_->most_left());
  }
  Event event;
  event.sweep_id = sweep_.id;
  event.kind = EventKind::run;
  event.run = summary;
  event.state = SweepState::running;
  event.progress = board_.now();
  in_.hub.publish(std::move(event));
  failpoint("run_told");
  if (result.end == RunEnd::stopped) {
    if (yielded_.empty()) throw Stopped{};
    return yield_to_others(planned);
  }
  if (result.end == RunEnd::failed) {
    spdlog::warn("sweep {}: run {}: {}: failed: {}", sweep_.id, run.id, point_text(run.setting),
                 run.error);
    return judge_failure(result.failure);
  }
  failures_in_a_row_ = 0;
  ++runs_good_;
  if (engine_lingers_) throw SweepFailure{"the engine gave its result and doesn't end"};
  spent_in_runs_s_ += static_cast<double>(run.finished_at_ns - run.started_at_ns) / 1e9;
  spdlog::info("sweep {}: run {}: {}: {:.0f} IOPS, {:.1f} MiB/s, mean {:.1f} us, p99 {:.1f} us",
               sweep_.id, run.id, point_text(run.setting), summary.iops,
               summary.bandwidth_bytes_per_s / 1048576, in_microseconds(summary.latency_mean_ns),
               in_microseconds(static_cast<double>(summary.latency_p99_ns)));
  if (sweep_.spec.workload.verify == 1)
    spdlog::info("sweep {}: run {}: {} bytes found as written", sweep_.id, run.id,
                 run.measurement.verified_bytes);
}

// One failure is a point's; a disk that is gone or hangs, or two in a row, are the sweep's.
void Runner::judge_failure(const RunFailure& failure) {
  last_failure_ = failure.text;
  ++failures_in_a_row_;
  if (failure.kind == FailureKind::hung || failure.kind == FailureKind::device_gone)
    throw SweepFailure{failure.text};
  if (failures_in_a_row_ >= 2) throw SweepFailure{"two runs in a row failed: " + failure.text};
  if (engine_lingers_)
    throw SweepFailure{"the engine of a failed run doesn't end: " + failure.text};
}

Load Runner::load_of(const Setting& setting, Task task) const {
  const SweepSpec& spec = sweep_.spec;
  Load load;
  load.task = task;
  load.rw = setting.rw;
  load.ioengine = judgement_.ioengine;
  load.thread = spec.thread ? 1 : 0;
  load.numjobs = setting.numjobs;
  load.iodepth = setting.iodepth;
  load.block_bytes = setting.block_bytes;
  load.files = judgement_.files;
  load.batch_submit = std::min(spec.batch_submit, setting.iodepth);
  load.batch_complete = std::min(spec.batch_complete, setting.iodepth);
  load.engine_flags = engine_flags_;
  load.offset_bytes = spec.offset_bytes;
  const std::uint64_t region =
      judgement_.scratch ? judgement_.file_bytes : judgement_.plan.size_bytes;
  load.size_bytes = region / setting.block_bytes * setting.block_bytes;
  load.ramp_ns = spec.ramp_time_ns;
  load.runtime_ns = spec.runtime_ns;
  load.seed = spec.seed.value_or(0);
  load.workload = spec.workload;
  load.cpus = parse_cpus(spec.cpus_allowed).value_or(CpuSet{});
  return load;
}

OpenRun Runner::request_of(std::uint32_t numjobs, bool write) const {
  OpenRun request;
  request.header.kind = ControlKind::open_run;
  request.descriptors = numjobs;
  request.write = write ? 1 : 0;
  // A mapping goes through the page cache whatever the descriptor would do.
  request.direct = sweep_.spec.direct && judgement_.ioengine != IoEngine::mmap ? 1 : 0;
  request.sync = sweep_.spec.workload.sync;
  if (judgement_.scratch) {
    request.scratch = 1;
    request.files = judgement_.files;
    request.descriptors = std::max(numjobs, judgement_.files);
    set_text(request.name, scratch_name(sweep_.uuid));
    if (judgement_.ioengine != IoEngine::null) request.expected_bytes = judgement_.file_bytes;
    return request;
  }
  request.expected_device = judgement_.facts.device;
  request.expected_inode = judgement_.facts.inode;
  request.expected_bytes = judgement_.facts.size_bytes;
  set_text(request.name, sweep_.spec.target);
  set_text(request.confirm, sweep_.spec.confirm);
  return request;
}

Circumstances Runner::circumstances() const {
  Circumstances about;
  if (in_.machine.machine) about = in_.machine.machine();
  const TargetFacts& facts = judgement_.facts;
  about.target = judgement_.plan.target;
  about.target_kind =
      std::string(to_string(judgement_.scratch ? TargetKind::regular_file : facts.kind));
  about.model = text_of(facts.model);
  about.serial = text_of(facts.serial);
  about.firmware = text_of(facts.firmware);
  about.filesystem = text_of(facts.filesystem);
  about.mount_options = text_of(facts.mount_options);
  about.io_scheduler = text_of(facts.io_scheduler);
  about.target_bytes =
      judgement_.scratch ? judgement_.file_bytes * judgement_.files : facts.size_bytes;
  about.logical_sector_bytes = facts.logical_sector_bytes;
  about.physical_sector_bytes = facts.physical_sector_bytes;
  about.in_use = facts.in_use != 0;
  about.block_storage = facts.block_storage != 0;
  return about;
}

}  // namespace iobenchd::scheduler
