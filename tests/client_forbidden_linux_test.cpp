// What iobench does where io_uring is forbidden as containers forbid it: the call fails, and
// nothing else tells.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/client/place.h"

using iobenchd::client::WorkDirectory;

namespace {

// EPERM for io_uring_setup, everything else as ever. For this process and all that it starts.
bool forbid_io_uring() {
  std::array<sock_filter, 4> rules{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{static_cast<unsigned short>(rules.size()), rules.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

struct Result {
  int status = -1;
  std::string out;
};

Result iobench_without_io_uring(const std::vector<std::string>& options) {
  const WorkDirectory work;
  const std::string out = work.path() + "/out";
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::string program = std::string(IOBENCHD_BIN_DIR) + "/iobench";
    std::vector<std::string> arguments{program, "run"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(work.path() + "/scratch");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    if (!forbid_io_uring()) _exit(77);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  std::ifstream file(out);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, {std::istreambuf_iterator<char>(file), {}}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::vector<std::string> brief{"--size=1m", "--numjobs=1,2", "--iodepth=4", "--runtime=0.2",
                                     "--ramp_time=0"};

}  // namespace

TEST_CASE("where io_uring is forbidden auto measures with threads, and says so on the curve") {
  const Result result = iobench_without_io_uring(brief);
  if (result.status == 77) {
    MESSAGE("skipped: this kernel has no seccomp filters");
    return;
  }
  CAPTURE(result.out);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "threads"));
  CHECK(contains(result.out, "easured with threads where io_uring is usual"));
}

TEST_CASE("asked for by name, io_uring that is forbidden is an error with its cure") {
  std::vector<std::string> options = brief;
  options.emplace_back("--ioengine=io_uring");
  const Result result = iobench_without_io_uring(options);
  if (result.status == 77) return;
  CAPTURE(result.out);
  CHECK(result.status == 2);  // a wrong request, not a failed run
  CHECK(contains(result.out, "io_uring can't be used here"));
  CHECK(contains(result.out, "\"threads\" holds the same depth without it"));
}
