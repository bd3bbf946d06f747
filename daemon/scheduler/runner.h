// The story of one sweep, top to bottom: judge again, reference, grace, layout, flags, points,
// answer. Told by one worker thread; cancel, interrupt and progress are for the others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/events/hub.h"
#include "daemon/model/run.h"
#include "daemon/model/settings.h"
#include "daemon/model/sweep.h"
#include "daemon/scheduler/deadlines.h"
#include "daemon/scheduler/engine_host.h"
#include "daemon/scheduler/machine_probe.h"
#include "daemon/scheduler/measure.h"
#include "daemon/scheduler/meters.h"
#include "daemon/scheduler/other_io.h"
#include "daemon/scheduler/plan.h"
#include "daemon/scheduler/progress_board.h"
#include "daemon/scheduler/schedule.h"
#include "storage/store.h"

namespace iobenchd::scheduler {

// What a runner needs of the house. References outlive it.
struct Surroundings {
  storage::Store& store;
  events::Hub& hub;
  EngineHost& host;
  const MachineProbe& machine;
  const Timing& timing;
  Meters& meters;
  std::function<Settings()> settings;  // the newest
  std::function<Ability()> ability;
  // An engine that was killed and is not reaped yet: its disk stays taken.
  std::function<void(std::unique_ptr<EngineProcess>)> linger;
};

// The error of a run that ended because the daemon was told to stop. Unlike one that a crash tore
// away, it says nothing against its point.
inline constexpr const char* stopped_text = "interrupted: the daemon was stopped";

// How the error of a run begins that stopped because others needed the disk. It says nothing
// against its point either, until there were too many.
inline constexpr std::string_view yielded_text = "yielded: ";

class Runner {
 public:
  Runner(Surroundings surroundings, Sweep sweep);

  // Returns when the sweep is over, or queued again after interrupt(). Throws only what storage
  // throws when it can't even keep the end of the sweep.
  void run();
  void cancel() noexcept { stop_ = Stop::cancel; }  // the user doesn't want it any more
  void interrupt() noexcept;                        // the daemon stops; it goes on later
  [[nodiscard]] bool interrupted() const noexcept { return stop_ == Stop::interrupt; }
  [[nodiscard]] Progress progress() const { return board_.now(); }

 private:
  enum class Stop : std::uint8_t { none, cancel, interrupt };
  struct Stopped {};     // thrown to leave the story early
  struct SweepFailure {  // the same, with a reason
    std::string text;
  };
  struct Outcome {
    SweepState state = SweepState::done;
    std::string answer, error;
  };

  // The chapters (runner.cpp).
  Outcome tell();
  void begin();
  void recall_earlier_runs();
  void keep_engine_of(const std::vector<Run>& earlier);
  void take_reference();
  void give_grace();
  void lay_out_files();
  void precondition();
  void agree_on_flags();
  void fall_back(const std::string& why);
  void measure_points();
  Outcome answer();
  void clean_up();
  void end(const Outcome& outcome);

  // One run (runner_point.cpp).
  void measure_point(const PlannedRun& planned);
  [[nodiscard]] Run new_run(const PlannedRun& planned) const;
  [[nodiscard]] MeasureResult perform(Run& run);
  [[nodiscard]] MeasureResult measure_once(const Setting& setting, const Load& load);
  [[nodiscard]] MeasureResult measure_rounds(const Setting& setting, Load load);
  [[nodiscard]] Observer metered(const Load& load, const Observer& observer) const;
  [[nodiscard]] MeasureResult drive(const OpenRun& request, const Load& load,
                                    const Observer& observer);
  [[nodiscard]] bool device_is_gone() const;
  void note_health(Run& run) const;
  void complete(const PlannedRun& planned, Run& run, MeasureResult& result);
  void name_end(Run& run, const MeasureResult& result) const;
  void judge_failure(const RunFailure& failure);
  void let_go(std::unique_ptr<EngineProcess> process, RunEnd end);
  [[nodiscard]] Load load_of(const Setting& setting, Task task) const;
  [[nodiscard]] OpenRun request_of(std::uint32_t numjobs, bool write) const;
  [[nodiscard]] OpenRun filling_request(std::uint32_t descriptors) const;
  [[nodiscard]] Load filling_load() const;
  [[nodiscard]] Circumstances circumstances() const;

  // Others on the disk (runner_yield.cpp).
  [[nodiscard]] std::optional<OtherIo> watch_others() const;
  void note_yield(const OtherIo& others, const MeasureResult& result);
  void yield_to_others(const PlannedRun& planned);
  void wait_for_quiet(const Setting& setting);

  // Waiting (runner_wait.cpp).
  [[nodiscard]] bool stopping() const noexcept { return stop_ != Stop::none; }
  void check_stop() const;
  void rest(std::chrono::nanoseconds time);  // throws Stopped
  void stored(const std::function<void()>& action, bool even_when_cancelled);
  void wait_for_room(bool even_when_cancelled, const std::string& why);
  [[nodiscard]] double run_seconds() const;
  void expect_rest();
  void publish_state(SweepState state, const std::string& answer, const std::string& error);

  Surroundings in_;
  Sweep sweep_;
  ProgressBoard board_;
  std::atomic<Stop> stop_ = Stop::none;

  Judgement judgement_;
  Circumstances circumstances_;
  std::optional<Schedule> schedule_;
  std::map<PlannedRun, std::uint32_t> interruptions_, yields_;
  std::string yielded_;  // why the run that has just been stopped was; empty: not for others
  std::uint32_t runs_done_ = 0, runs_good_ = 0, runs_earlier_good_ = 0, failures_in_a_row_ = 0;
  std::string last_failure_;
  std::uint32_t engine_flags_ = engine_flag::all;
  bool flags_known_ = false;
  WakeupDelay reference_;
  bool files_made_ = false, engine_lingers_ = false, waits_for_room_ = false;
  double spent_in_runs_s_ = 0;
  std::uint64_t run_began_ns_ = 0;  // monotonic
};

// "randread 4k, depth 1, 8 jobs", as log lines name a point.
[[nodiscard]] std::string point_text(const Setting& setting);

}  // namespace iobenchd::scheduler
