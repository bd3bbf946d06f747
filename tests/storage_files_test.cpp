#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "storage/database.h"
#include "storage/migrations.h"
#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;
namespace fs = std::filesystem;

namespace {

// What opening says; "" when it works.
std::string refusal(const std::string& path) {
  try {
    const Store store(path);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unavailable);
    return error.what();
  }
  return {};
}

std::string make_store(const std::string& path) {
  Clock clock;
  Store store(path, clock.function());
  const std::int64_t id = store.sweeps().create(sweep_named("kept")).id;
  stored_run(store, run_of(id, 4, 5));
  return path;
}

}  // namespace

TEST_CASE("a second daemon on one database is told so, and may have it when the first is gone") {
  TempDir dir;
  const std::string path = dir / "db";
  {
    const Store first(path);
    const std::string why = refusal(path);
    CHECK(contains(why, path));
    CHECK(contains(why, "another iobenchd"));
  }
  CHECK(refusal(path).empty());
}

TEST_CASE("a new database is private to its user") {
  TempDir dir;
  const std::string path = make_store(dir / "db");
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a file that is no database is refused and left as it is") {
  TempDir dir;
  const std::string path = dir / "notes.txt";
  const std::string text =
      "these are my notes, not a database; there are more than a hundred "
      "characters of them, so that a header would fit in.";
  write_file(path, text);
  const std::string why = refusal(path);
  CHECK(contains(why, path));
  CHECK(contains(why, "no database"));
  CHECK(bytes_of(path) == text);
  CHECK_FALSE(fs::exists(path + "-wal"));
  write_file(path, "short");
  CHECK(contains(refusal(path), "no database"));
  CHECK(bytes_of(path) == "short");
}

TEST_CASE("a database of another program is refused and left as it is") {
  TempDir dir;
  const std::string path = dir / "firefox.sqlite";
  Connection(path, Access::create).execute("CREATE TABLE theirs (a TEXT); PRAGMA user_version = 1");
  const std::string before = bytes_of(path);
  CHECK(contains(refusal(path), "another program"));
  CHECK(bytes_of(path) == before);
}

TEST_CASE("a database of a newer version is refused and left as it is") {
  TempDir dir;
  const std::string path = make_store(dir / "db");
  Connection(path, Access::write).execute("PRAGMA user_version = 1000");
  const std::string before = bytes_of(path);
  const std::string why = refusal(path);
  CHECK(contains(why, "newer iobenchd"));
  CHECK(contains(why, "1000"));
  CHECK(bytes_of(path) == before);
}

TEST_CASE("a database of which nothing can be read is named as that, and left as it is") {
  TempDir dir;
  const std::string path = make_store(dir / "db");
  std::string bytes = bytes_of(path);
  // The page behind the header: the list of tables.
  std::fill(bytes.begin() + 100, bytes.begin() + 4096, '\x5A');
  write_file(path, bytes);
  const std::string why = refusal(path);
  CHECK(contains(why, path));
  CHECK(contains(why, "damaged"));
  CHECK(bytes_of(path) == bytes);
  bytes.resize(bytes.size() / 2);
  write_file(path, bytes);
  CHECK(contains(refusal(path), "damaged"));
  CHECK(bytes_of(path) == bytes);
}

TEST_CASE("a directory that can't be written is named with the cure") {
  TempDir dir;
  write_file(dir / "file", "");
  // Below a regular file nobody can create anything, root neither.
  const std::string why = refusal(dir / "file/db");
  CHECK(contains(why, dir / "file"));
  CHECK(contains(why, "writable"));
  CHECK(contains(why, "`database`"));
  CHECK(contains(refusal(dir / "missing/db"), dir / "missing"));
  fs::create_directory(dir / "db");
  CHECK(contains(refusal(dir / "db"), "not a regular file"));
}

TEST_CASE("kill -9 right after finish() returned leaves the run; one in progress is interrupted") {
  TempDir dir;
  const std::string path = dir / "db";
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    Store store(path);
    const std::int64_t id = store.sweeps().create(sweep_named("")).id;
    store.sweeps().set_started(id);
    Run run = run_of(id, 4, 5);
    run.measurement.read.latency.add(100);
    stored_run(store, run);
    static_cast<void>(store.runs().begin(run_of(id, 8, 6)));
    const ssize_t told = write(ends[1], "x", 1);
    static_cast<void>(told);
    while (true) pause();
  }
  close(ends[1]);
  char byte = 0;
  REQUIRE(read(ends[0], &byte, 1) == 1);
  close(ends[0]);
  REQUIRE(kill(child, SIGKILL) == 0);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  Store store(path);
  CHECK(store.runs().interrupt_running() == 1);
  CHECK(store.runs().find(1)->state == RunState::done);
  CHECK(store.runs().find(1)->measurement.read.latency.count == 1);
  CHECK(store.runs().find(2)->state == RunState::interrupted);
  CHECK(store.sweeps().find(1)->state == SweepState::running);
  CHECK(store.sweeps().find(1)->runs_done == 1);
}

