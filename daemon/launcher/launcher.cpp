#include "daemon/launcher/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <optional>

#include "daemon/launcher/channel.h"
#include "daemon/launcher/child.h"
#include "daemon/launcher/log.h"
#include "daemon/launcher/opener.h"
#include "daemon/launcher/probe.h"
#include "daemon/launcher/signals.h"
#include "daemon/launcher/startup.h"
#include "daemon/model/clock.h"
#include "daemon/model/error.h"

namespace iobenchd::launcher {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t stop_patience_ns = 8 * second_ns;     // then the service is killed
constexpr std::uint64_t hang_up_patience_ns = 2 * second_ns;  // to end after closing the socket
constexpr std::uint64_t leave_after_ns = 9 * second_ns;       // then it is left to the kernel
constexpr std::uint64_t restart_window_ns = 60 * second_ns;
constexpr std::size_t restarts_in_window = 5;
constexpr std::size_t max_engines = 64;  // far beyond any number of disks side by side
constexpr std::size_t max_probes = 16;
constexpr int idle_poll_ms = 60'000;
constexpr int messages_a_turn = 64;  // so that a chatty service can't keep us from reaping

LogSink choose_sink(bool foreground) {
  if (!foreground) return LogSink::system;
  return std::getenv("JOURNAL_STREAM") != nullptr ? LogSink::journal : LogSink::terminal;
}

class Launcher {
 public:
  explicit Launcher(const Options& options)
      : options_(options), settings_(options.settings), log_(choose_sink(options.foreground)) {}

  int run();

 private:
  struct Child {  // an engine, or a probe
    std::uint64_t token = 0;
    pid_t pid = -1;
    std::uint64_t deadline_ns = 0;  // probes
    bool orphan = false;            // of a service that is gone: nobody waits for its end
  };

  void start();
  void turn();  // wait for something to happen, once
  void begin_stop();
  void reload();
  void read_log();
  void read_control();
  void handle(const Ready& ready);
  void handle(const OpenRun& request);
  void handle(const KillRun& request);
  void handle(const Probe& request);
  void reap();
  void on_service_end(int wait_status);
  void kill_overdue();
  void end_children();
  [[nodiscard]] int timeout_ms() const;
  void finish(int status) {
    status_ = status;
    finished_ = true;
  }

