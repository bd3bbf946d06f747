#include "daemon/service.h"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <time.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/server.h"
#include "daemon/events/hub.h"
#include "daemon/model/control.h"
#include "daemon/platform/platform.h"
#include "daemon/sandbox.h"
#include "daemon/scheduler/scheduler.h"
#include "daemon/scheduler/schedules.h"
#include "daemon/service_host.h"
#include "daemon/service_log.h"
#include "daemon/service_machine.h"
#include "storage/store.h"

namespace iobenchd {
namespace {

// Those are the launcher's to hear; it tells us what to do over the socket. PIPE is a client that
// went away.
void ignore_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// A reload may come before there is anybody to tell, and after: the newest is kept for the first
// case, and nobody is told in the second.
class Reloads {
 public:
  void take(const Settings& settings) {
    const std::lock_guard lock(mutex_);
    if (!listener_) {
      early_ = std::make_unique<Settings>(settings);
      return;
    }
    listener_(settings);
  }
  void listen(std::function<void(const Settings&)> listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
    if (early_) listener_(*early_);
    early_.reset();
  }
  void stop_listening() {
    const std::lock_guard lock(mutex_);
    listener_ = [](const Settings&) {};
  }

 private:
  std::mutex mutex_;
  std::function<void(const Settings&)> listener_;
  std::unique_ptr<Settings> early_;
};

// Left in any way, by a stop or by a port that is taken: runs are interrupted first, so that what
// fails next is not held against them; then nobody waits for the launcher any more.
class Leaving {
 public:
  Leaving(scheduler::Scheduler& scheduler, ServiceHost& host)
      : scheduler_(scheduler), host_(host) {}
  ~Leaving() {
    scheduler_.interrupt();
    host_.abandon();
  }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;

 private:
  scheduler::Scheduler& scheduler_;
  ServiceHost& host_;
};

// Stopping is starting, reversed: every line's destructor undoes it.
void serve(const Settings& settings) {
  scheduler::MachineProbe machine = machine_probe();  // looks around before the cage closes
  tzset();  // schedules go by local time, and the zone's file is behind the bars of the cage
  const std::string open_doors = confine_service(settings);
  if (!open_doors.empty()) spdlog::warn("sandbox: {}", open_doors);
  storage::Store store(text_of(settings.database));
  store.on_damage([](const std::string& why) { spdlog::error("{}", why); });
  store.keep_ballast();
  events::Hub hub;
  Reloads reloads;
  ServiceHost host(control_fd, [&](const Settings& fresh) { reloads.take(fresh); });
  if (platform::only_a_probe_may_ask()) let_a_probe_ask(machine, host);
  const std::function<double()> load_average = machine.load_average;
  scheduler::Scheduler scheduler(store, hub, host, settings, std::move(machine));
  scheduler::Schedules schedules(store, scheduler, settings, load_average);
  const Leaving leaving(scheduler, host);  // before schedules.stop(), which may wait for an answer
  api::Context context{store, hub, scheduler};
  context.schedules = &schedules;
  api::Server server(context, settings);
  server.start();
  schedules.start();
  reloads.listen([&](const Settings& fresh) {
    set_service_log_level(fresh.log_level);
    scheduler.reload(fresh);
    schedules.reload(fresh);
    server.reload(fresh);
  });
  host.tell_ready(true, joined(server.addresses()));
  host.wait_for_stop();
  reloads.stop_listening();
  hub.close();
  store.leave();
  server.stop();
}

}  // namespace

int run_service() {
  ignore_signals();
  try {
    const auto settings = std::make_unique<Settings>(receive_settings(control_fd));
    start_service_log(log_fd, settings->log_level);
    serve(*settings);
    return 0;
  } catch (const std::exception& error) {
    tell_not_ready(control_fd, error.what());
    return 1;
  }
}

}  // namespace iobenchd
