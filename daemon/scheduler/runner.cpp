#include "daemon/scheduler/runner.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"
#include "daemon/model/failpoint.h"
#include "daemon/scheduler/plan_target.h"
#include "daemon/scheduler/scratch.h"
#include "daemon/scheduler/wakeup_probe.h"

namespace iobenchd::scheduler {
namespace {

constexpr const char* cancelled_text = "cancelled by the user";
constexpr std::uint64_t layout_block_bytes = std::uint64_t{1} << 20;

bool share(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::any_of(some.begin(), some.end(), [&](const std::string& name) {
    return std::find(others.begin(), others.end(), name) != others.end();
  });
}

PlannedRun planned_of(const Run& run) {
  return {run.setting, run.repeat, run.is_drift_check};
}

}  // namespace

Runner::Runner(Surroundings surroundings, Sweep sweep)
    : in_(std::move(surroundings)), sweep_(std::move(sweep)), board_(in_.hub, sweep_.id) {
  board_.count(sweep_.runs_done, sweep_.plan.runs);
  board_.expect(sweep_.plan.seconds);
}

void Runner::run() {
  Outcome outcome;
  try {
    outcome = tell();
  } catch (const Stopped&) {
    outcome = {SweepState::cancelled, "", cancelled_text};
  } catch (const SweepFailure& failure) {
    outcome = {SweepState::failed, "", failure.text};
  } catch (const Error& error) {
    // What breaks while the daemon stops is the stopping's fault, not the sweep's.
    outcome = interrupted() ? Outcome{SweepState::cancelled, "", ""}
                            : Outcome{SweepState::failed, "", error.what()};
  }
  clean_up();
  try {
    end(outcome);
  } catch (const Stopped&) {
    // No room and no time left: the next start finds the sweep running and takes it up.
  }
}

Runner::Outcome Runner::tell() {
  begin();
  recall_earlier_runs();
  take_reference();
  give_grace();
  lay_out_files();
  precondition();
  agree_on_flags();
  measure_points();
  return answer();
}

// The facts may have changed since the sweep was queued: it is judged once more.
void Runner::begin() {
  check_stop();
  if (sweep_.state == SweepState::queued)
    stored([&] { in_.store.sweeps().set_started(sweep_.id); }, false);
  failpoint("sweep_started");
  publish_state(SweepState::running, "", "");
  const Settings settings = in_.settings();
  const bool scratch = sweep_.spec.target.empty();
  const std::string directory = text_of(settings.scratch_dir);
  if (scratch) static_cast<void>(remove_scratch(directory, sweep_.uuid));  // of an earlier life
  const auto facts = in_.host.probe(scratch ? directory : sweep_.spec.target);
  if (facts.empty()) throw Error(ErrorCode::unavailable, "the target didn't answer");
  judgement_ = judge(sweep_.spec, facts.front(), settings, in_.ability());
  circumstances_ = circumstances();
  const auto home = in_.host.probe(text_of(settings.database));
  circumstances_.database_on_target =
      !home.empty() && share(leaves_of(home.front()), leaves_of(judgement_.facts));
  if (judgement_.plan.ioengine != sweep_.plan.ioengine)
    stored([&] { in_.store.sweeps().set_plan(sweep_.id, judgement_.plan); }, false);
  sweep_.plan = judgement_.plan;
  schedule_.emplace(sweep_.spec, judgement_.most_jobs, sweep_.spec.seed.value_or(0));
  spdlog::info("sweep {}: started: {} on {}, {}, at most {} runs, {:.0f} s", sweep_.id,
               sweep_.spec.preset, sweep_.plan.target, sweep_.plan.ioengine, sweep_.plan.runs,
               sweep_.plan.seconds);
}

// What an earlier life of the daemon measured stands; what it was torn away from is counted.
void Runner::recall_earlier_runs() {
  const std::vector<Run> earlier = in_.store.runs().of_sweep(sweep_.id);
  keep_engine_of(earlier);
  for (const Run& run : earlier) {
    if (run.state == RunState::interrupted) {
      if (run.error.starts_with(yielded_text))
        ++yields_[planned_of(run)];
      else if (run.error != stopped_text)
        ++interruptions_[planned_of(run)];
      continue;
    }
    if (run.state == RunState::failed) {
      schedule_->note(planned_of(run), std::nullopt);
      last_failure_ = run.error;
      ++runs_done_;
    } else if (run.state == RunState::done) {
      schedule_->note(planned_of(run), analysis::summarise(run).iops);
      ++runs_done_;
      ++runs_earlier_good_;
    }
  }
  if (runs_done_ > 0) spdlog::info("sweep {}: {} runs are done already", sweep_.id, runs_done_);
  static_cast<void>(schedule_->next());
  expect_rest();
}

// One engine measures all of a sweep: what the runs before a restart were measured with stays,
// whatever `auto` would take today.
void Runner::keep_engine_of(const std::vector<Run>& earlier) {
  const auto good = std::find_if(earlier.rbegin(), earlier.rend(),
                                 [](const Run& run) { return run.state == RunState::done; });
  if (good == earlier.rend()) return;
  const IoEngine used = good->measurement.ioengine;
  flags_known_ = used == IoEngine::io_uring;
  if (flags_known_) engine_flags_ = good->measurement.engine_flags;
  if (judgement_.ioengine == IoEngine::io_uring && used != IoEngine::io_uring)
    fall_back("it couldn't be had when this sweep began");
  if (judgement_.ioengine == used) return;
  const std::string why = in_.ability().why_no_io_uring;
  throw SweepFailure{"its runs before the restart were measured with " +
                     std::string(to_string(used)) + ", which can't be had any more" +
                     (used == IoEngine::io_uring ? " (" + why + ")" : "") +
                     ": a curve is of one engine, so post the sweep again"};
}

void Runner::take_reference() {
  const bool brief = sweep_.plan.seconds < short_sweep_seconds;
  const double seconds = brief ? in_.timing.short_reference_s : in_.timing.reference_s;
  if (brief)
    spdlog::info("sweep {}: it is short, and so is the reference of wake-up delays: {} s",
                 sweep_.id, seconds);
  board_.enter(SweepPhase::reference);
  WakeupProbe probe;
  rest(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)));
  reference_ = probe.seen();
}

