#include <doctest/doctest.h>

#include "storage/database.h"
#include "storage/pages.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

std::string plan_of(Database& database, const PageQuery& query) {
  return database.read([&](Connection& connection) {
    Statement row(connection, "EXPLAIN QUERY PLAN " + query.sql());
    query.bind(row, 51);
    std::string plan;
    while (row.step()) plan += row.text("detail") + "\n";
    return plan;
  });
}

}  // namespace

TEST_CASE("a page of runs with any single filter is a walk along one index, never a sort") {
  TempDir dir;
  Database database(dir / "db");
  for (const char* column : {"sweep_id", "state", "target", "label", "host", "serial", "rw",
                             "origin", "block_bytes", "iodepth", "numjobs", "ioengine"}) {
    PageQuery query("SELECT id FROM runs", "started_at_ns", "id");
    query.equals(column, "value");
    query.after({1'000, 5});
    const std::string plan = plan_of(database, query);
    CAPTURE(plan);
    CHECK(plan.find(std::string("SEARCH runs USING ")) != std::string::npos);
    CHECK(plan.find(std::string("(") + column + "=?") != std::string::npos);
    CHECK(plan.find("started_at_ns") != std::string::npos);
    CHECK(plan.find("TEMP B-TREE") == std::string::npos);
  }
  PageQuery unfiltered("SELECT id FROM runs", "started_at_ns", "id");
  CHECK(plan_of(database, unfiltered).find("runs_by_started_at") != std::string::npos);
  CHECK(plan_of(database, unfiltered).find("TEMP B-TREE") == std::string::npos);
}

TEST_CASE("of two filters the first picks the index") {
  TempDir dir;
  Database database(dir / "db");
  PageQuery query("SELECT id FROM runs", "started_at_ns", "id");
  query.equals("label", "x");
  query.equals("state", "done");
  CHECK(plan_of(database, query).find("runs_by_label") != std::string::npos);
}

TEST_CASE("a page of sweeps with any single filter is a walk along one index, never a sort") {
  TempDir dir;
  Database database(dir / "db");
  for (const char* column : {"state", "listed_target", "label", "host", "origin", "schedule_id"}) {
    PageQuery query("SELECT id FROM sweeps", "created_at_ns", "id");
    query.equals(column, "value");
    const std::string plan = plan_of(database, query);
    CAPTURE(plan);
    CHECK(plan.find(std::string("(") + column + "=?") != std::string::npos);
    CHECK(plan.find("TEMP B-TREE") == std::string::npos);
  }
}