TEST_CASE(
    "a full database refuses the run, keeps what it has, and takes the run once there is room") {
  TempDir dir;
  Clock clock;
  Database database(dir / "db");
  SweepStore sweeps(database, clock.function());
  RunStore runs(database, clock.function());
  const std::int64_t id = sweeps.create(sweep_named("")).id;
  Run run = run_of(id, 1, 5);
  run.id = runs.begin(run);
  run.state = RunState::done;
  for (std::uint32_t i = 0; i < histogram_buckets; ++i) {
    run.measurement.read.latency.add(bucket_midpoint_ns(i));
  }
  run.measurement.jobs.resize(1024);  // more than what is left of a page
  const auto limit_to = [&](const std::string& pages) {
    database.write([&](Connection& connection) {
      static_cast<void>(connection.integer("PRAGMA max_page_count = " + pages));
    });
  };
  limit_to("1");  // as many as there are
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      runs.finish(run, summary_of(run));
      FAIL("there was room");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::storage_full);
      CHECK(contains(error.what(), dir / "db"));
    }
    CHECK(database.write_failed());
    CHECK(runs.find(run.id)->state == RunState::running);
    CHECK(sweeps.find(id)->runs_done == 0);
  }
  limit_to("1000000");
  runs.finish(run, summary_of(run));
  CHECK_FALSE(database.write_failed());
  CHECK(runs.find(run.id)->measurement.read.latency.count == histogram_buckets);
  CHECK(sweeps.find(id)->runs_done == 1);
}

TEST_CASE("trouble is empty while the database works") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  CHECK(store.trouble().empty());
  clock.now_ns += 3'600'000'000'000;
  CHECK(store.trouble().empty());
}

TEST_CASE("an upgrade copies the old database first, and a broken one changes nothing") {
  TempDir dir;
  const std::string path = make_store(dir / "db");
  // One step more than this version knows: as the next version will find today's databases.
  std::vector<const char*> broken(migrations().begin(), migrations().end());
  std::vector<const char*> good = broken;
  broken.push_back("CREATE TABLE half (a TEXT) STRICT; CREATE NONSENSE;");
  good.push_back("CREATE TABLE later (a TEXT) STRICT;");
  const auto today = static_cast<std::int64_t>(migrations().size());
  const std::string copy = path + ".before-v" + std::to_string(today + 1);
  {
    Connection writer(path, Access::write);
    CHECK_THROWS_AS(migrate(writer, broken), Error);
    CHECK(writer.integer("PRAGMA user_version") == today);
    CHECK(writer.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0);
    migrate(writer, good);
    CHECK(writer.integer("PRAGMA user_version") == today + 1);
    CHECK(writer.integer("SELECT count(*) FROM later") == 0);
    CHECK(writer.integer("SELECT count(*) FROM runs") == 1);
  }
  CHECK(fs::exists(copy));
  CHECK_FALSE(fs::exists(copy + ".partial"));
  CHECK(contains(refusal(path), "newer iobenchd"));
  Store old(copy);
  CHECK(old.sweeps().find(1)->spec.label == "kept");
}