  const Options& options_;
  Settings settings_;
  Log log_;
  LineCutter cutter_;
  std::optional<Startup> startup_;
  PidFile pid_file_;
  sigset_t calm_{};  // the mask while waiting
  pid_t service_ = -1;
  std::optional<Channel> channel_;
  Descriptor service_log_;
  std::string refusal_;  // what the service said instead of ready
  std::vector<Child> engines_, probes_;
  std::deque<std::uint64_t> restarts_ns_;
  std::uint64_t stopping_since_ns_ = 0;  // 0: not stopping
  std::uint64_t hung_up_since_ns_ = 0;   // 0: the service's socket is open
  bool finished_ = false;
  int status_ = 0;
};

int Launcher::run() {
  startup_.emplace(options_.foreground);
  calm_ = install_signals();
  try {
    start();
    while (!finished_) {
      turn();
      if (asked_to_stop != 0) begin_stop();
      if (asked_to_reload != 0) reload();
      reap();
      kill_overdue();
    }
  } catch (const std::exception& error) {
    if (startup_->pending()) {
      startup_->fail(error.what());
    } else {
      log_.error(error.what());
    }
    finish(1);
  }
  end_children();
  return status_;
}

void Launcher::start() {
  ServiceProcess service = start_service(options_);
  service_ = service.pid;
  channel_.emplace(std::move(service.control));
  service_log_ = std::move(service.log);
  refusal_.clear();
  hung_up_since_ns_ = 0;
  SettingsMessage message{{}, settings_};
  message.header.kind = ControlKind::settings;
  if (!channel_->send(message)) kill_group(service_);
}

void Launcher::turn() {
  std::array<pollfd, 2> waits{};
  const bool talking = channel_ && !channel_->closed();
  waits[0].fd = talking ? channel_->descriptor() : -1;
  waits[0].events = POLLIN;
  if (talking && channel_->wants_to_send()) waits[0].events |= POLLOUT;
  waits[1].fd = service_log_.number();
  waits[1].events = POLLIN;
  const int wait_ms = timeout_ms();
  const timespec timeout{wait_ms / 1000, wait_ms % 1000 * 1'000'000L};
  if (ppoll(waits.data(), waits.size(), &timeout, &calm_) <= 0) return;
  if (waits[1].revents != 0) read_log();
  if ((waits[0].revents & POLLOUT) != 0) channel_->flush();
  if (waits[0].revents != 0) read_control();
}

int Launcher::timeout_ms() const {
  const std::uint64_t now_ns = monotonic_now_ns();
  std::uint64_t next_ns = now_ns + std::uint64_t{idle_poll_ms} * 1'000'000;
  for (const Child& probe : probes_) next_ns = std::min(next_ns, probe.deadline_ns);
  const bool watching = stopping_since_ns_ != 0 || hung_up_since_ns_ != 0;
  if (watching) next_ns = std::min(next_ns, now_ns + second_ns / 4);
  if (next_ns <= now_ns) return 0;
  return static_cast<int>((next_ns - now_ns) / 1'000'000) + 1;
}

void Launcher::read_log() {
  std::array<char, 16384> part{};
  const ssize_t length = read(service_log_.number(), part.data(), part.size());
  if (length < 0) return;
  if (length == 0) {
    service_log_.reset();
    return;
  }
  cutter_.feed({part.data(), static_cast<std::size_t>(length)},
               [&](int level, const std::string& text) { log_.line(level, text); });
}

void Launcher::read_control() {
  try {
    for (int i = 0; i < messages_a_turn; ++i) {
      const std::optional<FromService> message = channel_->receive();
      if (!message) return;
      std::visit([&](const auto& one) { handle(one); }, *message);
    }
  } catch (const Error& error) {
    // It is broken or not ours any more: a new one starts from what is stored.
    log_.error(error.what());
    kill_group(service_);
  }
}

void Launcher::handle(const Ready& ready) {
  if (ready.ok == 0) {
    refusal_ = text_of(ready.text);
    return;
  }
  log_.info("iobenchd listens on " + text_of(ready.text));
  if (!startup_->pending()) return;
  pid_file_.write_to(options_.pid_file);
  startup_->succeed();
  notify_supervisor("READY=1");
}

void Launcher::handle(const OpenRun& request) {
  if (engines_.size() >= max_engines || stopping_since_ns_ != 0) {
    log_.error("no engine started: " + std::to_string(engines_.size()) + " are there already");
    return;  // the service gives up after its own five seconds
  }
  SocketPair pair = make_socket_pair(SOCK_STREAM);
  const int pid =
      start_engine(request, settings_, options_.identity, options_.engine, pair.theirs.release());
  if (pid < 0) {
    log_.error("fork for an engine failed, errno " + std::to_string(-pid));
    return;
  }
  engines_.push_back({request.header.token, pid, 0, false});
  fcntl(pair.ours.number(), F_SETFL, O_NONBLOCK);
  RunStarted answer{{}, pid};
  answer.header.kind = ControlKind::run_started;
  answer.header.token = request.header.token;
  if (!channel_->send(answer, std::move(pair.ours))) kill_group(service_);
}

void Launcher::handle(const KillRun& request) {
  for (const Child& engine : engines_) {
    if (!engine.orphan && engine.token == request.header.token) kill_group(engine.pid);
  }
}

void Launcher::handle(const Probe& request) {
  if (probes_.size() >= max_probes || stopping_since_ns_ != 0) {
    log_.warning("too many probes at once: one is not answered");
    return;
  }
  ProbeProcess probe = start_probe(options_, request);
  const std::uint64_t limit_ns = std::uint64_t{probe_limit_ms} * 1'000'000;
  probes_.push_back({request.header.token, probe.pid, monotonic_now_ns() + limit_ns, false});
  RunStarted answer{{}, probe.pid};
  answer.header.kind = ControlKind::probe_started;
  answer.header.token = request.header.token;
  if (!channel_->send(answer, std::move(probe.answers))) kill_group(service_);
}

void Launcher::reap() {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const pid_t pid = info.si_pid;
    // While it is a zombie its number can't be anyone else's: now is the time to end its group.
    if (pid != service_) kill(-pid, SIGKILL);
    int wait_status = 0;
    if (waitpid(pid, &wait_status, 0) != pid) return;
    if (pid == service_) {
      on_service_end(wait_status);
      continue;
    }
    std::erase_if(probes_, [&](const Child& probe) { return probe.pid == pid; });
    const auto engine = std::find_if(engines_.begin(), engines_.end(),
                                     [&](const Child& one) { return one.pid == pid; });
    if (engine == engines_.end()) continue;
    const Child ended = *engine;
    engines_.erase(engine);
    if (ended.orphan || !channel_) continue;
    RunEnded message{};
    message.header.kind = ControlKind::run_ended;
    message.header.token = ended.token;
    message.wait_status = wait_status;
    if (!channel_->send(message)) kill_group(service_);
  }
}

