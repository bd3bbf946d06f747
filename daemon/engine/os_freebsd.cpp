#include <fcntl.h>
#include <sys/cpuset.h>
#include <sys/param.h>
#include <sys/procctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "daemon/engine/os.h"

namespace iobenchd::engine {

// Devices are character devices here, and bypass the buffer cache.
bool is_direct(int descriptor) noexcept {
  struct stat facts {};
  if (fstat(descriptor, &facts) == 0 && S_ISCHR(facts.st_mode)) return true;
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_DIRECT) != 0;
}

bool queue_polls(int) noexcept {
  return false;
}

void forget_cached(int descriptor) noexcept {
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

bool kernel_trusts_cycles() noexcept {
  return false;  // clock_gettime reads the counter in user land already
}

int run_on_cpus(const CpuSet& cpus) noexcept {
  cpuset_t set;
  CPU_ZERO(&set);
  for (std::uint32_t cpu = 0; cpu < cpus_most && cpu < CPU_SETSIZE; ++cpu)
    if (((cpus[cpu / 64] >> (cpu % 64)) & 1) != 0) CPU_SET(cpu, &set);
  return cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, sizeof(set), &set) == 0 ? 0 : errno;
}

void wake_punctually() noexcept {}  // there is nothing to ask for

std::uint64_t wakes_late_ns() noexcept {
  return 1'000'000;  // a clock tick of 1000 Hz where timers are shared
}

void end_with_parent(int parent_pid) noexcept {
  int signal_number = SIGKILL;
  procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &signal_number);
  if (getppid() != parent_pid) _exit(1);  // it died before we asked
}

}  // namespace iobenchd::engine
