#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "daemon/engine/os.h"

namespace iobenchd::engine {
namespace {

// Written once, before the timer runs.
volatile std::sig_atomic_t parent = 0;

void look_for_parent(int) {
  if (getppid() != static_cast<pid_t>(parent)) _exit(1);
}

}  // namespace

// There is no O_DIRECT; a raw device (/dev/rsd0c) is direct, everything else is not.
bool is_direct(int descriptor) noexcept {
  struct stat facts {};
  return fstat(descriptor, &facts) == 0 && S_ISCHR(facts.st_mode);
}

bool queue_polls(int) noexcept {
  return false;
}

void forget_cached(int) noexcept {}  // there is nothing to ask for; a raw device has no cache

bool kernel_trusts_cycles() noexcept {
  return false;  // clock_gettime reads the counter in user land already
}

int run_on_cpus(const CpuSet&) noexcept {
  return ENOSYS;
}

void wake_punctually() noexcept {}  // there is nothing to ask for

std::uint64_t wakes_late_ns() noexcept {
  return 20'000'000;  // two clock ticks of 100 Hz
}

// No death signal here: once a second the job looks who its parent is.
void end_with_parent(int parent_pid) noexcept {
  parent = static_cast<std::sig_atomic_t>(parent_pid);
  struct sigaction action {};
  action.sa_handler = look_for_parent;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  itimerval every_second{};
  every_second.it_interval.tv_sec = 1;
  every_second.it_value.tv_sec = 1;
  setitimer(ITIMER_REAL, &every_second, nullptr);
  look_for_parent(SIGALRM);
}

}  // namespace iobenchd::engine
