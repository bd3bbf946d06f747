// What every child of the launcher goes through between fork and exec. Single-threaded processes
// only; all but exec_child are safe to call again.
#pragma once

#include <string>
#include <vector>

#include "daemon/launcher/launcher.h"

namespace iobenchd::launcher {

// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int release() noexcept;
  void reset(int number = -1) noexcept;

 private:
  int number_ = -1;
};

// Signals as a new process expects them: all of them default and unblocked, whatever a shell, nohup
// or rc.subr left behind.
void reset_signals();
// A session of its own, /dev/null for input and output, and deaf to INT, TERM and HUP: those are
// the launcher's to hear; a child ends when its socket to the launcher closes.
void become_child();
// Group list, group and user, for good. False with errno.
[[nodiscard]] bool drop_privileges(const Identity& identity);
// A program as both of its handles: a user without rights on a folder above it (a build in root's
// home) can still be given the program itself. Opened before privileges go.
struct Program {
  explicit Program(const std::string& where);
  std::string path;
  Descriptor handle;
};
// Puts `descriptors` to 3, 4, 5, ..., closes all others and execs. Returns only on failure.
void exec_child(const Program& program, const std::string& name,
                const std::vector<int>& descriptors);
// A close-on-exec socket pair with room for frames and settings. Throws Error{unavailable}.
struct SocketPair {
  Descriptor ours, theirs;
};
[[nodiscard]] SocketPair make_socket_pair(int type);

}  // namespace iobenchd::launcher
