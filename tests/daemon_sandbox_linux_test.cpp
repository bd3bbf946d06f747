// The service's cage, closed round a child of the test: what it must still reach, and what not.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "daemon/sandbox.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;

namespace {

bool can_open(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

// Status of a caged child: 0, or the number of the first door that is not as it should be.
int walk_the_cage(const TemporaryTree& tree, bool has_landlock) {
  Settings settings;
  set_text(settings.database, tree / "state/iobenchd.db");
  set_text(settings.scratch_dir, tree / "scratch");
  set_text(settings.token_file, tree / "token");
  set_text(settings.listen[0], "unix:" + tree.path() + "/run/sock");
  settings.listen_count = 1;
  const std::string open_doors = confine_service(settings);
  if (prctl(PR_GET_DUMPABLE) != 0) return 1;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 2;
  if (open_doors.empty() != has_landlock) return 3;
  if (!can_open(tree / "state/iobenchd.db", O_RDWR | O_CREAT | O_TRUNC)) return 4;
  if (unlink((tree / "state/iobenchd.db").c_str()) != 0) return 5;
  if (!can_open(tree / "scratch/iobenchd-1.0", O_RDONLY)) return 6;
  if (unlink((tree / "scratch/iobenchd-1.0").c_str()) != 0) return 7;
  if (!can_open(tree / "run/file", O_RDWR | O_CREAT)) return 8;
  if (!can_open(tree / "token", O_RDONLY)) return 9;
  if (!can_open("/proc/stat", O_RDONLY)) return 10;
  if (!can_open("/etc/passwd", O_RDONLY)) return 11;
  if (!can_open("/dev/urandom", O_RDONLY)) return 12;
  double load = 0;
  if (getloadavg(&load, 1) != 1) return 13;
  if (!has_landlock) return 0;
  if (can_open(tree / "secret", O_RDONLY)) return 20;
  if (can_open(tree / "new", O_RDWR | O_CREAT)) return 21;
  if (can_open(tree / "token", O_WRONLY)) return 22;
  if (can_open(tree.path(), O_RDONLY | O_DIRECTORY)) return 23;
  if (rename((tree / "state/other").c_str(), (tree / "moved").c_str()) == 0) return 24;
  if (mkdir((tree / "scratch/folder").c_str(), 0700) == 0) return 25;
  if (symlink("/etc/passwd", (tree / "scratch/link").c_str()) == 0) return 26;
  return 0;
}

}  // namespace

TEST_CASE("the caged service reaches its state and the machine's figures, and nothing else") {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) MESSAGE("this kernel has no Landlock: only what needs none is tested");
  const TemporaryTree tree;
  tree.directory("run");
  tree.file("state/other", "x");
  tree.file("scratch/iobenchd-1.0", "x");
  tree.file("token", "x");
  tree.file("secret", "x");
  const pid_t child = fork();
  if (child == 0) _exit(walk_the_cage(tree, version >= 1));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("the caged service can't run programs") {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) {
    MESSAGE("skipped: this kernel has no Landlock");
    return;
  }
  const TemporaryTree tree;
  Settings settings;
  set_text(settings.database, tree / "iobenchd.db");
  set_text(settings.scratch_dir, tree.path());
  const pid_t child = fork();
  if (child == 0) {
    if (!confine_service(settings).empty()) _exit(1);
    execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
    _exit(3);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 3);
}
