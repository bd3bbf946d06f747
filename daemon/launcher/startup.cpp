#include "daemon/launcher/startup.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "daemon/model/error.h"

namespace iobenchd::launcher {
namespace {

constexpr char well = '\0';  // first byte on the pipe; anything else begins the reason

void complain(const std::string& why) {
  const std::string line = "iobenchd: " + why + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

// The outer process: its caller gets the prompt back when this returns a status.
int wait_for_daemon(int pipe) {
  std::string said;
  std::array<char, 1024> part{};
  for (;;) {
    const ssize_t length = read(pipe, part.data(), part.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    said.append(part.data(), static_cast<std::size_t>(length));
    if (said[0] == well) return 0;
  }
  complain(said.empty() ? "the daemon ended before it was ready" : said);
  return 1;
}

std::string error_text() {
  return std::strerror(errno);
}

}  // namespace

Startup::Startup(bool foreground) : foreground_(foreground) {
  if (foreground_) return;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error(ErrorCode::unavailable, "pipe: " + error_text());
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorCode::unavailable, "fork: " + error_text());
  if (child > 0) {
    close(ends[1]);
    _exit(wait_for_daemon(ends[0]));
  }
  close(ends[0]);
  outer_.reset(ends[1]);
  fcntl(outer_.number(), F_SETFD, FD_CLOEXEC);
  setsid();
}

void Startup::succeed() {
  pending_ = false;
  if (foreground_) return;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
  if (null > STDERR_FILENO) close(null);
  if (chdir("/") != 0) return;  // never fails; it only keeps no directory busy
  if (write(outer_.number(), &well, 1) == 1) outer_.reset();
}

void Startup::fail(const std::string& why) {
  pending_ = false;
  if (foreground_) {
    complain(why);
    return;
  }
  if (write(outer_.number(), why.data(), why.size()) < 0) return;
  outer_.reset();
}

PidFile::~PidFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

void PidFile::write_to(const std::string& path) {
  if (path.empty()) return;
  const std::string text = std::to_string(getpid()) + "\n";
  const Descriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  const bool written =
      file.is_open() && write(file.number(), text.data(), text.size()) == ssize_t(text.size());
  if (!written) throw Error(ErrorCode::unavailable, "pid file " + path + ": " + error_text());
  path_ = path;
}

void notify_supervisor(const std::string& state) {
  const char* where = std::getenv("NOTIFY_SOCKET");
  if (where == nullptr || (where[0] != '/' && where[0] != '@')) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(where);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, where, length);
  if (where[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const Descriptor socket_to(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket_to.is_open()) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  sendto(socket_to.number(), state.data(), state.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace iobenchd::launcher