// With the first write what is on a disk is gone: until then there is time to think better of it,
// after a restart as well. The phase is left before the last look, so that a cancel that still
// finds it has come in time.
void Runner::give_grace() {
  if (!overwrites_device(sweep_.spec, judgement_.facts)) return;
  const double seconds = std::chrono::duration<double>(in_.timing.grace).count();
  spdlog::warn("sweep {}: overwrites {} in {:.0f} s unless it is cancelled", sweep_.id,
               sweep_.plan.target, seconds);
  board_.expect(seconds + schedule_->most_left() * run_seconds());
  board_.enter(SweepPhase::grace);
  rest(in_.timing.grace);
  expect_rest();
  board_.enter(SweepPhase::ramp);
  check_stop();
}

// A layout syncs in large steps by itself, whatever the workload's own writes do.
OpenRun Runner::filling_request(std::uint32_t descriptors) const {
  OpenRun request = request_of(descriptors, true);
  request.sync = Sync::none;
  return request;
}

// Bytes like those of the workload's own writes: what compresses otherwise reads otherwise.
Load Runner::filling_load() const {
  Load load;
  load.task = Task::layout;
  load.seed = sweep_.spec.seed.value_or(0);
  load.workload.buffer_compress_percentage = sweep_.spec.workload.buffer_compress_percentage;
  return load;
}

void Runner::lay_out_files() {
  if (!judgement_.scratch) return;
  board_.enter(SweepPhase::layout);
  files_made_ = true;
  Load load = filling_load();
  load.numjobs = load.files = judgement_.files;
  // Nothing is read back by the null loop: a block is enough to have a file.
  load.size_bytes = judgement_.ioengine == IoEngine::null ? std::uint64_t{layout_block_bytes}
                                                          : judgement_.file_bytes;
  load.block_bytes = static_cast<std::uint32_t>(std::gcd(load.size_bytes, layout_block_bytes));
  OpenRun request = filling_request(judgement_.files);
  request.create = 1;
  request.expected_bytes = 0;
  Observer observer;
  observer.on_tick = [&](const Tick& tick) {
    if (tick.total_bytes > 0)
      board_.layout(tick.done_bytes, tick.total_bytes, schedule_->most_left() * run_seconds());
  };
  observer.stop_requested = [this] { return stopping(); };
  const MeasureResult result = drive(request, load, observer);
  check_stop();
  if (result.end != RunEnd::done)
    throw SweepFailure{"the scratch file could not be written: " + result.failure.text};
  failpoint("layout_done");
  spdlog::info("sweep {}: laid out {} in {:.1f} s", sweep_.id,
               size_text(load.size_bytes * load.files),
               static_cast<double>(result.measurement.measured_ns) / 1e9);
}

// What was never written, or was discarded, is read from nowhere and written too fast: SNIA has a
// disk written over once, from its beginning to its end, whatever is measured of it. An earlier
// life of this sweep has done it where it has measured anything.
void Runner::precondition() {
  if (!sweep_.spec.precondition || judgement_.scratch || runs_done_ > 0) return;
  board_.enter(SweepPhase::precondition);
  Load load = filling_load();
  load.block_bytes = std::max(512U, judgement_.facts.logical_sector_bytes);
  load.size_bytes = judgement_.facts.size_bytes / load.block_bytes * load.block_bytes;
  Observer observer;
  observer.on_tick = [&](const Tick& tick) {
    if (tick.total_bytes > 0)
      board_.layout(tick.done_bytes, tick.total_bytes, schedule_->most_left() * run_seconds());
  };
  observer.stop_requested = [this] { return stopping(); };
  const MeasureResult result = drive(filling_request(1), load, observer);
  check_stop();
  if (result.end != RunEnd::done)
    throw SweepFailure{"the disk could not be preconditioned: " + result.failure.text};
  spdlog::info("sweep {}: preconditioned {} in {:.1f} s", sweep_.id, size_text(load.size_bytes),
               static_cast<double>(result.measurement.measured_ns) / 1e9);
}

