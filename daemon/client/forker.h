// The half of `iobench run` that forks: a process of its own, born before the first thread, that
// opens targets, starts engines and reaps them. It speaks the launcher's protocol, so that the
// other half is a service like any. Single-threaded.
#pragma once

#include <sys/types.h>

#include <string>

#include "daemon/launcher/process.h"
#include "daemon/model/settings.h"

namespace iobenchd::client {

class Forker {
 public:
  // `program`: ours, which is the probe as well. Throws Error{unavailable}.
  Forker(const Settings& settings, const std::string& program, const std::string& engine);
  ~Forker();  // it ends when its socket closes, and all its engines with it
  Forker(const Forker&) = delete;
  Forker& operator=(const Forker&) = delete;

  [[nodiscard]] int control() const noexcept { return control_.number(); }

 private:
  launcher::Descriptor control_;
  pid_t child_ = -1;
};

}  // namespace iobenchd::client
