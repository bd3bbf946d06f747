// The opener with an engine that is a shell script: it says what it was born with and stays until
// its socket closes.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <sstream>

#include "daemon/launcher/opener.h"
#include "daemon/launcher/process.h"
#include "daemon/model/frame.h"
#include "daemon/platform/platform.h"
#include "tests/loop_device.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using namespace iobenchd::launcher;

namespace {

constexpr const char* engine_script =
    "#!/bin/sh\n"
    "printf 'born ' >&3\n"
    "for fd in /proc/$$/fd/*; do\n"
    "  case $(readlink $fd) in */scratch/* | */given | /dev/loop*) printf '%s ' ${fd##*/} >&3 ;; "
    "esac\n"
    "done\n"
    "printf 'end\\n' >&3\n"
    "cat <&3 >/dev/null\n";

// One engine being born. It is killed and reaped in any case.
class Birth {
 public:
  Birth(const OpenRun& request, const Settings& settings, const std::string& engine) {
    SocketPair pair = make_socket_pair(SOCK_STREAM);
    pid_ = start_engine(request, settings, Identity{}, engine, pair.theirs.release());
    REQUIRE(pid_ > 0);
    socket_ = std::move(pair.ours);
  }
  ~Birth() { end(); }
  Birth(const Birth&) = delete;
  Birth& operator=(const Birth&) = delete;

  // What the script says, up to its "end"; a refusal's text where there is no script.
  std::string words() {
    std::string text;
    char part[4096];
    while (text.find("end\n") == std::string::npos) {
      const ssize_t length = recv(socket_.number(), part, sizeof part, 0);
      if (length <= 0) break;
      text.append(part, static_cast<std::size_t>(length));
    }
    if (text.size() != sizeof(Frame)) return text;
    const auto frame = std::make_unique<Frame>();
    std::memcpy(static_cast<void*>(frame.get()), text.data(), sizeof(Frame));
    check_frame(*frame, 0);
    REQUIRE(frame->header.kind == FrameKind::failure);
    return "refused: " + text_of(frame->body.failure.text);
  }
  int end() {
    socket_.reset();
    if (pid_ <= 0) return status_;
    waitpid(pid_, &status_, 0);
    pid_ = -1;
    return status_;
  }

 private:
  Descriptor socket_;
  pid_t pid_ = -1;
  int status_ = 0;
};

class Bench {
 public:
  Bench() {
    set_text(settings.scratch_dir, tree.directory("scratch"));
    engine = tree.file("engine", engine_script);
    chmod(engine.c_str(), 0755);
  }
  OpenRun scratch(const std::string& name, bool create) const {
    OpenRun request;
    request.scratch = 1;
    request.create = create ? 1 : 0;
    set_text(request.name, name);
    return request;
  }
  OpenRun named(const std::string& path) const {
    OpenRun request;
    set_text(request.name, path);
    return request;
  }
  AllowedTarget& allow(const std::string& pattern) {
    AllowedTarget& target = settings.targets[settings.target_count++];
    set_text(target.pattern, pattern);
    return target;
  }
  std::string answer(const OpenRun& request) { return Birth(request, settings, engine).words(); }

