#include <doctest/doctest.h>

#include <filesystem>
#include <functional>

#include "storage/database.h"
#include "storage/migrations.h"
#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

Sweep sweep_of(std::uint64_t size_bytes) {
  Sweep sweep = sweep_named("");
  sweep.plan.size_bytes = size_bytes;
  return sweep;
}

struct House {
  // A sweep of one run on disk S1, random reads by one job, with what `change` makes of both.
  std::int64_t add(std::int64_t started_at_ns, double iops = 1000,
                   const std::function<void(Sweep&, Run&)>& change = {}) {
    Sweep sweep = sweep_of(4 * gib);
    Run run = run_of(0, 1, started_at_ns);
    run.circumstances.program_version = "0.1.0";
    run.measurement.ioengine = IoEngine::io_uring;
    run.measurement.direct = true;
    if (change) change(sweep, run);
    run.sweep_id = store.sweeps().create(sweep).id;
    finish(run, iops);
    store.sweeps().finish(run.sweep_id, SweepState::done, "", "");
    return run.sweep_id;
  }

  void finish(Run run, double iops, RunState state = RunState::done) {
    run.id = store.runs().begin(run);
    run.state = state;
    RunSummary summary = summary_of(run);
    summary.iops = iops;
    summary.latency_mean_ns = 1e9 / iops;
    summary.latency_p99_ns = 7;
    store.runs().finish(run, summary);
  }

  [[nodiscard]] std::vector<Series> list(const HistoryFilter& filter = {}) {
    return store.history().list(filter, 0, history_page_most).items;
  }

  TempDir dir;
  Clock clock;
  Store store{dir / "db", clock.function()};
};

Ids sweeps_of(const std::vector<SeriesRun>& runs) {
  Ids ids;
  for (const SeriesRun& run : runs) ids.push_back(run.sweep_id);
  return ids;
}

std::string workload_of(Rw rw, const std::function<void(Workload&)>& change) {
  House house;
  house.add(1, 1000, [&](Sweep& sweep, Run& run) {
    run.setting.rw = rw;
    change(sweep.spec.workload);
  });
  return house.list().at(0).identity.workload;
}

}  // namespace

