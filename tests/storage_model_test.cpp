// What other sweeps of a disk model measured.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "storage/database.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

Run good_run(std::uint32_t numjobs, const std::string& model) {
  Run run = run_of(0, numjobs, 0);
  run.state = RunState::done;
  run.circumstances.model = model;
  return run;
}

// A sweep of these runs, as another host made it then.
Sweep imported(Store& store, std::int64_t created_at_ns, const std::vector<Run>& runs) {
  Sweep sweep = sweep_named("");
  sweep.created_at_ns = created_at_ns;
  std::vector<RunSummary> summaries;
  for (const Run& run : runs) summaries.push_back(summary_of(run));
  return *store.sweeps().find(store.runs().import(sweep, runs, summaries));
}

std::vector<std::int64_t> ids_of(const std::vector<ModelFigure>& figures) {
  std::vector<std::int64_t> ids;
  for (const ModelFigure& figure : figures) ids.push_back(figure.sweep_id);
  return ids;
}

}  // namespace

TEST_CASE("a sweep is never held against itself, nor against later ones") {
  TempDir dir;
  Store store(dir / "db");
  const std::vector<Run> runs{good_run(8, "Disk X")};
  const Sweep first = imported(store, 10 * second_ns, runs);
  const Sweep judged = imported(store, 20 * second_ns, runs);
  imported(store, 30 * second_ns, runs);
  // Taken in last, but measured first.
  const Sweep old = imported(store, 5 * second_ns, runs);
  const auto found = store.runs().earlier_of_model("Disk X", judged);
  CHECK(ids_of(found) == std::vector<std::int64_t>{old.id, first.id});
  CHECK(found[0].setting.numjobs == 8);
  CHECK(found[0].iops == 1000.5);
  CHECK(store.runs().earlier_of_model("Disk X", old).empty());
}

TEST_CASE("of two sweeps of one instant the smaller number is the earlier") {
  TempDir dir;
  Store store(dir / "db");
  const std::vector<Run> runs{good_run(8, "Disk X")};
  const Sweep first = imported(store, second_ns, runs);
  const Sweep second = imported(store, second_ns, runs);
  CHECK(ids_of(store.runs().earlier_of_model("Disk X", second)) ==
        std::vector<std::int64_t>{first.id});
  CHECK(store.runs().earlier_of_model("Disk X", first).empty());
}

TEST_CASE("other models, failed runs, drift checks and the null engine are left out") {
  TempDir dir;
  Store store(dir / "db");
  Run failed = good_run(1, "Disk X"), again = failed, null = failed;
  failed.state = RunState::failed;
  again.is_drift_check = true;
  null.measurement.ioengine = IoEngine::null;
  imported(store, second_ns, {failed, again, null, good_run(2, "Disk X"), good_run(4, "Disk X")});
  imported(store, second_ns, {good_run(8, "Disk Y")});
  const Sweep judged = imported(store, 9 * second_ns, {good_run(1, "Disk X")});
  const auto found = store.runs().earlier_of_model("Disk X", judged);
  REQUIRE(found.size() == 2);
  CHECK(found[0].setting.numjobs == 2);
  CHECK(found[1].setting.numjobs == 4);
  CHECK(store.runs().earlier_of_model("", judged).empty());
}

TEST_CASE("only so many sweeps are looked at, the newest") {
  TempDir dir;
  Store store(dir / "db");
  for (std::int64_t i = 1; i <= 5; ++i) imported(store, i * second_ns, {good_run(1, "Disk X")});
  const Sweep judged = imported(store, 4 * second_ns, {good_run(1, "Disk X")});
  // 5 is later, so 4 (of the same instant, and a smaller number) and 3.
  CHECK(ids_of(store.runs().earlier_of_model("Disk X", judged, 2)) ==
        std::vector<std::int64_t>{4, 3});
}

TEST_CASE("the sweeps of a model are found along their index") {
  TempDir dir;
  Database database(dir / "db");
  const std::string plan = database.read([](Connection& connection) {
    Statement row(connection, R"sql(
      EXPLAIN QUERY PLAN
      SELECT sweep_id
        FROM runs
       WHERE model = :model AND sweep_id < :before
       ORDER BY sweep_id DESC
       LIMIT 1)sql");
    row.bind("model", "Disk X").bind("before", 1);
    std::string text;
    while (row.step()) text += row.text("detail") + "\n";
    return text;
  });
  CHECK(plan.find("runs_by_model") != std::string::npos);
  CHECK(plan.find("TEMP B-TREE") == std::string::npos);
}
