#include "daemon/client/forker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/launcher/channel.h"
#include "daemon/launcher/child.h"
#include "daemon/launcher/opener.h"
#include "daemon/launcher/signals.h"
#include "daemon/model/error.h"

namespace iobenchd::client {
namespace {

using launcher::Descriptor;

class Server {
 public:
  Server(Descriptor control, const Settings& settings, launcher::Options options)
      : channel_(std::move(control)),
        settings_(settings),
        options_(std::move(options)),
        calm_(launcher::install_signals()) {}

  void serve() {
    while (!channel_.closed() && launcher::asked_to_stop == 0) {
      wait();
      while (const std::optional<launcher::FromService> message = channel_.receive())
        std::visit([&](const auto& one) { handle(one); }, *message);
      reap();
    }
    for (const Engine& engine : engines_) launcher::kill_group(engine.pid);
  }

 private:
  struct Engine {
    std::uint64_t token = 0;
    pid_t pid = -1;
  };

  // Until a message comes or a child ends: signals are let through here alone.
  void wait() {
    pollfd control{channel_.descriptor(), POLLIN, 0};
    if (channel_.wants_to_send()) control.events |= POLLOUT;
    constexpr timespec long_enough{60, 0};
    if (ppoll(&control, 1, &long_enough, &calm_) > 0 && (control.revents & POLLOUT) != 0)
      channel_.flush();
  }

  void handle(const Ready&) {}

  void handle(const OpenRun& request) {
    launcher::SocketPair pair = launcher::make_socket_pair(SOCK_STREAM);
    const int pid = launcher::start_engine(request, settings_, options_.identity, options_.engine,
                                           pair.theirs.release());
    if (pid < 0) return;  // whoever asked gives up after five seconds
    engines_.push_back({request.header.token, pid});
    fcntl(pair.ours.number(), F_SETFL, O_NONBLOCK);
    answer(ControlKind::run_started, request.header.token, pid, std::move(pair.ours));
  }

  void handle(const KillRun& request) {
    for (const Engine& engine : engines_) {
      if (engine.token == request.header.token) launcher::kill_group(engine.pid);
    }
  }

  void handle(const Probe& request) {
    launcher::ProbeProcess probe = launcher::start_probe(options_, request);
    answer(ControlKind::probe_started, request.header.token, probe.pid, std::move(probe.answers));
  }

  void answer(ControlKind kind, std::uint64_t token, pid_t pid, Descriptor descriptor) {
    RunStarted message{{}, pid};
    message.header.kind = kind;
    message.header.token = token;
    if (!channel_.send(message, std::move(descriptor)))
      throw Error(ErrorCode::internal, "the other half doesn't listen");
  }

  void reap() {
    for (;;) {
      siginfo_t info{};
      if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
      // While it is a zombie its number can't be anyone else's: now is the time to end its group.
      const pid_t pid = info.si_pid;
      kill(-pid, SIGKILL);
      int wait_status = 0;
      if (waitpid(pid, &wait_status, 0) != pid) return;
      const auto engine = std::find_if(engines_.begin(), engines_.end(),
                                       [&](const Engine& one) { return one.pid == pid; });
      if (engine == engines_.end()) continue;  // a probe
      RunEnded message{};
      message.header.kind = ControlKind::run_ended;
      message.header.token = engine->token;
      message.wait_status = wait_status;
      engines_.erase(engine);
      if (!channel_.send(message)) return;
    }
  }

  launcher::Channel channel_;
  const Settings& settings_;
  launcher::Options options_;
  sigset_t calm_;
  std::vector<Engine> engines_;
};

}  // namespace

Forker::Forker(const Settings& settings, const std::string& program, const std::string& engine) {
  launcher::SocketPair pair = launcher::make_socket_pair(SOCK_SEQPACKET);
  child_ = fork();
  if (child_ < 0) throw Error(ErrorCode::unavailable, std::string("fork: ") + std::strerror(errno));
  if (child_ == 0) {
    pair.ours.reset();
    launcher::become_child();
    launcher::Options options;
    options.program = program;
    options.engine = engine;
    try {
      Server(std::move(pair.theirs), settings, std::move(options)).serve();
    } catch (const std::exception&) {
      _exit(1);  // its engines end with their sockets
    }
    _exit(0);
  }
  control_ = std::move(pair.ours);
}

Forker::~Forker() {
  control_.reset();
  // It kills and leaves; an engine that is stuck in the kernel is not waited for, neither there nor
  // here.
  waitpid(child_, nullptr, 0);
}

}  // namespace iobenchd::client
