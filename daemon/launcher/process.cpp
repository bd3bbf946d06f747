#include "daemon/launcher/process.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "daemon/model/error.h"

namespace iobenchd::launcher {
namespace {

constexpr int socket_buffer_bytes = 256 * 1024;  // several settings messages or frames

}  // namespace

int Descriptor::release() noexcept {
  const int number = number_;
  number_ = -1;
  return number;
}

void Descriptor::reset(int number) noexcept {
  if (number_ >= 0) close(number_);
  number_ = number;
}

void reset_signals() {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  // 32 covers every signal that has a name here; KILL and STOP refuse, which is fine.
  for (int number = 1; number <= 32; ++number) sigaction(number, &plain, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void become_child() {
  reset_signals();
  setsid();
  struct sigaction deaf {};
  deaf.sa_handler = SIG_IGN;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &deaf, nullptr);
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
  if (null > STDERR_FILENO) close(null);
}

bool drop_privileges(const Identity& identity) {
  if (!identity.change) return true;
  const gid_t group = identity.gid;
  const uid_t user = identity.uid;
  return setgroups(1, &group) == 0 && setresgid(group, group, group) == 0 &&
         setresuid(user, user, user) == 0;
}

Program::Program(const std::string& where)
    : path(where), handle(open(where.c_str(), O_RDONLY | O_CLOEXEC)) {}

void exec_child(const Program& program, const std::string& name,
                const std::vector<int>& descriptors) {
  const int first = STDERR_FILENO + 1;
  const int end = first + static_cast<int>(descriptors.size());
  // Two steps: a descriptor may sit where another one has to go.
  std::vector<int> aside;
  for (const int descriptor : descriptors) {
    aside.push_back(fcntl(descriptor, F_DUPFD_CLOEXEC, end + 1));
    if (aside.back() < 0) return;
  }
  if (program.handle.is_open()) dup2(program.handle.number(), end);
  fcntl(end, F_SETFD, FD_CLOEXEC);
  for (std::size_t i = 0; i < aside.size(); ++i) {
    if (dup2(aside[i], first + static_cast<int>(i)) < 0) return;
  }
  closefrom(end + 1);
  std::string title = name;
  const std::array<char*, 2> arguments{title.data(), nullptr};
  execv(program.path.c_str(), arguments.data());
  const int error = errno;
  // Where there is such a path it leads past folders that are closed to this user.
  if (error == EACCES) execv(("/proc/self/fd/" + std::to_string(end)).c_str(), arguments.data());
  errno = error;
}

SocketPair make_socket_pair(int type) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(ErrorCode::unavailable, std::string("socketpair: ") + std::strerror(errno));
  SocketPair pair{Descriptor(ends[0]), Descriptor(ends[1])};
  for (const int end : ends) {
    // Best effort: the kernel's own limit is enough for one message of each kind.
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &socket_buffer_bytes, sizeof socket_buffer_bytes);
    setsockopt(end, SOL_SOCKET, SO_RCVBUF, &socket_buffer_bytes, sizeof socket_buffer_bytes);
  }
  return pair;
}

}  // namespace iobenchd::launcher
