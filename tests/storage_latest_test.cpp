// What this machine measured last.
#include <doctest/doctest.h>

#include "storage/database.h"
#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

struct House {
  void add(std::uint32_t numjobs, std::int64_t started_at_ns, RunState state = RunState::done) {
    Run run = run_of(store.sweeps().create(sweep_named("")).id, numjobs, started_at_ns);
    static_cast<void>(stored_run(store, run, state));
  }

  TempDir dir;
  Store store{dir / "db"};
};

}  // namespace

TEST_CASE("each measurement's newest good run of our own is told, the newest first") {
  House house;
  house.add(1, 100);
  house.add(1, 300);
  house.add(2, 400);
  house.add(1, 200);
  house.add(1, 500, RunState::failed);
  Run imported = run_of(0, 4, 600);
  imported.state = RunState::done;
  static_cast<void>(house.store.runs().import(sweep_named(""), {imported}, {summary_of(imported)}));
  const auto latest = house.store.history().latest(10);
  REQUIRE(latest.size() == 2);
  CHECK(latest[0].identity.setting.numjobs == 2);
  CHECK(latest[1].identity.setting.numjobs == 1);
  CHECK(latest[1].run_id == 2);
  CHECK(latest[1].finished_at_ns == 301);
  CHECK(latest[1].target == "/dev/sd1c");
  CHECK(latest[1].identity.serial == "S1");
  CHECK(latest[1].iops == 1000.5);
  CHECK(house.store.history().latest(1).size() == 1);
}

TEST_CASE("what was measured last is a walk along one index, however many runs there are") {
  TempDir dir;
  Database database(dir / "db");
  database.read([&](Connection& connection) {
    Statement row(connection, R"sql(
      EXPLAIN QUERY PLAN
      SELECT id, started_at_ns
        FROM runs
       WHERE origin = 'local'
       ORDER BY started_at_ns DESC, id DESC
       LIMIT 2000)sql");
    std::string plan;
    while (row.step()) plan += row.text("detail") + "\n";
    CAPTURE(plan);
    CHECK(plan.find("runs_by_origin") != std::string::npos);
    CHECK(plan.find("TEMP B-TREE") == std::string::npos);
  });
}
