#include "api/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

// As many as the system lets wait: who finds the queue full tries again after a second.
constexpr int backlog = SOMAXCONN;

Error failure(const std::string& address, const std::string& why) {
  return {ErrorCode::unavailable, "can't listen on " + address + ": " + why};
}

Error errno_failure(const std::string& address) {
  return errno == EADDRINUSE ? failure(address, "another program listens there already")
                             : failure(address, std::strerror(errno));
}

int new_socket(int family) {
  return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

std::uint16_t port_of(const std::string& address, const std::string& text) {
  unsigned port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || text.size() > 5) throw failure(address, "its port is not a number");
    port = port * 10 + static_cast<unsigned>(c - '0');
  }
  if (text.empty() || port > 65535) throw failure(address, "its port must be 0 to 65535");
  return static_cast<std::uint16_t>(port);
}

bool is_loopback(const in_addr& address) {
  return (ntohl(address.s_addr) >> 24U) == 127;
}

bool is_loopback(const in6_addr& address) {
  return IN6_IS_ADDR_LOOPBACK(&address) != 0;
}

// A socket file that a daemon left when it was killed answers no call: it may go.
void remove_stale_socket(const std::string& address, const sockaddr_un& where) {
  struct stat facts {};
  if (::lstat(where.sun_path, &facts) != 0) return;
  if (!S_ISSOCK(facts.st_mode)) throw failure(address, "a file that is no socket is there");
  const Descriptor probe(new_socket(AF_UNIX));
  const auto* const name = reinterpret_cast<const sockaddr*>(&where);
  const bool alive = ::connect(probe.get(), name, sizeof where) == 0 || errno == EAGAIN;
  if (alive) throw failure(address, "another program listens there already");
  if (errno == ECONNREFUSED) ::unlink(where.sun_path);
}

}  // namespace

void Descriptor::reset(int fd) noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Listener::Listener(const std::string& address) : address_(address) {
  if (address.rfind("unix:", 0) == 0) {
    listen_unix(address.substr(5));
  } else {
    listen_tcp(address);
  }
}

Listener::~Listener() {
  if (path_.empty() || fd_.get() < 0) return;
  struct stat facts {};
  const bool is_ours =
      ::lstat(path_.c_str(), &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_;
  if (is_ours) ::unlink(path_.c_str());
}

void Listener::listen_tcp(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) throw failure(address, "it must read ADDRESS:PORT or unix:PATH");
  std::string host = address.substr(0, colon);
  const std::uint16_t port = htons(port_of(address, address.substr(colon + 1)));
  if (host == "localhost") host = "127.0.0.1";
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  const bool is_v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_v6) host = host.substr(1, host.size() - 2);
  v4.sin_family = AF_INET;
  v4.sin_port = port;
  v6.sin6_family = AF_INET6;
  v6.sin6_port = port;
  if (::inet_pton(is_v6 ? AF_INET6 : AF_INET, host.c_str(),
                  is_v6 ? static_cast<void*>(&v6.sin6_addr) : &v4.sin_addr) != 1) {
    throw failure(address, "write the address in numbers: 127.0.0.1:8464, [::1]:8464");
  }
  door_ = (is_v6 ? is_loopback(v6.sin6_addr) : is_loopback(v4.sin_addr)) ? Door::loopback
                                                                         : Door::beyond;
  fd_.reset(new_socket(is_v6 ? AF_INET6 : AF_INET));
  const int on = 1;
  // SO_REUSEADDR alone: with SO_REUSEPORT a second daemon would share the port in silence.
  ::setsockopt(fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (is_v6) ::setsockopt(fd(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  const auto* const name =
      is_v6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
  const socklen_t size = is_v6 ? sizeof v6 : sizeof v4;
  if (fd() < 0 || ::bind(fd(), name, size) != 0 || ::listen(fd(), backlog) != 0) {
    throw errno_failure(address);
  }
  sockaddr_in6 bound{};  // the larger of the two; the port is at the same place in both
  socklen_t bound_size = sizeof bound;
  if (::getsockname(fd(), reinterpret_cast<sockaddr*>(&bound), &bound_size) != 0) {
    throw errno_failure(address);
  }
  address_ = (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(ntohs(bound.sin6_port));
}

void Listener::listen_unix(const std::string& path) {
  door_ = Door::unix_socket;
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (path.empty() || path.front() != '/' || path.size() >= sizeof where.sun_path) {
    throw failure(address_, "the path must begin with / and be shorter than " +
                                std::to_string(sizeof where.sun_path) + " bytes");
  }
  std::memcpy(where.sun_path, path.c_str(), path.size() + 1);
  remove_stale_socket(address_, where);
  Descriptor fd(new_socket(AF_UNIX));
  const auto* const name = reinterpret_cast<const sockaddr*>(&where);
  struct stat facts {};
  // Nobody can connect before listen(), so the mode is right before the first call.
  if (fd.get() < 0 || ::bind(fd.get(), name, sizeof where) != 0 ||
      ::chmod(path.c_str(), 0660) != 0 || ::lstat(path.c_str(), &facts) != 0 ||
      ::listen(fd.get(), backlog) != 0) {
    throw errno_failure(address_);
  }
  path_ = path;
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  fd_ = std::move(fd);
}

std::string peer_name(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return "unknown";
  if (peer.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(peer);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return text.data();
  }
  if (peer.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(peer);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]";
  }
  return "unix";
}

}  // namespace iobenchd::api
