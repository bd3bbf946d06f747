#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "daemon/engine/os.h"

namespace iobenchd::engine {
namespace {

// Of a file of /sys; empty where it can't be read.
std::string_view first_bytes(const char* path, std::array<char, 32>& text) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

}  // namespace

bool is_direct(int descriptor) noexcept {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_DIRECT) != 0;
}

// A partition's queue is its disk's.
bool queue_polls(int descriptor) noexcept {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return true;
  const dev_t device = S_ISBLK(facts.st_mode) ? facts.st_rdev : facts.st_dev;
  for (const char* queue : {"queue", "../queue"}) {
    std::array<char, 80> path{};
    std::snprintf(path.data(), path.size(), "/sys/dev/block/%u:%u/%s/io_poll", major(device),
                  minor(device), queue);
    std::array<char, 32> text{};
    const std::string_view answer = first_bytes(path.data(), text);
    if (!answer.empty()) return answer != "0\n";
  }
  return true;
}

void forget_cached(int descriptor) noexcept {
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

bool kernel_trusts_cycles() noexcept {
  std::array<char, 32> text{};
  return first_bytes("/sys/devices/system/clocksource/clocksource0/current_clocksource", text) ==
         "tsc\n";
}

int run_on_cpus(const CpuSet& cpus) noexcept {
  static_assert(CPU_SETSIZE >= cpus_most);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::uint32_t cpu = 0; cpu < cpus_most; ++cpu)
    if (((cpus[cpu / 64] >> (cpu % 64)) & 1) != 0) CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : errno;
}

// A timer may otherwise be 50 us late, so that several can share an interrupt.
void wake_punctually() noexcept {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

std::uint64_t wakes_late_ns() noexcept {
  return 200'000;  // high-resolution timers, and a CPU that has to leave a deep sleep
}

void end_with_parent(int parent_pid) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent_pid) _exit(1);  // it died before we asked
}

}  // namespace iobenchd::engine