void Launcher::on_service_end(int wait_status) {
  service_ = -1;
  read_control();  // what it said last may say why
  while (service_log_.is_open()) {
    const int before = service_log_.number();
    read_log();
    if (service_log_.number() == before) break;
  }
  channel_.reset();
  service_log_.reset();
  for (Child& engine : engines_) {
    engine.orphan = true;
    kill_group(engine.pid);
  }
  for (const Child& probe : probes_) kill_group(probe.pid);
  const std::string end = "the service ended with " + describe_end(wait_status);
  if (stopping_since_ns_ != 0) {
    log_.info("stopped");
    if (startup_->pending()) startup_->fail("told to stop before it was ready");
    return finish(0);
  }
  if (startup_->pending()) {
    startup_->fail(refusal_.empty() ? end + " before it was ready" : refusal_);
    return finish(1);
  }
  log_.error(refusal_.empty() ? end : end + ": " + refusal_);
  const std::uint64_t now_ns = monotonic_now_ns();
  while (!restarts_ns_.empty() && now_ns - restarts_ns_.front() > restart_window_ns)
    restarts_ns_.pop_front();
  if (restarts_ns_.size() >= restarts_in_window) {
    log_.error("the service ended too often within a minute; giving up");
    return finish(1);
  }
  restarts_ns_.push_back(now_ns);
  log_.warning("starting the service again");
  start();
}

void Launcher::begin_stop() {
  asked_to_stop = 0;
  if (stopping_since_ns_ != 0) return;
  stopping_since_ns_ = monotonic_now_ns();
  log_.info("stopping");
  notify_supervisor("STOPPING=1");
  if (!channel_) return finish(0);
  Stop message{};
  message.header.kind = ControlKind::stop;
  if (!channel_->send(message)) kill_group(service_);
}

void Launcher::reload() {
  asked_to_reload = 0;
  if (stopping_since_ns_ != 0) return;
  try {
    std::vector<std::string> needs_restart;
    settings_ = options_.reparse(needs_restart);
    for (const std::string& key : needs_restart)
      log_.warning(key + ": changed in the configuration, but that needs a restart");
    log_.info("configuration reloaded");
  } catch (const Error& error) {
    log_.error(std::string("configuration not reloaded, the old one stays: ") + error.what());
    return;
  }
  SettingsMessage message{{}, settings_};
  message.header.kind = ControlKind::settings;
  if (channel_ && !channel_->send(message)) kill_group(service_);
}

void Launcher::kill_overdue() {
  const std::uint64_t now_ns = monotonic_now_ns();
  for (const Child& probe : probes_) {
    if (now_ns >= probe.deadline_ns) kill_group(probe.pid);
  }
  // One that is stuck in the kernel stays in the list of the kernel alone.
  std::erase_if(probes_, [&](const Child& probe) { return now_ns >= probe.deadline_ns; });
  if (channel_ && channel_->closed() && hung_up_since_ns_ == 0) hung_up_since_ns_ = now_ns;
  // Without its socket it can't be told to stop, nor can it ask for anything.
  if (hung_up_since_ns_ != 0 && now_ns - hung_up_since_ns_ >= hang_up_patience_ns)
    kill_group(service_);
  if (stopping_since_ns_ == 0 || finished_) return;
  const std::uint64_t waited_ns = now_ns - stopping_since_ns_;
  if (waited_ns >= stop_patience_ns) kill_group(service_);
  if (waited_ns >= leave_after_ns) {
    log_.error("the service does not die; leaving it behind");
    finish(0);
  }
}

// Everything that still lives is killed; what the kernel holds on to is not waited for.
void Launcher::end_children() {
  kill_group(service_);
  for (const Child& engine : engines_) kill_group(engine.pid);
  for (const Child& probe : probes_) kill_group(probe.pid);
  constexpr timespec moment{0, 10'000'000};
  for (int i = 0; i < 50; ++i) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) return;
    if (ended == 0) nanosleep(&moment, nullptr);
  }
}

}  // namespace

int run(const Options& options) {
  Launcher launcher(options);
  return launcher.run();
}

}  // namespace iobenchd::launcher
