#include "daemon/client/run.h"

#include <signal.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>

#include "api/client.h"
#include "api/render.h"
#include "daemon/analysis/analysis.h"
#include "daemon/client/forker.h"
#include "daemon/client/place.h"
#include "daemon/client/terminal.h"
#include "daemon/events/hub.h"
#include "daemon/model/error.h"
#include "daemon/places.h"
#include "daemon/scheduler/scheduler.h"
#include "daemon/scheduler/scratch.h"
#include "daemon/service_host.h"
#include "daemon/service_machine.h"
#include "storage/store.h"

namespace iobenchd::client {
namespace {

volatile std::sig_atomic_t ended_by_signal = 0;

void on_signal(int) {
  ended_by_signal = 1;
}

void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

bool is_over(SweepState state) {
  return state != SweepState::queued && state != SweepState::running;
}

// Watches the sweep until it is over. The first signal cancels it, which takes under a second
// whatever the disk does.
void follow(storage::Store& store, scheduler::Scheduler& scheduler, events::Subscription& events,
            std::int64_t id, ProgressDisplay& display) {
  bool cancelled = false;
  auto event = std::make_unique<Event>();
  while (true) {
    if (ended_by_signal != 0 && !cancelled) {
      cancelled = true;
      display.say("ending early");
      try {
        scheduler.cancel(id);
      } catch (const Error&) {
        // It ended by itself at the same moment.
      }
    }
    switch (events.next(*event, std::chrono::milliseconds(200))) {
      case events::Next::event:
        if (event->kind == EventKind::progress) display.progress(event->progress);
        if (event->kind == EventKind::run) display.run(event->run, event->progress);
        if (event->kind == EventKind::state && is_over(event->state)) return;
        break;
      case events::Next::timeout:
        break;
      case events::Next::dropped:  // fell behind: the truth is in the store
      case events::Next::closed: {
        const auto sweep = store.sweeps().find(id);
        if (!sweep || is_over(sweep->state)) return;
        break;
      }
    }
  }
}

int report(const RunOptions& options, const Sweep& sweep, const std::vector<Run>& runs) {
  const SweepResult result = analysis::analyse(sweep.spec, runs);
  const std::string text =
      options.json ? api::sweep_report(sweep, result, runs)
                   : for_reader(api::render_text(sweep, result) + interrupted_text(runs));
  std::fputs(text.c_str(), stdout);
  if (std::fflush(stdout) != 0) return status_failed;
  if (sweep.state == SweepState::cancelled) return status_ctrl_c;
  return sweep.state == SweepState::done && sweep.runs_failed == 0 ? status_good : status_failed;
}

// The scheduler leaves the file of an engine that doesn't end in time to the daemon's next start.
// Here is none: on a machine that is only slow the file goes now, open as it may still be.
void remove_leftovers(const Place& place, const std::string& uuid, ProgressDisplay& display) {
  const std::string trouble = scheduler::remove_scratch(place.scratch_dir, uuid);
  if (!trouble.empty()) display.say("the scratch file is left behind: " + trouble);
}

void explain_place(const Place& place, const SweepSpec& spec, ProgressDisplay& display) {
  if (!place.target.empty()) return;
  display.say("a scratch file in " + place.scratch_dir + ", " +
              (spec.keep_file ? "kept" : "deleted") + " afterwards");
}

}  // namespace

int run(const RunOptions& options, const std::string& program) {
  const Place place = find_place(options.file);
  const SweepSpec spec = spec_for(options.fields, place);
  spdlog::set_level(spdlog::level::off);  // what happens is shown, not logged
  const WorkDirectory work;
  const auto settings = std::make_unique<Settings>(settings_for(place, work));
  const Forker forker(*settings, program, find_engine(program));  // before the first thread
  listen_to_signals();
  storage::Store store(text_of(settings->database));
  events::Hub hub;
  ServiceHost host(forker.control(), [](const Settings&) {});
  scheduler::Scheduler scheduler(store, hub, host, *settings, machine_probe());
  const auto events = hub.subscribe(0, 0);
  Sweep sweep;
  {
    ProgressDisplay display;
    sweep = scheduler.submit(spec);
    explain_place(place, spec, display);
    follow(store, scheduler, *events, sweep.id, display);
    if (spec.keep_file && place.target.empty()) display.say(keep_scratch(place, sweep.uuid));
    if (!spec.keep_file && place.target.empty()) remove_leftovers(place, sweep.uuid, display);
  }
  sweep = store.sweeps().find(sweep.id).value_or(sweep);
  return report(options, sweep, store.runs().of_sweep(sweep.id));
}

}  // namespace iobenchd::client