// Decided once, by the largest point: what one point has, all have. Only io_uring knows flags.
void Runner::agree_on_flags() {
  if (judgement_.ioengine != IoEngine::io_uring || flags_known_) return;
  const SweepSpec& spec = sweep_.spec;
  const Setting largest{spec.rw.front(), *std::max_element(spec.bs.begin(), spec.bs.end()),
                        *std::max_element(spec.iodepth.begin(), spec.iodepth.end()),
                        judgement_.most_jobs};
  Observer observer;
  observer.stop_requested = [this] { return stopping(); };
  const MeasureResult result = drive(request_of(largest.numjobs, writes(largest.rw)),
                                     load_of(largest, Task::trial), observer);
  check_stop();
  if (result.end == RunEnd::done) {
    engine_flags_ = result.measurement.engine_flags;
    flags_known_ = true;
    return;
  }
  // A target that is busy, memory that is short or a CPU that isn't there says nothing of io_uring.
  if (spec.ioengine != IoEngine::automatic || result.failure.kind != FailureKind::no_io_uring)
    throw SweepFailure{result.failure.text};
  const std::uint32_t files = judgement_.files;
  fall_back(result.failure.text);
  if (judgement_.files == files) return;
  // Threads hold fewer jobs, and the working set is split over as many files as there are jobs.
  const std::string trouble = remove_scratch(text_of(in_.settings().scratch_dir), sweep_.uuid);
  if (!trouble.empty()) throw SweepFailure{"the scratch files can't be laid out anew: " + trouble};
  lay_out_files();
}

// To what `auto` takes without io_uring, by the judgement that it would have had from the first:
// throws Error{invalid} where the grid needs more threads than one machine bears.
void Runner::fall_back(const std::string& why) {
  spdlog::warn("sweep {}: io_uring can't be had here: {}", sweep_.id, why);
  Ability ability = in_.ability();
  ability.io_uring = false;
  ability.why_no_io_uring = why;
  const TargetFacts facts = judgement_.facts;
  judgement_ = judge(sweep_.spec, facts, in_.settings(), ability);
  sweep_.plan = judgement_.plan;
  schedule_->limit_jobs(judgement_.most_jobs);
  stored([&] { in_.store.sweeps().set_plan(sweep_.id, sweep_.plan); }, false);
  spdlog::warn("sweep {}: measured with {} instead", sweep_.id, sweep_.plan.ioengine);
}

void Runner::measure_points() {
  bool first = true;
  while (const std::optional<PlannedRun> planned = schedule_->next()) {
    check_stop();
    if (!first && sweep_.spec.cooldown_ns > 0) {
      board_.enter(SweepPhase::cooldown);
      rest(std::chrono::nanoseconds(sweep_.spec.cooldown_ns));
    }
    first = false;
    expect_rest();
    measure_point(*planned);
  }
}

Runner::Outcome Runner::answer() {
  if (runs_good_ + runs_earlier_good_ == 0) throw SweepFailure{last_failure_};
  const std::vector<Run> runs = in_.store.runs().of_sweep(sweep_.id);
  return {SweepState::done, analysis::analyse(sweep_.spec, runs).answer, ""};
}

// A stuck engine's files are left alone: unlinking on a hung disk would hang this thread as well.
// The next start removes them.
void Runner::clean_up() {
  if (!files_made_ || engine_lingers_) return;
  if (sweep_.spec.keep_file && !interrupted()) return;
  const std::string trouble = remove_scratch(text_of(in_.settings().scratch_dir), sweep_.uuid);
  if (!trouble.empty()) spdlog::warn("sweep {}: test file not removed: {}", sweep_.id, trouble);
}

void Runner::end(const Outcome& outcome) {
  if (interrupted() && outcome.state == SweepState::cancelled) {
    board_.enter(SweepPhase::waiting);
    stored([&] { in_.store.sweeps().set_queued(sweep_.id); }, true);
    publish_state(SweepState::queued, "", "");
    spdlog::info("sweep {}: interrupted, goes on at the next start", sweep_.id);
    return;
  }
  failpoint("sweep_over");
  stored(
      [&] { in_.store.sweeps().finish(sweep_.id, outcome.state, outcome.answer, outcome.error); },
      true);
  failpoint("sweep_ended");
  in_.meters.count_sweep(outcome.state);
  board_.expect(0);
  board_.enter(SweepPhase::finished);
  publish_state(outcome.state, outcome.answer, outcome.error);
  if (outcome.state == SweepState::failed)
    spdlog::error("sweep {}: failed: {}", sweep_.id, outcome.error);
  else
    spdlog::info("sweep {}: {}: {}", sweep_.id, to_string(outcome.state),
                 outcome.answer.empty() ? outcome.error : outcome.answer);
}

}  // namespace iobenchd::scheduler