TEST_CASE("a database of version 1 is read by this version") {
  TempDir dir;
  fs::copy_file(std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/store_v1.sqlite3", dir / "db");
  Store store(dir / "db");
  const Sweep sweep = store.sweeps().find(1).value();
  CHECK(sweep.spec.label == "version 1");
  CHECK(sweep.state == SweepState::done);
  CHECK(sweep.answer == "6 to 8 jobs.");
  CHECK(sweep.runs_done == 2);
  CHECK(sweep.spec.workload == Workload{});  // what version 1 didn't know is as it was then
  const std::vector<Run> runs = store.runs().of_sweep(1);
  REQUIRE(runs.size() == 2);
  CHECK(runs[1].setting.numjobs == 8);
  CHECK(runs[1].measurement.read.latency.count == 100);
  CHECK(runs[1].measurement.read.latency.percentile_ns(50'000) == 50'000);
  CHECK(runs[1].measurement.samples.size() == 3);
  CHECK(runs[1].measurement.jobs.size() == 8);
  CHECK(runs[1].circumstances.serial == "S1");
  CHECK(std::isnan(runs[1].health.temperature_celsius));
  CHECK(runs[1].measurement.fsync.latency.count == 0);
  CHECK(store.runs().list({}, 0, 50).items[0].iops == 1000.5);
}

TEST_CASE("a database of version 2 is read by this version") {
  TempDir dir;
  fs::copy_file(std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/store_v2.sqlite3", dir / "db");
  Store store(dir / "db");
  const Sweep sweep = store.sweeps().find(1).value();
  CHECK(sweep.spec.label == "version 2");
  CHECK(sweep.spec.workload.rate_iops == 2000);
  CHECK(sweep.spec.workload.fsync == 8);
  CHECK(sweep.spec.workload.random_distribution == RandomDistribution{Distribution::zipf, 1.2});
  CHECK(sweep.spec.workload.verify == 0);
  const std::vector<Run> runs = store.runs().of_sweep(1);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].setting.rw == Rw::randrw);
  CHECK(runs[0].measurement.fsync.ios == 145);
  CHECK(runs[0].measurement.fsync.latency.count == 145);
  CHECK(runs[0].measurement.verified_bytes == 0);
  CHECK(store.runs().list({}, 0, 50).items[1].iops == 3966);
}

TEST_CASE("a database of version 3 is read by this version") {
  TempDir dir;
  fs::copy_file(std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/store_v3.sqlite3", dir / "db");
  Store store(dir / "db");
  const Sweep sweep = store.sweeps().find(1).value();
  CHECK(sweep.spec.label == "version 3");
  CHECK(sweep.spec.workload.verify == 1);
  const std::vector<Run> runs = store.runs().of_sweep(1);
  REQUIRE(runs.size() == 3);  // the last is the drift check
  CHECK(runs[0].measurement.verified_bytes > 0);
  CHECK(runs[0].measurement.rounds == 0);
  CHECK_FALSE(runs[0].measurement.rounds_steady);
}

TEST_CASE("a database of version 4 is read by this version") {
  TempDir dir;
  fs::copy_file(std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/store_v4.sqlite3", dir / "db");
  Store store(dir / "db");
  CHECK(fs::exists(dir / "db.before-v5"));
  const Sweep sweep = store.sweeps().find(1).value();
  CHECK(sweep.spec.label == "version 4");
  CHECK(sweep.spec.repeats_auto);
  CHECK(sweep.spec.yield_to_other_io == true);
  CHECK(sweep.pinned);
  CHECK(store.sweeps().find(2)->state == SweepState::running);
  CHECK(store.sweeps().find(3)->origin == Origin::imported);
  const std::vector<Run> runs = store.runs().of_sweep(1);
  REQUIRE(runs.size() == 2);
  CHECK(runs[1].measurement.rounds == 6);
  CHECK(runs[1].measurement.samples.size() == 100);
  CHECK_FALSE(runs[1].measurement.samples_variation);  // thinning is of version 5
  CHECK(store.runs().of_sweep(3).at(0).imported.read.latency_p99_ns == 777);
  const std::vector<SweepSchedule> schedules = store.schedules().list();
  REQUIRE(schedules.size() == 1);
  CHECK(schedules[0].when.daily_minute == 210);
  CHECK(schedules[0].max_load == 2.5);
}

TEST_CASE("readers on many threads see whole sweeps while one writes") {
  TempDir dir;
  Store store(dir / "db");
  const std::int64_t id = store.sweeps().create(sweep_named("")).id;
  std::vector<std::thread> readers;
  std::atomic<bool> torn{false}, over{false};
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!over) {
        // Each page is one snapshot: newest first, no number missing.
        const Page<RunSummary> page = store.runs().list({}, 0, 500);
        for (std::size_t at = 0; at < page.items.size(); ++at) {
          if (page.items[at].run_id != page.items[0].run_id - static_cast<std::int64_t>(at)) {
            torn = true;
          }
        }
      }
    });
  }
  for (int i = 0; i < 60; ++i) stored_run(store, run_of(id, 1, i));
  over = true;
  for (std::thread& reader : readers) reader.join();
  CHECK_FALSE(torn);
  CHECK(store.sweeps().find(id)->runs_done == 60);
}
