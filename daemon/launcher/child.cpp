#include "daemon/launcher/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "daemon/launcher/probe.h"
#include "daemon/model/error.h"

namespace iobenchd::launcher {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCode::unavailable, std::string(what) + ": " + std::strerror(errno));
}

// What can still be said once there is neither log nor launcher to say it to: a line on the pipe.
[[noreturn]] void die(int log, const std::string& why) {
  const std::string line = "<3>" + why + ": " + std::strerror(errno) + "\n";
  _exit(log >= 0 && write(log, line.data(), line.size()) < 0 ? 126 : 127);
}

}  // namespace

ServiceProcess start_service(const Options& options) {
  SocketPair control = make_socket_pair(SOCK_SEQPACKET);
  std::array<int, 2> log{};
  if (pipe(log.data()) != 0) fail("pipe");
  Descriptor reader(log[0]), writer(log[1]);
  fcntl(reader.number(), F_SETFD, FD_CLOEXEC);
  fcntl(writer.number(), F_SETFD, FD_CLOEXEC);
  fcntl(reader.number(), F_SETFL, O_NONBLOCK);
  const Program program(options.program);
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    become_child();
    if (!drop_privileges(options.identity))
      die(writer.number(), "can't become " + options.identity.user);
    exec_child(program, service_title, {control.theirs.number(), writer.number()});
    die(log_fd, "exec " + options.program);
  }
  return {child, std::move(control.ours), std::move(reader)};
}

ProbeProcess start_probe(const Options& options, const Probe& request) {
  SocketPair pair = make_socket_pair(SOCK_STREAM);
  // It waits in the socket until the probe reads it: there is room for one message in any buffer.
  if (send(pair.ours.number(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request)
    fail("probe request");
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    become_child();
    exec_child(Program(options.program), probe_title, {pair.theirs.number()});
    die(-1, "exec");
  }
  return {child, std::move(pair.ours)};
}

void kill_group(pid_t child) {
  if (child <= 1) return;  // 0 and -1 would mean others
  kill(-child, SIGKILL);
  kill(child, SIGKILL);  // it may not have its own group yet
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) return "signal " + std::to_string(WTERMSIG(wait_status));
  return "status " + std::to_string(WEXITSTATUS(wait_status));
}

}  // namespace iobenchd::launcher
