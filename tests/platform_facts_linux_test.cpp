// Facts of this very machine: what a test can make (files, pipes, loop devices) is made.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "daemon/platform/platform.h"
#include "tests/loop_device.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;

TEST_CASE("facts of a file: size, filesystem and leaf are its own") {
  const TemporaryTree tree;
  const std::string path = tree.file("data", std::string(10'000, 'x'));
  tree.link("alias", path);
  const TargetFacts facts = platform::facts_of(tree / "alias");
  check_facts(facts);
  CHECK(facts.kind == TargetKind::regular_file);
  CHECK(facts.size_bytes == 10'000);
  CHECK(text_of(facts.path) == tree / "alias");
  CHECK(text_of(facts.real_path) == path);
  CHECK(facts.error_number == 0);
  CHECK(facts.logical_sector_bytes >= 512);
  CHECK_FALSE(text_of(facts.filesystem).empty());
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK(facts.inode == info.st_ino);
  CHECK(facts.device == info.st_dev);
}

TEST_CASE("a descriptor and its path have the same facts") {
  const TemporaryTree tree;
  const std::string path = tree.file("data", "1234");
  const int descriptor = open(path.c_str(), O_RDONLY);
  REQUIRE(descriptor >= 0);
  const TargetFacts by_descriptor = platform::facts_of(descriptor, path);
  close(descriptor);
  const TargetFacts by_path = platform::facts_of(path);
  CHECK(by_descriptor.inode == by_path.inode);
  CHECK(by_descriptor.size_bytes == 4);
  CHECK(text_of(by_descriptor.real_path) == text_of(by_path.real_path));
  CHECK(by_descriptor.direct_io == by_path.direct_io);
}

TEST_CASE("what was allocated and never written counts as a hole; what was written doesn't") {
  const TemporaryTree tree;
  const std::string path = tree.file("data", "");
  const int descriptor = open(path.c_str(), O_RDWR);
  REQUIRE(descriptor >= 0);
  const bool allocated = fallocate(descriptor, 0, 0, 1 << 20) == 0;
  const std::string half(1 << 19, 'x');
  REQUIRE(pwrite(descriptor, half.data(), half.size(), 0) == static_cast<ssize_t>(half.size()));
  const TargetFacts facts = platform::facts_of(path);
  close(descriptor);
  if (!allocated || text_of(facts.filesystem) != "ext4") {
    MESSAGE("skipped: needs ext4, and fallocate there");
    return;
  }
  CHECK(facts.size_bytes == 1 << 20);
  CHECK(facts.allocated_bytes == 1 << 19);
}

TEST_CASE("a directory knows the room on its filesystem") {
  const TemporaryTree tree;
  const TargetFacts facts = platform::facts_of(tree.path());
  CHECK(facts.kind == TargetKind::directory);
  CHECK(facts.free_bytes > 0);
  CHECK(facts.size_bytes >= facts.free_bytes);
}

TEST_CASE("what is missing says why, and a pipe blocks nobody") {
  const TemporaryTree tree;
  const TargetFacts missing = platform::facts_of(tree / "nothing");
  CHECK(missing.kind == TargetKind::missing);
  CHECK(missing.error_number == ENOENT);
  REQUIRE(mkfifo((tree / "pipe").c_str(), 0600) == 0);
  CHECK(platform::facts_of(tree / "pipe").kind == TargetKind::other);  // returns at all
  CHECK(platform::facts_of("/dev/null").kind == TargetKind::other);
}

TEST_CASE("a file in memory is not storage") {
  const TargetFacts facts = platform::facts_of("/proc/self/status");
  CHECK(facts.block_storage == 0);
  CHECK(facts.leaf_count == 0);
}

TEST_CASE("open_target makes a file once and says whether direct I/O was granted") {
  const TemporaryTree tree;
  const std::string path = tree / "made";
  bool direct = true;
  const int made = platform::open_target(path.c_str(), true, direct, O_CREAT | O_EXCL);
  REQUIRE(made >= 0);
  CHECK(((fcntl(made, F_GETFL) & O_DIRECT) != 0) == direct);
  close(made);
  bool again = false;
  CHECK(platform::open_target(path.c_str(), true, again, O_CREAT | O_EXCL) == -EEXIST);
  const int plain = platform::open_target(path.c_str(), false, again);
  REQUIRE(plain >= 0);
  CHECK((fcntl(plain, F_GETFL) & O_DIRECT) == 0);
  close(plain);
  tree.link("link", path);
  CHECK(platform::open_target((tree / "link").c_str(), false, again, O_NOFOLLOW) == -ELOOP);
}

TEST_CASE("a loop device is a disk until somebody opens it exclusively") {
  const TemporaryTree tree;
  const LoopDevice loop(tree);
  if (loop.path.empty()) {
    MESSAGE("skipped: loop devices need root and losetup");
    return;
  }
  const TargetFacts idle = platform::facts_of(loop.path);
  CHECK(idle.kind == TargetKind::block_device);
  CHECK(idle.size_bytes == 1 << 20);
  CHECK(idle.in_use == 0);
  CHECK(idle.is_virtual == 1);
  CHECK(idle.logical_sector_bytes == 512);
  CHECK(confirm_phrase(idle) == "destroy " + loop.path + " 1.0 MB");
  const std::vector<std::string> disks = platform::disk_paths();
  CHECK(std::find(disks.begin(), disks.end(), loop.path) != disks.end());
  // Where the file is, the loop's leaf is: a run on either excludes the other.
  CHECK(leaves_of(idle) == leaves_of(platform::facts_of(tree / "disk")));
  CHECK(text_of(platform::facts_of(tree / "disk").use).rfind("behind loop", 0) == 0);
  const int held = open(loop.path.c_str(), O_RDONLY | O_EXCL);
  REQUIRE(held >= 0);
  const TargetFacts busy = platform::facts_of(loop.path);
  close(held);
  CHECK(busy.in_use == 1);
  CHECK(text_of(busy.use) == "opened exclusively");
}

TEST_CASE("the machine knows its name, its CPUs and how busy it is") {
  const Circumstances here = platform::machine();
  CHECK_FALSE(here.host.empty());
  CHECK_FALSE(here.os.empty());
  CHECK(here.cpus >= 1);
  CHECK(here.memory_bytes > 1 << 20);
  const platform::CpuTimes times = platform::cpu_times();
  CHECK(times.total > times.busy);
  CHECK(times.busy > 0);
  CHECK(platform::load_average() >= 0);
  std::string why_not;
  CHECK(platform::io_uring_available(why_not) == why_not.empty());
  CHECK_FALSE(platform::device_counters("no-such-disk").known);
}
