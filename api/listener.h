// A listening socket: TCP over IPv4 or IPv6, or a Unix socket with mode 0660. One owner.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "api/access.h"

namespace iobenchd::api {

// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const noexcept { return fd_; }
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

class Listener {
 public:
  // "127.0.0.1:8464", "[::1]:0", "unix:/run/iobenchd/sock". Throws Error{unavailable} naming the
  // address and why it can't be had: taken, not permitted, not of this machine.
  explicit Listener(const std::string& address);
  ~Listener();  // removes a Unix socket of its own
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] Door door() const noexcept { return door_; }
  [[nodiscard]] const std::string& address() const noexcept { return address_; }  // port 0 resolved

 private:
  void listen_tcp(const std::string& address);
  void listen_unix(const std::string& path);

  Descriptor fd_;
  Door door_ = Door::loopback;
  std::string address_;
  std::string path_;  // of a Unix socket
  dev_t device_ = 0;  // which one: another daemon's socket at that path is left alone
  ino_t inode_ = 0;
};

// Who is at the other end: "127.0.0.1", "[::1]", "unix".
[[nodiscard]] std::string peer_name(int fd);

}  // namespace iobenchd::api