  TemporaryTree tree;
  Settings settings;
  std::string engine;
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a scratch file is made private and handed over as descriptor 4") {
  Bench bench;
  CHECK(bench.answer(bench.scratch("iobenchd-1", true)) == "born 4 end\n");
  struct stat info {};
  REQUIRE(stat((bench.tree / "scratch/iobenchd-1.0").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(says(bench.answer(bench.scratch("iobenchd-1", true)), "File exists"));
  CHECK(bench.answer(bench.scratch("iobenchd-1", false)) == "born 4 end\n");
}

TEST_CASE("every job gets an open file of its own, files in turn") {
  Bench bench;
  OpenRun request = bench.scratch("iobenchd-2", true);
  request.descriptors = 5;
  request.files = 2;
  CHECK(bench.answer(request) == "born 4 5 6 7 8 end\n");
  CHECK(access((bench.tree / "scratch/iobenchd-2.1").c_str(), F_OK) == 0);
  CHECK(access((bench.tree / "scratch/iobenchd-2.2").c_str(), F_OK) != 0);
}

TEST_CASE("sync and dsync hold for every open file of the run") {
  if (access("/proc/self/fdinfo", R_OK) != 0) {
    MESSAGE("skipped: this system doesn't tell how a file was opened");
    return;
  }
  Bench bench;
  bench.engine = bench.tree.file("flags",
                                 "#!/bin/sh\n"
                                 "for fd in 4 5; do\n"
                                 "  while read name value; do\n"
                                 "    [ $name = flags: ] && echo $((value)) >&3\n"
                                 "  done </proc/$$/fdinfo/$fd\n"
                                 "done\n"
                                 "printf 'end\\n' >&3\n"
                                 "cat <&3 >/dev/null\n");
  chmod(bench.engine.c_str(), 0755);
  int number = 0;
  for (const Sync sync : {Sync::none, Sync::dsync, Sync::sync}) {
    OpenRun request = bench.scratch("iobenchd-sync-" + std::to_string(++number), true);
    request.descriptors = 2;
    request.sync = sync;
    std::istringstream words(bench.answer(request));
    for (int i = 0; i < 2; ++i) {
      int flags = 0;
      words >> flags;
      REQUIRE(!words.fail());
      CHECK((flags & O_ACCMODE) == O_RDWR);
      const bool dsync = (flags & O_DSYNC) == O_DSYNC, full = (flags & O_SYNC) == O_SYNC;
      CHECK(dsync == (sync != Sync::none));
      CHECK(full == (sync == Sync::sync));
    }
  }
}

TEST_CASE("a thousand and more descriptors are opened") {
  Bench bench;
  bench.tree.file("given", "data");
  bench.allow(bench.tree / "given");
  OpenRun request = bench.named(bench.tree / "given");
  request.descriptors = 1024;
  const std::string words = bench.answer(request);
  CHECK(says(words, " 1027 "));
  CHECK_FALSE(says(words, " 1028 "));
}

TEST_CASE("the lease is the engine's: a second run waits for its end, not for the daemon's") {
  Bench bench;
  REQUIRE(bench.answer(bench.scratch("iobenchd-3", true)) == "born 4 end\n");
  Birth first(bench.scratch("iobenchd-3", false), bench.settings, bench.engine);
  REQUIRE(first.words() == "born 4 end\n");
  const std::string second = bench.answer(bench.scratch("iobenchd-3", false));
  CHECK(says(second, "refused"));
  CHECK(says(second, "busy: another run holds it"));
  first.end();
  CHECK(bench.answer(bench.scratch("iobenchd-3", false)) == "born 4 end\n");
}

TEST_CASE("two files on one disk are one lease, where there is a disk") {
  Bench bench;
  set_text(bench.settings.database, bench.tree / "iobenchd.db");
  if (platform::facts_of(bench.tree.path()).leaf_count == 0) {
    MESSAGE("skipped: the temporary directory is on no disk");
    return;
  }
  Birth first(bench.scratch("iobenchd-a", true), bench.settings, bench.engine);
  REQUIRE(first.words() == "born 4 end\n");
  CHECK(says(bench.answer(bench.scratch("iobenchd-b", true)), "is busy: another run holds it"));
  first.end();
  CHECK(bench.answer(bench.scratch("iobenchd-c", true)) == "born 4 end\n");
}

TEST_CASE("an existing file is read where allowed, and never written") {
  Bench bench;
  const std::string given = bench.tree.file("given", "data");
  CHECK(says(bench.answer(bench.named(given)), "targets"));
  bench.allow(given);
  CHECK(bench.answer(bench.named(given)) == "born 4 end\n");
  OpenRun request = bench.named(given);
  request.write = 1;
  CHECK(says(bench.answer(request), "never written"));
  request.write = 0;
  request.expected_bytes = 5;
  CHECK(says(bench.answer(request), "has 4 bytes"));
}

TEST_CASE("links lead nowhere new") {
  Bench bench;
  const std::string secret = bench.tree.file("secret", "data");
  bench.tree.link("allowed-name", secret);
  bench.allow(bench.tree / "allowed-name");
  CHECK(says(bench.answer(bench.named(bench.tree / "allowed-name")), "nor allowed"));
  bench.tree.link("scratch/iobenchd-4.0", secret);
  CHECK(says(bench.answer(bench.scratch("iobenchd-4", false)), "refused"));
  CHECK(says(bench.answer(bench.scratch("../secret", false)), "iobenchd-"));
}

TEST_CASE("a directory, a missing file and an engine that isn't there are clear refusals") {
  Bench bench;
  bench.allow(bench.tree.path() + "/*");
  CHECK(says(bench.answer(bench.named(bench.tree / "scratch")), "is a directory"));
  CHECK(says(bench.answer(bench.named(bench.tree / "nothing")), "No such file"));
  bench.engine = bench.tree / "no-engine";
  Birth birth(bench.scratch("iobenchd-5", true), bench.settings, bench.engine);
  CHECK(says(birth.words(), "no-engine"));
  const int status = birth.end();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
}

TEST_CASE("a device is written after its phrase, by one run, and only while nobody uses it") {
  Bench bench;
  const LoopDevice loop(bench.tree);
  if (loop.path.empty()) {
    MESSAGE("skipped: loop devices need root and losetup");
    return;
  }
  AllowedTarget& allowed = bench.allow(loop.path);
  OpenRun request = bench.named(loop.path);
  request.descriptors = 3;
  CHECK(bench.answer(request) == "born 4 5 6 end\n");
  request.write = 1;
  CHECK(says(bench.answer(request), "may be read only"));
  allowed.write = 1;
  CHECK(says(bench.answer(request), "needs \"confirm\": \"destroy " + loop.path + " 1.0 MB\""));
  set_text(request.confirm, "destroy " + loop.path + " 1.0 MB");
  {
    Birth writer(request, bench.settings, bench.engine);
    CHECK(writer.words() == "born 4 5 6 end\n");
    // The engine holds the disk exclusively: nothing can be mounted over it meanwhile.
    CHECK(open(loop.path.c_str(), O_RDONLY | O_EXCL) == -1);
    CHECK(says(bench.answer(bench.named(loop.path)), "in use (opened exclusively)"));
  }
  const Descriptor other(open(loop.path.c_str(), O_RDONLY | O_EXCL));
  REQUIRE(other.is_open());
  CHECK(says(bench.answer(request), "is in use: opened exclusively"));
}