TEST_CASE("sweeps that measured the same thing are one series, oldest first") {
  House house;
  house.add(20, 2000);
  house.add(10, 1000);
  const std::vector<Series> found = house.list();
  REQUIRE(found.size() == 1);
  const Identity& identity = found[0].identity;
  CHECK(identity.serial == "S1");
  CHECK(identity.target.empty());
  CHECK(identity.host.empty());
  CHECK(identity.setting == Setting{Rw::randread, 4096, 1, 1});
  CHECK(identity.ioengine == IoEngine::io_uring);
  CHECK(identity.direct);
  CHECK(identity.size_class == 32);
  CHECK(identity.workload.empty());
  CHECK(sweeps_of(found[0].runs) == Ids{2, 1});
  const SeriesRun& newest = found[0].runs[1];
  CHECK(newest.iops == 2000);
  CHECK(newest.latency_mean_ns == 500'000);
  CHECK(newest.latency_p99_ns == 7);
  CHECK(newest.started_at_ns == 20);
  CHECK(found[0].circumstances.size() == 1);
  CHECK(found[0].circumstances[newest.circumstances].host == "alpha");
  CHECK_FALSE(found[0].older_left_off);
}

TEST_CASE("every part of an identity makes a series of its own") {
  House house;
  house.add(1);
  house.add(2, 1, [](Sweep&, Run& run) { run.circumstances.serial = "S2"; });
  house.add(3, 1, [](Sweep&, Run& run) { run.setting.rw = Rw::randwrite; });
  house.add(4, 1, [](Sweep&, Run& run) { run.setting.block_bytes = 8192; });
  house.add(5, 1, [](Sweep&, Run& run) { run.setting.iodepth = 2; });
  house.add(6, 1, [](Sweep&, Run& run) { run.setting.numjobs = 2; });
  house.add(7, 1, [](Sweep&, Run& run) { run.measurement.ioengine = IoEngine::psync; });
  house.add(8, 1, [](Sweep&, Run& run) { run.measurement.direct = false; });
  house.add(9, 1, [](Sweep& sweep, Run&) { sweep.plan.size_bytes = 8 * gib; });
  house.add(10, 1, [](Sweep& sweep, Run&) { sweep.spec.workload.rate_iops = 450; });
  CHECK(house.list().size() == 10);
  // What is no part of it.
  house.add(11, 1, [](Sweep& sweep, Run& run) {
    sweep.plan.size_bytes = 8 * gib - 1;  // from 4 GiB to 8 it is one class
    run.circumstances.host = "beta";
    run.circumstances.target = "/dev/sd7c";
    run.circumstances.os = "OpenBSD 8.2";
  });
  const std::vector<Series> found = house.list();
  CHECK(found.size() == 10);
  CHECK(found[0].runs.size() == 2);
  CHECK(found[0].circumstances.size() == 2);
}

TEST_CASE("a disk without a serial number is its path on its host; one without a path is none") {
  House house;
  const auto nameless = [](const std::string& host, const std::string& target) {
    return [=](Sweep&, Run& run) {
      run.circumstances.serial.clear();
      run.circumstances.host = host;
      run.circumstances.target = target;
    };
  };
  house.add(1, 1, nameless("alpha", "/dev/sd0c"));
  house.add(2, 1, nameless("beta", "/dev/sd0c"));
  house.add(3, 1, nameless("alpha", "/dev/sd0c"));
  house.add(4, 1, nameless("alpha", ""));
  const std::vector<Series> found = house.list();
  REQUIRE(found.size() == 2);
  CHECK(found[0].identity.target == "/dev/sd0c");
  CHECK(found[0].identity.host == "alpha");
  CHECK(sweeps_of(found[0].runs) == Ids{1, 3});
}

TEST_CASE("size_class is the power of two below the working set, 0 where it isn't known") {
  House house;
  const std::vector<std::pair<std::uint64_t, std::uint32_t>> classes{
      {0, 0},        {4096, 12},    {gib - 1, 29}, {gib, 30}, {gib + gib / 2, 30},
      {5 * gib, 32}, {15 * gib, 33}};
  std::int64_t at = 0;
  for (const auto& [bytes, size_class] : classes) {
    house.add(++at, 1, [bytes = bytes](Sweep& sweep, Run&) { sweep.plan.size_bytes = bytes; });
    CHECK(house.list()[0].identity.size_class == size_class);
  }
  // A sweep that came without a plan says what was asked.
  house.add(++at, 1, [](Sweep& sweep, Run&) {
    sweep.plan.size_bytes = 0;
    sweep.spec.size_bytes = 64 * gib;
  });
  CHECK(house.list()[0].identity.size_class == 36);
}

TEST_CASE("a workload is told where it matters") {
  CHECK(workload_of(Rw::randrw, [](Workload& w) { w.rwmixread = 70; }) == "rwmixread=70");
  CHECK(workload_of(Rw::randread, [](Workload& w) { w.rwmixread = 70; }).empty());
  CHECK(workload_of(Rw::randread, [](Workload& w) { w.fsync = 8; }).empty());
  CHECK(workload_of(Rw::write, [](Workload& w) {
          w.fsync = 8;
          w.sync = Sync::dsync;
          w.buffer_compress_percentage = 50;
          w.verify = 1;
        }) == "fsync=8 sync=dsync buffer_compress_percentage=50 verify=1");
  CHECK(workload_of(Rw::randread, [](Workload& w) {
          w.rate_iops = 450;
          w.random_distribution = {Distribution::zipf, 1.2};
          w.hipri = 1;
        }) == "rate_iops=450 rate_process=linear random_distribution=zipf:1.2 hipri=1");
}

TEST_CASE("failed and interrupted runs and drift checks stay out of the series") {
  House house;
  house.add(1);
  Run run = house.store.runs().find(1).value();
  run.started_at_ns = 2;
  house.finish(run, 1, RunState::failed);
  house.finish(run, 1, RunState::interrupted);
  house.finish(run, 1, RunState::cancelled);
  run.is_drift_check = true;
  house.finish(run, 1);
  static_cast<void>(house.store.runs().begin(run));
  const std::vector<Series> found = house.list();
  REQUIRE(found.size() == 1);
  CHECK(found[0].runs.size() == 1);
}

TEST_CASE("filters pick series; since and until go by the newest run") {
  House house;
  house.add(10);
  house.add(20, 1, [](Sweep&, Run& run) {
    run.circumstances.host = "beta";
    run.circumstances.target = "/dev/sd9c";
  });
  house.add(30, 1, [](Sweep&, Run& run) {
    run.setting.numjobs = 8;
    run.measurement.direct = false;
  });
  const auto count = [&](const std::function<void(HistoryFilter&)>& set) {
    HistoryFilter filter;
    set(filter);
    return house.list(filter).size();
  };
  CHECK(count([](HistoryFilter& f) { f.serial = "S1"; }) == 2);
  CHECK(count([](HistoryFilter& f) { f.serial = "S2"; }) == 0);
  CHECK(count([](HistoryFilter& f) { f.numjobs = 8; }) == 1);
  CHECK(count([](HistoryFilter& f) { f.direct = true; }) == 1);
  CHECK(count([](HistoryFilter& f) { f.rw = Rw::write; }) == 0);
  CHECK(count([](HistoryFilter& f) { f.ioengine = IoEngine::io_uring; }) == 2);
  CHECK(count([](HistoryFilter& f) { f.size_class = 32; }) == 2);
  CHECK(count([](HistoryFilter& f) { f.block_bytes = 512; }) == 0);
  CHECK(count([](HistoryFilter& f) { f.iodepth = 1; }) == 2);
  // One series has been on both hosts, and is shown whole.
  HistoryFilter beta;
  beta.host = "beta";
  REQUIRE(house.list(beta).size() == 1);
  CHECK(house.list(beta)[0].runs.size() == 2);
  CHECK(count([](HistoryFilter& f) { f.host = "alpha"; }) == 2);
  CHECK(count([](HistoryFilter& f) { f.target = "/dev/sd9c"; }) == 1);
  CHECK(count([](HistoryFilter& f) { f.since_ns = 21; }) == 1);
  CHECK(count([](HistoryFilter& f) { f.until_ns = 30; }) == 1);
  HistoryFilter early;
  early.until_ns = 20;
  CHECK(sweeps_of(house.list(early).at(0).runs) == Ids{1});
}

TEST_CASE("pages go on where they ended, every series once") {
  House house;
  for (std::uint32_t jobs = 1; jobs <= 7; ++jobs) {
    house.add(5, 1, [=](Sweep&, Run& run) { run.setting.numjobs = jobs; });  // all at one time
  }
  std::vector<std::uint32_t> seen;
  std::int64_t before = 0;
  do {
    const Page<Series> page = house.store.history().list({}, before, 3);
    for (const Series& series : page.items) seen.push_back(series.identity.setting.numjobs);
    before = page.next_before;
  } while (before != 0);
  CHECK(seen == std::vector<std::uint32_t>{7, 6, 5, 4, 3, 2, 1});
}

TEST_CASE("the runs of pinned sweeps come with their series, up to the time that is asked for") {
  House house;
  for (std::int64_t at = 1; at <= 3; ++at) house.add(at);
  house.add(4, 1, [](Sweep&, Run& run) { run.setting.numjobs = 8; });
  house.store.sweeps().describe(2, {}, {}, true);
  const std::vector<Series> found = house.list();
  REQUIRE(found.size() == 2);
  CHECK(found[0].pinned_runs.empty());
  CHECK(sweeps_of(found[1].pinned_runs) == Ids{2});
  CHECK(found[1].pinned_runs[0].iops == 1000);
  HistoryFilter before;
  before.until_ns = 2;
  CHECK(house.list(before).at(0).pinned_runs.empty());
}

TEST_CASE("a deleted sweep takes its identity with it, unless others have it") {
  House house;
  house.add(1);
  house.add(2);
  house.add(3, 1, [](Sweep&, Run& run) { run.setting.numjobs = 8; });
  const auto identities = [&] {
    Connection reader(house.dir / "db", Access::read);
    return reader.integer("SELECT count(*) FROM identities");
  };
  CHECK(identities() == 2);
  house.store.sweeps().remove(1);
  CHECK(identities() == 2);
  house.store.sweeps().remove(2);
  house.store.sweeps().remove(3);
  CHECK(identities() == 0);
  CHECK(house.list().empty());
}

TEST_CASE("an imported run of the same disk on another host is in the same series") {
  House house;
  house.add(10);
  Sweep sweep = sweep_of(4 * gib);
  sweep.host = "beta";
  Run run = run_of(0, 1, 5);
  run.circumstances.host = "beta";
  run.measurement.ioengine = IoEngine::io_uring;
  run.measurement.direct = true;
  run.state = RunState::done;
  static_cast<void>(house.store.runs().import(sweep, {run}, {summary_of(run)}));
  const std::vector<Series> found = house.list();
  REQUIRE(found.size() == 1);
  CHECK(sweeps_of(found[0].runs) == Ids{2, 1});
}

TEST_CASE("databases of every version before get their identities when they are opened") {
  for (const std::size_t version : {1U, 2U, 3U}) {
    CAPTURE(version);
    TempDir dir;
    const std::string kept = version == 1 ? "1" : "2";
    std::filesystem::copy_file(
        std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/store_v" + kept + ".sqlite3", dir / "db");
    if (version == 3) {
      Connection writer(dir / "db", Access::write);
      migrate(writer, migrations().first(3));
      writer.execute("UPDATE measurements SET governor = 'powersave'");
    }
    Store store(dir / "db");
    const std::vector<Series> found = store.history().list({}, 0, 50).items;
    if (version == 1) {
      // Two points of one sweep, whose plan told no size then.
      REQUIRE(found.size() == 2);
      CHECK(found[0].identity.serial == "S1");
      CHECK(found[0].identity.setting.numjobs == 8);
      CHECK(found[0].identity.size_class == 0);
      CHECK(found[1].runs.size() == 1);
    } else {
      // Two repeats of one point: 4 MiB, mixed, at a rate.
      REQUIRE(found.size() == 1);
      CHECK(found[0].identity.serial == "S2");
      CHECK(found[0].identity.size_class == 22);
      CHECK(found[0].identity.workload.starts_with("rwmixread="));
      CHECK(found[0].identity.workload.find(" rate_iops=2000 ") != std::string::npos);
      CHECK(found[0].runs.size() == 2);
      CHECK(found[0].runs[0].governor == (version == 3 ? "powersave" : ""));
    }
  }
}

TEST_CASE("a series is read from its index alone, the newest 10 000 runs of it") {
  TempDir dir;
  Database database(dir / "db");
  const std::string plan = database.read([](Connection& connection) {
    Statement row(connection, R"sql(
      EXPLAIN QUERY PLAN
      SELECT id, started_at_ns, sweep_id, circumstances_id, engine_flags, governor, iops,
             latency_mean_ns, latency_p99_ns
        FROM runs
       WHERE identity_id = 1 AND started_at_ns < 5
       ORDER BY started_at_ns DESC, sweep_id DESC)sql");
    std::string text;
    while (row.step()) text += row.text("detail") + "\n";
    return text;
  });
  CAPTURE(plan);
  CHECK(plan.find("COVERING INDEX runs_by_identity") != std::string::npos);
  CHECK(plan.find("TEMP B-TREE") == std::string::npos);
}

TEST_CASE("of more than 10 000 runs of a series the newest are told, and that there are older") {
  House house;
  house.add(1);
  {
    // The first run once more, 10 000 times: what tells them apart is the time.
    const std::string path = house.dir / "db";
    Connection writer(path, Access::write);
    writer.execute(R"sql(
      CREATE TEMP TABLE copies AS SELECT * FROM runs WHERE id = 1;
      UPDATE copies SET id = NULL;
      WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10001)
      INSERT INTO runs
      SELECT copies.* FROM copies CROSS JOIN numbers;
      UPDATE runs SET started_at_ns = id)sql");
  }
  const std::vector<Series> found = house.list();
  REQUIRE(found.size() == 1);
  CHECK(found[0].runs.size() == 10'000);
  CHECK(found[0].runs.front().started_at_ns == 2);
  CHECK(found[0].older_left_off);
}
