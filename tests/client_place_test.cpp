#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "daemon/client/place.h"
#include "daemon/client/terminal.h"
#include "daemon/model/error.h"
#include "daemon/scheduler/plan.h"

using namespace iobenchd;
using namespace iobenchd::client;
namespace fs = std::filesystem;

namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string refusal(const std::string& file, const std::vector<api::TextField>& fields = {}) {
  try {
    static_cast<void>(spec_for(fields, find_place(file)));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a file that exists is read by its real name and never written") {
  const WorkDirectory dir;
  write_file(dir.path() + "/data", "x");
  fs::create_symlink("data", dir.path() + "/link");
  const std::string real = fs::canonical(dir.path() + "/data");
  CHECK(find_place(dir.path() + "/link").target == real);
  CHECK(spec_for({}, find_place(dir.path() + "/link")).target == real);
  for (const char* name : {"/data", "/link"}) {
    CAPTURE(name);
    CHECK(refusal(dir.path() + name, {{"rw", "randwrite"}}).find("never writes what exists") !=
          std::string::npos);
  }
}

TEST_CASE("an offset is for a file that exists; a scratch file begins at 0") {
  const WorkDirectory dir;
  write_file(dir.path() + "/data", "x");
  const std::vector<api::TextField> fields{{"offset", "4k"}};
  CHECK(spec_for(fields, find_place(dir.path() + "/data")).offset_bytes == 4096);
  CHECK(refusal(dir.path() + "/new", fields).find("a scratch file begins at 0") !=
        std::string::npos);
  CHECK(refusal(dir.path() + "/data", {{"layout", "per_job"}}).find("scratch files") !=
        std::string::npos);
}

TEST_CASE("a name that is free and a directory are places of scratch files") {
  const WorkDirectory dir;
  const Place free = find_place(dir.path() + "/new");
  CHECK(free.target.empty());
  CHECK(free.scratch_dir == fs::canonical(dir.path()));
  CHECK(free.keep_as == free.scratch_dir + "/new");
  const Place directory = find_place(dir.path());
  CHECK(directory.scratch_dir == free.scratch_dir);
  CHECK(directory.keep_as.empty());
}

TEST_CASE("what can be neither is refused with its name") {
  const WorkDirectory dir;
  write_file(dir.path() + "/data", "x");
  fs::create_symlink("nowhere", dir.path() + "/dangling");
  for (const char* name : {"/missing/new", "/dangling", "/new/", "/data/below"}) {
    CAPTURE(name);
    CHECK(refusal(dir.path() + name).find(dir.path()) != std::string::npos);
  }
}

TEST_CASE("the one target is allowed to be read, in use or not, and nothing else is") {
  const WorkDirectory dir;
  Place place;
  place.target = "/tmp/a[1]*";  // a name, no pattern
  const Settings settings = settings_for(place, dir);
  const AllowedTarget* allowed = scheduler::find_allowed(settings, "/tmp/a[1]*");
  REQUIRE(allowed != nullptr);
  CHECK(allowed->write == 0);
  CHECK(allowed->read_in_use == 1);
  CHECK(scheduler::find_allowed(settings, "/tmp/a1b") == nullptr);
}

TEST_CASE("a scratch file that is kept gets the name that was asked for, never over another") {
  const WorkDirectory dir;
  const Place place{"", dir.path(), dir.path() + "/wanted"};
  write_file(dir.path() + "/iobenchd-u.0", "first");
  CHECK(keep_scratch(place, "u") == "the scratch file stays: " + dir.path() + "/wanted");
  CHECK(fs::exists(dir.path() + "/wanted"));
  CHECK_FALSE(fs::exists(dir.path() + "/iobenchd-u.0"));
  write_file(dir.path() + "/iobenchd-v.0", "second");
  CHECK(keep_scratch(place, "v") == "the scratch file stays: " + dir.path() + "/iobenchd-v.0");
  CHECK(fs::file_size(dir.path() + "/wanted") == 5);
}

TEST_CASE("the client's own directory goes with all that is in it") {
  std::string path;
  {
    const WorkDirectory dir;
    path = dir.path();
    write_file(path + "/file", "x");
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("sentences are broken between words, tables are not") {
  CHECK(wrap("Doubts: it was noisy.\n", 12) == "Doubts: it\nwas noisy.\n");
  CHECK(wrap("Doubts: it was noisy.", 21) == "Doubts: it was noisy.");
  CHECK(wrap("80 µs 80 µs\n", 5) == "80 µs\n80 µs\n");
  CHECK(wrap("  1  2  3\n", 4) == "  1  2  3\n");
  CHECK(wrap("unbreakable words\n", 4) == "unbreakable\nwords\n");
  CHECK(wrap("\na\n\nb", 80) == "\na\n\nb");
}

TEST_CASE("what a run that Ctrl-C ended had seen is told, and that it makes no point") {
  Run run;
  run.state = RunState::cancelled;
  run.setting = {Rw::randread, 4096, 1, 2};
  CHECK(interrupted_text(std::vector<Run>{run}).empty());  // the ramp was not over
  run.measurement.measured_ns = 500'000'000;
  run.measurement.read.ios = 1000;
  for (int i = 0; i < 1000; ++i) run.measurement.read.latency.add(127);
  CHECK(interrupted_text(std::vector<Run>{run}) ==
        "Interrupted after 0.5 s, which makes no point: randread, bs 4 KiB, iodepth 1, numjobs 2: "
        "2 000 IOPS, mean 127 ns, p99 127 ns.\n");
  run.state = RunState::done;
  CHECK(interrupted_text(std::vector<Run>{run}).empty());
}

TEST_CASE("a progress line is cut by characters, not by bytes") {
  CHECK(fit("80 µs", 4) == "80 µ");
  CHECK(fit("80 µs", 5) == "80 µs");
  CHECK(fit("80 µs", 80) == "80 µs");
  CHECK(fit("abc", 0).empty());
}
