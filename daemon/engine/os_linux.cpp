#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

#include "daemon/engine/os.h"

namespace iobenchd::engine {

bool is_direct(int descriptor) noexcept {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_DIRECT) != 0;
}

bool kernel_trusts_cycles() noexcept {
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 32> text{};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  return length > 0 && std::string_view(text.data(), static_cast<std::size_t>(length)) == "tsc\n";
}

void end_with_parent(int parent_pid) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent_pid) _exit(1);  // it died before we asked
}

}  // namespace iobenchd::engine
