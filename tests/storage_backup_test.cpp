// The database as one file and back: what a backup holds, what a restore refuses, what it keeps.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/backup.h"
#include "storage/inspect.h"
#include "storage/restore.h"
#include "storage/statement.h"
#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;
namespace fs = std::filesystem;

namespace {

std::string refusal(const std::string& database, const std::string& from) {
  try {
    static_cast<void>(restore(database, from));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void add_sweep(Store& store, const std::string& label) {
  stored_run(store, run_of(store.sweeps().create(sweep_named(label)).id, 4, 5));
}

std::string backup_of(Store& store) {
  const auto backup = store.backup();
  std::string all;
  for (std::string part; !(part = backup->read(1000)).empty();) all += part;
  return all;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("a backup is the database of that moment in one file, and leaves nothing behind") {
  TempDir dir;
  fs::create_directory(dir / "state");
  write_file(dir / "state/db.backup", "what a crash left");
  Store store(dir / "state/db");
  CHECK_FALSE(fs::exists(dir / "state/db.backup"));
  add_sweep(store, "in it");
  const std::string bytes = backup_of(store);
  add_sweep(store, "too late");
  for (const std::string& name : names_in(dir / "state")) CHECK_FALSE(contains(name, "backup"));
  write_file(dir / "copy", bytes);
  const Inspection found = inspect(dir / "copy");
  CHECK(found.findings.empty());
  CHECK(found.sweeps == 1);
  CHECK(found.runs == 1);
  CHECK(found.log_bytes == 0);
  Store copy(dir / "copy");
  CHECK(copy.sweeps().find(1)->spec.label == "in it");
  CHECK(copy.runs().find(1)->setting.numjobs == 4);
}

TEST_CASE("a backup under way ends when the daemon does") {
  TempDir dir;
  Store store(dir / "db");
  for (int i = 0; i < 20; ++i) add_sweep(store, "");
  store.leave();
  CHECK(code_of([&] { static_cast<void>(store.backup()); }) == ErrorCode::unavailable);
  CHECK_FALSE(fs::exists(dir / "db.backup"));
}

TEST_CASE("a look from outside is taken beside the daemon that writes") {
  TempDir dir;
  Store store(dir / "db");
  add_sweep(store, "");
  const Inspection found = inspect(dir / "db");
  CHECK(found.findings.empty());
  CHECK(found.runs == 1);
  CHECK(found.log_bytes > 0);
  CHECK(code_of([&] { static_cast<void>(inspect(dir / "none")); }) == ErrorCode::not_found);
}

TEST_CASE("what refers to nothing is found") {
  TempDir dir;
  {
    Store store(dir / "db");
    add_sweep(store, "");
  }
  Connection(dir / "db", Access::write)
      .execute("PRAGMA foreign_keys = OFF; DELETE FROM sweeps WHERE id = 1");
  const Inspection found = inspect(dir / "db");
  REQUIRE_FALSE(found.findings.empty());
  CHECK(contains(found.findings[0], "sweeps"));
}

TEST_CASE("a restore puts the backup in place and keeps the old database with its log") {
  TempDir dir;
  fs::create_directory(dir / "state");
  const std::string path = dir / "state/db", copy = dir / "copy";
  {
    Store store(path);
    add_sweep(store, "backed up");
    write_file(copy, backup_of(store));
    add_sweep(store, "newer");
  }
  const Restored done = restore(path, copy);
  CHECK(done.found.sweeps == 1);
  CHECK(inspect(done.kept_as).sweeps == 2);
  CHECK(Store(path).sweeps().count_unfinished() == 1);
  for (const std::string& name : names_in(dir / "state")) CHECK_FALSE(contains(name, "restoring"));
}

TEST_CASE("a restore where there is no database makes one; where one is in use it is refused") {
  TempDir dir;
  {
    Store store(dir / "a");
    add_sweep(store, "kept");
    write_file(dir / "copy", backup_of(store));
    CHECK(contains(refusal(dir / "a", dir / "copy"), "another iobenchd"));
  }
  CHECK(restore(dir / "b", dir / "copy").kept_as.empty());
  CHECK(Store(dir / "b").sweeps().find(1)->spec.label == "kept");
}

TEST_CASE("what is no good backup changes nothing") {
  TempDir dir;
  fs::create_directory(dir / "state");
  const std::string path = dir / "state/db", copy = dir / "copy";
  {
    Store store(path);
    add_sweep(store, "kept");
    write_file(copy, backup_of(store));
  }
  const std::string before = bytes_of(path), good = bytes_of(copy);
  write_file(copy, "these are my notes");
  CHECK(contains(refusal(path, copy), "no database"));
  CHECK(contains(refusal(path, dir / "none"), "none"));
  write_file(copy, good.substr(0, good.size() - 4096));
  CHECK(contains(refusal(path, copy), "damaged"));
  std::string spoilt = good;
  std::fill(spoilt.begin() + 3 * 4096, spoilt.begin() + 9 * 4096, '\x5A');
  write_file(copy, spoilt);
  CHECK(contains(refusal(path, copy), "damaged"));
  write_file(copy, good);
  Connection(copy, Access::write).execute("PRAGMA user_version = 1000");
  CHECK(contains(refusal(path, copy), "newer iobenchd"));
  write_file(copy, good);
  write_file(copy + "-wal", "a log");
  CHECK(contains(refusal(path, copy), "no backup"));
  CHECK(bytes_of(path) == before);
  CHECK(names_in(dir / "state").size() == 2);  // it and its lock
}

TEST_CASE("an old database that is damaged is kept as it is, log and all") {
  TempDir dir;
  const std::string path = dir / "db";
  {
    Store store(path);
    add_sweep(store, "kept");
    write_file(dir / "copy", backup_of(store));
  }
  const std::string rubbish(9'000, '\x5A');
  write_file(path, rubbish);
  write_file(path + "-wal", "its log");
  const Restored done = restore(path, dir / "copy");
  CHECK(bytes_of(done.kept_as) == rubbish);
  CHECK(bytes_of(done.kept_as + "-wal") == "its log");
  CHECK(Store(path).sweeps().find(1)->spec.label == "kept");
}
