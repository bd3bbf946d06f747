// A seccomp filter by hand: a list of system calls, everything else is EPERM. It looks at nothing
// but architecture and number, which lets the kernel (5.11 on) remember the answer in a bitmap.
// What an io_uring does passes by seccomp: its ring is restricted where it is made.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/engine/sandbox.h"

namespace iobenchd::engine {
namespace {

constexpr std::array<std::uint32_t, 26> everybody{
    // the run itself
    SYS_pread64, SYS_pwrite64, SYS_io_uring_enter, SYS_fsync, SYS_msync, SYS_clock_gettime,
    SYS_getrusage,
    // what it has written, forgotten before it is read back
    SYS_fadvise64,
    // frames, news and the gate
    SYS_read, SYS_write, SYS_sendto, SYS_ppoll, SYS_close, SYS_fcntl,
    // memory and threads, as libc asks for them
    SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_futex, SYS_rt_sigprocmask,
    // the way out, and being interrupted
    SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit, SYS_exit_group, SYS_clock_nanosleep};
// Ends jobs and reaps them.
constexpr std::array<std::uint32_t, 2> control_only{SYS_kill, SYS_wait4};

sock_filter load_word(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter answer(std::uint32_t value) {
  return BPF_STMT(BPF_RET | BPF_K, value);
}

std::vector<sock_filter> make_filter(Cell cell) {
  constexpr std::uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> filter{
      load_word(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IOBENCHD_AUDIT_ARCH, 1, 0),
      answer(refuse),
      load_word(offsetof(seccomp_data, nr)),
  };
  const auto allow = [&filter](std::uint32_t number) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(answer(SECCOMP_RET_ALLOW));
  };
  for (const std::uint32_t number : everybody) allow(number);
  if (cell == Cell::control)
    for (const std::uint32_t number : control_only) allow(number);
  filter.push_back(answer(refuse));
  return filter;
}

}  // namespace

// Refusals are borne: a kernel without seccomp still has the restricted ring and an engine that
// owns nothing but its descriptors.
void enter_sandbox(Cell cell) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // its siblings run as the same user and must not trace it
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  std::vector<sock_filter> filter = make_filter(cell);
  sock_fprog program{};
  program.len = static_cast<unsigned short>(filter.size());
  program.filter = filter.data();
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

}  // namespace iobenchd::engine
