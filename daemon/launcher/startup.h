// How the daemon's start ends for the one who started it: a prompt and status 0 once the service is
// ready, else one clear line and another status; a supervisor is told as well. Single-threaded.
#pragma once

#include <string>

#include "daemon/launcher/process.h"

namespace iobenchd::launcher {

class Startup {
 public:
  // Foreground: nothing happens. Else forks; the outer process stays in here until the daemon says
  // how it went, and exits with that. Throws Error{unavailable}.
  explicit Startup(bool foreground);
  // Lets the outer process go and gives up the terminal.
  void succeed();
  // `why` goes to whoever started us, as "iobenchd: why".
  void fail(const std::string& why);
  [[nodiscard]] bool pending() const noexcept { return pending_; }

 private:
  bool foreground_;
  bool pending_ = true;
  Descriptor outer_;
};

// The file that rc scripts read; removed with the object. Throws Error{unavailable}.
class PidFile {
 public:
  PidFile() = default;
  ~PidFile();
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;
  void write_to(const std::string& path);

 private:
  std::string path_;
};

// "READY=1" and the like to systemd, where NOTIFY_SOCKET says there is one.
void notify_supervisor(const std::string& state);

}  // namespace iobenchd::launcher
