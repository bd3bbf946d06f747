// A database that is damaged, torn away or taken away: what can be read is served, nothing is taken
// in, and the file stays as it is.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "storage/database.h"
#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t page_bytes = 4096;

std::string said_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unavailable);
    return error.what();
  }
  return {};
}

// One sweep with one run.
void make_store(const std::string& path) {
  Store store(path);
  const std::int64_t id = store.sweeps().create(sweep_named("kept")).id;
  stored_run(store, run_of(id, 4, 5));
}

// The page where a table begins becomes rubbish; what the file is then.
std::string spoil(const std::string& path, const std::string& table) {
  std::int64_t page = 0;
  {
    Connection reader(path, Access::read);
    page = reader.integer("SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'");
  }
  std::string bytes = bytes_of(path);
  const auto begin = bytes.begin() + (page - 1) * static_cast<std::int64_t>(page_bytes);
  std::fill(begin, begin + static_cast<std::int64_t>(page_bytes), '\x5A');
  write_file(path, bytes);
  return bytes;
}

// A daemon that opens the database, works a little and is killed.
void live_and_be_killed(const std::string& path) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Store store(path);
    static_cast<void>(store.sweeps().create(sweep_named("before the end")));
    kill(getpid(), SIGKILL);
  }
  REQUIRE(waitpid(child, nullptr, 0) == child);
}

void wait_until_looked_through(const Store& store) {
  for (int i = 0; i < 2000 && !store.is_looked_through(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  REQUIRE(store.is_looked_through());
}

}  // namespace

TEST_CASE("damage that a read meets is said once; other reads are served and no write is taken") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  const std::string before = spoil(path, "measurements");
  {
    Store store(path);
    CHECK(store.damage().empty());  // an orderly stop: nobody looks before somebody asks
    std::atomic<int> told = 0;
    store.on_damage([&](const std::string& why) {
      ++told;
      CHECK(contains(why, path));
      CHECK(contains(why, "iobench restore"));
    });
    CHECK(contains(said_by([&] { static_cast<void>(store.runs().find(1)); }), "damaged"));
    CHECK(contains(said_by([&] { static_cast<void>(store.runs().find(1)); }), "damaged"));
    CHECK(told == 1);
    CHECK(contains(store.damage(), "damaged"));
    CHECK(store.trouble() == store.damage());

    CHECK(store.sweeps().find(1)->spec.label == "kept");
    CHECK(store.runs().list({}, 0, 50).items.size() == 1);
    const std::string refusal =
        said_by([&] { static_cast<void>(store.sweeps().create(sweep_named("new"))); });
    CHECK(refusal == store.damage());
    CHECK(said_by([&] { store.sweeps().remove(1); }) == store.damage());
  }
  CHECK(bytes_of(path) == before);
}

TEST_CASE("after kill -9 the whole file is looked through, and what is found is told") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  live_and_be_killed(path);
  REQUIRE(fs::file_size(path + "-wal") > 0);
  const std::string before = spoil(path, "printed_figures");  // which nobody reads by himself
  const std::string log_before = bytes_of(path + "-wal");
  {
    Store store(path);
    wait_until_looked_through(store);
    CHECK(contains(store.damage(), "damaged"));
    CHECK(store.runs().find(1)->setting.numjobs == 4);
    CHECK(store.sweeps().find(2)->spec.label == "before the end");  // it is in the log alone
    CHECK(contains(said_by([&] { static_cast<void>(store.sweeps().create(sweep_named(""))); }),
                   "damaged"));
  }
  CHECK(bytes_of(path) == before);
  CHECK(bytes_of(path + "-wal") == log_before);
}

TEST_CASE("after kill -9 a whole file is found whole, and the next stop is an orderly one") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  live_and_be_killed(path);
  {
    Store store(path);
    wait_until_looked_through(store);
    CHECK(store.damage().empty());
    CHECK(store.trouble().empty());
  }
  CHECK_FALSE(fs::exists(path + "-wal"));
}

TEST_CASE("a file that lost its end is served as far as it goes") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  std::string bytes = bytes_of(path);
  bytes.resize(bytes.size() - page_bytes);
  write_file(path, bytes);
  {
    Store store(path);
    CHECK(contains(store.damage(), "damaged"));
    CHECK(store.sweeps().find(1)->spec.label == "kept");
    CHECK(contains(said_by([&] { store.sweeps().set_error(1, ""); }), "damaged"));
  }
  CHECK(bytes_of(path) == bytes);
}

TEST_CASE("a log that was cut off costs what was in it, and nothing before") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  live_and_be_killed(path);
  fs::resize_file(path + "-wal", fs::file_size(path + "-wal") - 100);
  Store store(path);
  wait_until_looked_through(store);
  CHECK(store.damage().empty());
  CHECK(store.sweeps().find(1)->spec.label == "kept");
  CHECK_FALSE(store.sweeps().find(2));
  CHECK(store.sweeps().create(sweep_named("new")).id == 2);
}

TEST_CASE("a log of nothing but rubbish is no log") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  write_file(path + "-wal", std::string(50'000, '\x5A'));
  Store store(path);
  wait_until_looked_through(store);
  CHECK(store.damage().empty());
  CHECK(store.sweeps().find(1)->spec.label == "kept");
}

TEST_CASE("a database that is deleted under a daemon takes nothing more in, and is named") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  Store store(path);
  CHECK(store.sweeps().find(1));
  fs::rename(path, dir / "elsewhere");
  CHECK(contains(store.trouble(), "moved away"));
  CHECK(contains(said_by([&] { static_cast<void>(store.sweeps().create(sweep_named(""))); }),
                 "put it back"));
  CHECK(store.sweeps().find(1)->spec.label == "kept");  // by the descriptor that is open
}

TEST_CASE("a log without its database is not thrown away with a new one") {
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  live_and_be_killed(path);
  fs::rename(path, dir / "elsewhere");
  const std::string log = bytes_of(path + "-wal");
  const std::string why = said_by([&] { const Store store(path); });
  CHECK(contains(why, "put the database back"));
  CHECK(bytes_of(path + "-wal") == log);
  CHECK_FALSE(fs::exists(path));
  fs::rename(dir / "elsewhere", path);
  CHECK(Store(path).sweeps().find(2)->spec.label == "before the end");
}

TEST_CASE("a file that may not be written is named with the cure") {
  if (geteuid() == 0) {
    MESSAGE("skipped: root may write every file");
    return;
  }
  TempDir dir;
  const std::string path = dir / "db";
  make_store(path);
  fs::permissions(path, fs::perms::owner_read);
  CHECK(contains(said_by([&] { const Store store(path); }), "give it to this user"));
}
