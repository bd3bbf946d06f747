#include "daemon/service_host.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <utility>

#include "daemon/model/error.h"

namespace iobenchd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds answer_patience{5};
constexpr std::chrono::seconds facts_patience{6};  // the launcher ends a probe after 5
constexpr int poll_step_ms = 50;
constexpr const char* launcher_is_gone = "the launcher doesn't listen any more";

// The largest message there is; a longer packet is no message.
union AnyMessage {
  ControlHeader header;
  SettingsMessage settings;
  RunStarted started;
  RunEnded ended;
  Stop stop;
  AnyMessage() : header() {}
};

struct Packet {
  std::unique_ptr<AnyMessage> message = std::make_unique<AnyMessage>();
  std::size_t size = 0;  // 0: the launcher is gone
  int descriptor = -1;
};

int descriptor_in(msghdr& head) noexcept {
  int descriptor = -1;
  for (cmsghdr* part = CMSG_FIRSTHDR(&head); part != nullptr; part = CMSG_NXTHDR(&head, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
        part->cmsg_len == CMSG_LEN(sizeof(int)))
      std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
  }
  return descriptor;
}

Packet receive(int control) {
  Packet packet;
  iovec part{packet.message.get(), sizeof(AnyMessage)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> beside{};
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = beside.data();
  head.msg_controllen = static_cast<socklen_t>(beside.size());
  ssize_t got = 0;
  do {
    got = recvmsg(control, &head, 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return packet;
  packet.size = static_cast<std::size_t>(got);
  packet.descriptor = descriptor_in(head);
  if (packet.descriptor >= 0) fcntl(packet.descriptor, F_SETFD, FD_CLOEXEC);
  return packet;
}

void require_size(const Packet& packet, std::size_t size) {
  if (packet.size != size) throw Error(ErrorCode::internal, "a launcher's message of odd size");
}

[[noreturn]] void throw_stopping() {
  throw Error(ErrorCode::unavailable, "the daemon is stopping");
}

Ready ready_message(bool ok, const std::string& text) {
  Ready ready;
  ready.header.kind = ControlKind::ready;
  ready.ok = ok ? 1 : 0;
  set_text(ready.text, text);
  return ready;
}

// Reads structs until end of file. What doesn't come in time isn't there.
std::vector<TargetFacts> read_facts(int descriptor, const std::function<bool()>& abandoned) {
  std::vector<TargetFacts> all;
  TargetFacts facts;
  std::size_t filled = 0;
  const Clock::time_point until = Clock::now() + facts_patience;
  while (Clock::now() < until && !abandoned()) {
    pollfd waiting{descriptor, POLLIN, 0};
    if (poll(&waiting, 1, poll_step_ms) <= 0) continue;
    const ssize_t got =
        read(descriptor, reinterpret_cast<char*>(&facts) + filled, sizeof facts - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled < sizeof facts) continue;
    check_facts(facts);
    all.push_back(facts);
    filled = 0;
  }
  return all;
}

}  // namespace

// One engine, as the launcher made it.
class LaunchedEngine final : public scheduler::EngineProcess {
 public:
  LaunchedEngine(ServiceHost& host, std::uint64_t token, int socket)
      : host_(host), token_(token), socket_(socket) {}
  ~LaunchedEngine() override {
    close(socket_);
    host_.forget(token_);
  }
  LaunchedEngine(const LaunchedEngine&) = delete;
  LaunchedEngine& operator=(const LaunchedEngine&) = delete;

  [[nodiscard]] int socket() const override { return socket_; }
  void kill() override {
    KillRun message;
    message.header.kind = ControlKind::kill_run;
    message.header.token = token_;
    try {
      host_.send_message(message);
    } catch (const Error&) {
      // The launcher is gone: the engine ends with our socket, or with its own death.
    }
  }
  [[nodiscard]] std::optional<int> wait_status() override { return host_.wait_status(token_); }

 private:
  ServiceHost& host_;
  std::uint64_t token_;
  int socket_;
};

ServiceHost::ServiceHost(int control, std::function<void(const Settings&)> on_settings)
    : control_(control),
      on_settings_(std::move(on_settings)),
      reader_([this] { read_messages(); }) {}

ServiceHost::~ServiceHost() {
  abandon();
  shutdown(control_, SHUT_RD);
  reader_.join();
}

template <typename Message>
bool ServiceHost::try_to_send(const Message& message) const {
  ssize_t sent = 0;
  do {
    sent = send(control_, &message, sizeof message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

// Without a launcher the service ends. Who asked waits until it has begun to, for only then is what
// fails not held against a sweep: its runs are interrupted.
template <typename Message>
void ServiceHost::send_message(const Message& message) {
  if (try_to_send(message)) return;
  std::unique_lock lock(mutex_);
  stop_said_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, answer_patience, [this] { return abandoned_; });
  throw Error(ErrorCode::unavailable, launcher_is_gone);
}

std::unique_ptr<scheduler::EngineProcess> ServiceHost::open(const OpenRun& request) {
  OpenRun message = request;
  message.header = ControlHeader{};
  message.header.kind = ControlKind::open_run;
  message.header.token = ask();
  send_message(message);
  const int descriptor = wait_for_descriptor(message.header.token, "start an engine");
  return std::make_unique<LaunchedEngine>(*this, message.header.token, descriptor);
}

std::vector<TargetFacts> ServiceHost::put(Probe question) {
  question.header.kind = ControlKind::probe;
  question.header.token = ask();
  send_message(question);
  const int descriptor = wait_for_descriptor(question.header.token, "probe a disk");
  forget(question.header.token);
  std::vector<TargetFacts> facts;
  try {
    facts = read_facts(descriptor, [this] { return abandoned(); });
  } catch (...) {
    close(descriptor);
    throw;
  }
  close(descriptor);
  if (abandoned()) throw_stopping();
  return facts;
}

std::vector<TargetFacts> ServiceHost::probe(const std::string& path) {
  Probe question;
  set_text(question.path, path);
  std::vector<TargetFacts> facts = put(question);
  if (!path.empty() && facts.empty()) {
    set_text(facts.emplace_back().path, path);
    facts.back().error_number = ETIMEDOUT;
  }
  return facts;
}

TargetFacts ServiceHost::counters(const std::string& leaf) noexcept {
  try {
    Probe question;
    question.question = ProbeQuestion::counters;
    set_text(question.path, leaf);
    const std::vector<TargetFacts> answer = put(question);
    return answer.empty() ? TargetFacts{} : answer.front();
  } catch (const std::exception& error) {
    spdlog::warn("the counters of {} are unknown: {}", leaf, error.what());
    return {};
  }
}

void ServiceHost::tell_ready(bool ok, const std::string& text) {
  if (!try_to_send(ready_message(ok, text))) throw Error(ErrorCode::unavailable, launcher_is_gone);
}

void ServiceHost::wait_for_stop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_said_; });
}

void ServiceHost::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

void ServiceHost::read_messages() {
  try {
    while (read_message()) {
    }
  } catch (const std::exception& error) {
    spdlog::error("control socket: {}", error.what());
  }
  const std::lock_guard lock(mutex_);
  stop_said_ = launcher_gone_ = true;
  changed_.notify_all();
}

bool ServiceHost::read_message() {
  const Packet packet = receive(control_);
  if (packet.size == 0) return false;
  if (packet.size < sizeof(ControlHeader) || packet.message->header.magic != ControlHeader{}.magic)
    throw Error(ErrorCode::internal, "the launcher's message is none");
  const ControlHeader& header = packet.message->header;
  switch (header.kind) {
    case ControlKind::settings:
      require_size(packet, sizeof(SettingsMessage));
      check_settings(packet.message->settings.settings);
      on_settings_(packet.message->settings.settings);
      return true;
    case ControlKind::run_started:
    case ControlKind::probe_started:
      require_size(packet, sizeof(RunStarted));
      take_descriptor(header.token, packet.descriptor);
      return true;
    case ControlKind::run_ended:
      require_size(packet, sizeof(RunEnded));
      take_end(header.token, packet.message->ended.wait_status);
      return true;
    case ControlKind::stop: {
      const std::lock_guard lock(mutex_);
      stop_said_ = true;
      changed_.notify_all();
      return true;  // engines still end, and their ends are still heard
    }
    case ControlKind::ready:
    case ControlKind::open_run:
    case ControlKind::kill_run:
    case ControlKind::probe:
      break;
  }
  throw Error(ErrorCode::internal, "the launcher says what only the service may say");
}

void ServiceHost::take_descriptor(std::uint64_t token, int descriptor) {
  const std::lock_guard lock(mutex_);
  const auto at = asked_.find(token);
  if (at == asked_.end()) {
    if (descriptor >= 0) close(descriptor);  // too late: the engine ends with its socket
    return;
  }
  at->second.descriptor = descriptor;
  changed_.notify_all();
}

void ServiceHost::take_end(std::uint64_t token, int wait_status) {
  const std::lock_guard lock(mutex_);
  const auto at = asked_.find(token);
  if (at != asked_.end()) at->second.wait_status = wait_status;
}

std::uint64_t ServiceHost::ask() {
  const std::lock_guard lock(mutex_);
  if (abandoned_) throw_stopping();
  asked_[++last_token_] = Asked{};
  return last_token_;
}

int ServiceHost::wait_for_descriptor(std::uint64_t token, const char* what) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, answer_patience,
                    [&] { return abandoned_ || asked_[token].descriptor >= 0; });
  const int descriptor = asked_[token].descriptor;
  if (descriptor >= 0) return descriptor;
  asked_.erase(token);
  if (abandoned_) throw_stopping();
  throw Error(ErrorCode::unavailable,
              std::string("the launcher could not ") + what + " within 5 s; its log says why");
}

void ServiceHost::forget(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  asked_.erase(token);
}

std::optional<int> ServiceHost::wait_status(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto at = asked_.find(token);
  if (at == asked_.end()) return std::nullopt;
  // Nobody is left to say. If the engine doesn't end, its lease tells the next life of the daemon.
  if (launcher_gone_ && !at->second.wait_status) return SIGKILL;
  return at->second.wait_status;
}

bool ServiceHost::abandoned() {
  const std::lock_guard lock(mutex_);
  return abandoned_;
}

Settings receive_settings(int control) {
  const Packet packet = receive(control);
  if (packet.size != sizeof(SettingsMessage) ||
      packet.message->header.magic != ControlHeader{}.magic ||
      packet.message->header.kind != ControlKind::settings)
    throw Error(ErrorCode::internal, "the launcher didn't begin with the settings");
  check_settings(packet.message->settings.settings);
  return packet.message->settings.settings;
}

void tell_not_ready(int control, const std::string& why) {
  const Ready ready = ready_message(false, why);
  // Without a launcher nobody is left to tell.
  static_cast<void>(send(control, &ready, sizeof ready, MSG_NOSIGNAL));
}

}  // namespace iobenchd
