// A database without room: nothing that was measured is lost, nothing new is taken, and the sweep
// goes on by itself once there is room again. On file systems of a few MiB, which take root.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "tests/scheduler_workshop.h"

namespace iobenchd::scheduler {
namespace {

using namespace fakes;

class SmallFileSystem {
 public:
  explicit SmallFileSystem(const std::string& path, const char* size = "size=4m")
      : path_(path), mounted_(mount("none", path.c_str(), "tmpfs", 0, size) == 0) {
    if (!mounted_) MESSAGE("skipped: no tmpfs can be mounted here: ", std::strerror(errno));
  }
  ~SmallFileSystem() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }

  // Takes every byte that is left, a page at a time at last.
  void fill() const {
    const int file = open(filler().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const std::vector<char> zeroes(65536);
    for (std::size_t bytes = zeroes.size(); bytes >= 512; bytes /= 2) {
      while (write(file, zeroes.data(), bytes) > 0) continue;
    }
    close(file);
  }
  void make_room() const { unlink(filler().c_str()); }

 private:
  [[nodiscard]] std::string filler() const { return path_ + "/filler"; }

  std::string path_;
  bool mounted_;
};

TEST_CASE("a full database: the run waits to be stored, new sweeps are refused, then it goes on") {
  Workshop workshop;
  const SmallFileSystem disk(workshop.path());
  if (!disk.mounted()) return;
  std::atomic<int> engines = 0;
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    ++engines;
    end.tick(Phase::measure, 100 * end.load.numjobs, 1'000'000, end.load.runtime_ns);
    if (end.load.numjobs == 2) disk.fill();  // after the point has begun, before its run is stored
    end.final(100 * end.load.numjobs, 1'000'000);
  };
  Life life(workshop);
  const std::int64_t id = life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3})).id;
  const auto waits_for = [&] {
    const std::optional<Progress> progress = life.scheduler.progress(id);
    return progress ? progress->waits_for : std::string();
  };
  REQUIRE(wait_until([&] { return waits_for().find("database_full") != std::string::npos; }));
  try {
    static_cast<void>(life.scheduler.submit(grid_on("/dev/sdb", {1})));
    FAIL("there was no room for it");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::storage_full);
  }
  CHECK(life.runs_in(id, RunState::done) == 1);
  disk.make_room();
  const Sweep sweep = life.wait_for_end(id);
  CHECK(sweep.state == SweepState::done);
  CHECK(sweep.error == "");
  CHECK(sweep.runs_failed == 0);
  CHECK(life.runs_in(id, RunState::done) == 4);
  CHECK(engines == 4);  // three points and the first again: nothing was measured a second time
  CHECK(life.store.runs().of_sweep(id)[1].measurement.read.ios == 200);
}

TEST_CASE("the ballast stores the run in hand and lets sweeps be deleted; it comes back") {
  Workshop workshop;
  const SmallFileSystem disk(workshop.path(), "size=48m");
  if (!disk.mounted()) return;
  const std::string ballast = workshop.database() + ".ballast";
  const auto ballast_size = [&] {
    struct stat status {};
    return stat(ballast.c_str(), &status) == 0 ? status.st_size : 0;
  };
  std::atomic<int> engines = 0;
  workshop.host.script = [&](EngineEnd& end, const OpenRun&) {
    ++engines;
    end.tick(Phase::measure, 100 * end.load.numjobs, 1'000'000, end.load.runtime_ns);
    if (end.load.numjobs == 2) disk.fill();  // after the point has begun, before its run is stored
    end.final(100 * end.load.numjobs, 1'000'000);
  };
  workshop.timing.tend_every = milliseconds(20);
  Life life(workshop);
  life.store.keep_ballast();
  REQUIRE(wait_until([&] { return ballast_size() == 16 << 20; }));
  const std::int64_t old = life.scheduler.submit(grid_on("/dev/sdb", {1})).id;
  CHECK(life.wait_for_end(old).state == SweepState::done);
  const std::int64_t id = life.scheduler.submit(grid_on("/dev/sda", {1, 2, 3})).id;
  const auto waits_for = [&] {
    const std::optional<Progress> progress = life.scheduler.progress(id);
    return progress ? progress->waits_for : std::string();
  };
  REQUIRE(wait_until([&] { return waits_for().find("database_full") != std::string::npos; }));
  CHECK(life.runs_in(id, RunState::done) == 2);  // the one that met the full disk, too
  CHECK(ballast_size() == 0);
  CHECK(life.store.trouble().find("no room for the database") != std::string::npos);
  try {
    static_cast<void>(life.scheduler.submit(grid_on("/dev/sdb", {1})));
    FAIL("there was no room for it");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::storage_full);
  }
  life.store.sweeps().remove(old);
  CHECK_FALSE(life.store.sweeps().find(old));
  disk.make_room();
  CHECK(life.wait_for_end(id).state == SweepState::done);
  CHECK(engines == 1 + 4);  // the first point again is the fourth: none was measured for nothing
  CHECK(wait_until([&] { return ballast_size() == 16 << 20; }));
  CHECK(life.store.trouble().empty());
}

}  // namespace
}  // namespace iobenchd::scheduler
