// GET /history: what was measured before, asked as the front asks it.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "api/handlers.h"
#include "api/http.h"
#include "api/memory.h"
#include "api/render_history.h"
#include "api/respond.h"
#include "api/server.h"
#include "api/strict_json.h"
#include "tests/scheduler_fakes.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using api::Json;
using api::Request;
using api::Response;

namespace {

namespace fakes = scheduler::fakes;

constexpr std::int64_t day_ns = std::int64_t{86'400} * 1'000'000'000;
constexpr std::int64_t new_year_ns = std::int64_t{1'767'225'600} * 1'000'000'000;  // 2026-01-01

Settings settings_of(const std::string& scratch) {
  Settings settings;
  settings.workers = 0;
  set_text(settings.scratch_dir, scratch);
  return settings;
}

std::unique_ptr<fakes::FakeHost> host_with(const std::string& scratch) {
  auto host = std::make_unique<fakes::FakeHost>();
  host->facts[scratch] = fakes::directory_facts(scratch, "disk0");
  return host;
}

struct House {
  // One sweep a day, of one measurement, from 2026-01-01 on.
  void add(std::vector<double> repeats, std::uint32_t numjobs = 8, const std::string& os = "a") {
    Sweep sweep;
    sweep.plan.size_bytes = std::uint64_t{4} << 30;
    const std::int64_t id = store.sweeps().create(sweep).id;
    for (const double iops : repeats) {
      Run run;
      run.sweep_id = id;
      run.setting.numjobs = numjobs;
      run.started_at_ns = new_year_ns + (id - 1) * day_ns;
      run.circumstances.serial = "S1";
      run.circumstances.host = "alpha";
      run.circumstances.os = os;
      run.measurement.ioengine = IoEngine::io_uring;
      run.measurement.direct = true;
      run.id = store.runs().begin(run);
      run.state = RunState::done;
      RunSummary summary;
      summary.run_id = run.id;
      summary.serial = "S1";
      summary.host = "alpha";
      summary.ioengine = IoEngine::io_uring;
      summary.direct = true;
      summary.iops = iops;
      summary.latency_mean_ns = 100'000;
      store.runs().finish(run, summary);
    }
  }

  Response call(std::map<std::string, std::string> query = {},
                std::map<std::string, std::string> headers = {}) {
    Request request;
    request.path = "/api/v1/history";
    request.query = std::move(query);
    request.headers = std::move(headers);
    try {
      return api::get_history({store, hub, scheduler, nullptr, memory}, request);
    } catch (const Error& error) {
      return api::problem(error);
    }
  }

  Json get(std::map<std::string, std::string> query = {}) {
    const Response response = call(std::move(query));
    CHECK_MESSAGE(response.status == 200, response.body);
    return api::parse_strict(response.body);
  }

  TemporaryTree tree;
  std::string scratch = tree.directory("scratch");
  storage::Store store{tree / "iobenchd.db"};
  events::Hub hub;
  std::unique_ptr<fakes::FakeHost> host = host_with(scratch);
  scheduler::Scheduler scheduler{store, hub, *host, settings_of(scratch), {}};
  std::shared_ptr<api::Memory> memory = api::make_memory();
};

std::string drained(const Response& response) {
  std::string text;
  while (response.stream && response.stream(text)) {
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

}  // namespace

TEST_CASE("a history without runs is empty, in every format") {
  House house;
  CHECK(house.get() == Json{{"items", Json::array()}, {"next_cursor", nullptr}});
  CHECK(house.call({{"format", "text"}}).body == "Nothing was measured that fits.\n");
  CHECK(drained(house.call({{"format", "ndjson"}})).empty());
  CHECK(lines_of(drained(house.call({{"format", "csv"}}))).size() == 1);
}

TEST_CASE("a series tells its points, its baseline, and what the newest is worth") {
  House house;
  house.add({100, 102, 98});
  house.add({90, 91, 89});
  const Json series = house.get().at("items").at(0);
  CHECK(series.at("serial") == "S1");
  CHECK(series.at("target") == nullptr);
  CHECK(series.at("numjobs") == 8);
  CHECK(series.at("size_class") == 32);
  CHECK(series.at("points").size() == 2);
  const Json& point = series.at("points").at(0);
  CHECK(point.at("started_at") == "2026-01-01T00:00:00.000Z");
  CHECK(point.at("run_ids") == Json({1, 2, 3}));
  CHECK(point.at("repeats") == 3);
  CHECK(point.at("iops") == 100);
  CHECK(point.at("latency_mean_ns") == 100'000);
  CHECK(point.at("latency_p99_ns") == nullptr);
  CHECK(point.at("host") == "alpha");
  CHECK(series.at("baseline") == Json{{"kind", "rolling"}, {"sweep_ids", {1}}, {"iops", 100.0}});
  const Json& newest = series.at("newest");
  CHECK(newest.at("sweep_id") == 2);
  CHECK(newest.at("change") == "worse");
  CHECK(newest.at("regression") == true);
  CHECK(newest.at("ratio") == doctest::Approx(0.9));
  CHECK(newest.at("ci95").at("high") < 1);
  CHECK(newest.at("p") < 0.05);
  CHECK(newest.at("sentence") == "Worse: 90 IOPS, 10 % fewer than the sweep before it (100).");
  CHECK(series.at("no_change_points").at("name") == "too_few_points");
}

TEST_CASE("a pinned sweep is the baseline as soon as it is pinned") {
  House house;
  house.add({50, 51, 49});
  house.add({100, 100, 100});
  house.add({100, 100, 100});
  CHECK(house.get()["items"][0]["baseline"]["kind"] == "rolling");
  house.store.sweeps().describe(1, {}, {}, true);
  const Json series = house.get().at("items").at(0);
  CHECK(series.at("baseline").at("kind") == "pinned");
  CHECK(series.at("baseline").at("sweep_ids") == Json({1}));
  CHECK(series.at("newest").at("change") == "better");
  CHECK(series.at("newest").at("regression") == false);
  CHECK(series.at("points").at(0).at("pinned") == true);
}

TEST_CASE("a change of level and a mark stand at the sweep where they came") {
  House house;
  for (int i = 0; i < 5; ++i) house.add({100.0 + i % 2});
  for (int i = 0; i < 5; ++i) house.add({70.0 + i % 2}, 8, "b");
  const Json series = house.get().at("items").at(0);
  REQUIRE(series.at("change_points").size() == 1);
  const Json& change = series.at("change_points").at(0);
  CHECK(change.at("sweep_id") == 6);
  CHECK(change.at("at") == "2026-01-06T00:00:00.000Z");
  CHECK(change.at("before") == 100);
  CHECK(change.at("after") == 70);
  CHECK(series.at("no_change_points") == nullptr);
  CHECK(series.at("marks") == Json::array({{{"at", "2026-01-06T00:00:00.000Z"},
                                            {"sweep_id", 6},
                                            {"field", "os"},
                                            {"from", "a"},
                                            {"to", "b"}}}));
}

TEST_CASE("since hides points, and they still are the baseline") {
  House house;
  for (int i = 0; i < 6; ++i) house.add({100});
  const Json series = house.get({{"since", "2026-01-06"}}).at("items").at(0);
  CHECK(series.at("points").size() == 1);
  CHECK(series.at("older_left_off") == true);
  CHECK(series.at("baseline").at("sweep_ids") == Json({1, 2, 3, 4, 5}));
  CHECK(house.get().at("items").at(0).at("older_left_off") == false);
  // As it was on the third day.
  const Json early = house.get({{"until", "2026-01-04"}}).at("items").at(0);
  CHECK(early.at("newest").at("sweep_id") == 3);
  CHECK(early.at("baseline").at("sweep_ids") == Json({1, 2}));
}

TEST_CASE("an imported time that nobody knows is null, and the point is the oldest") {
  House house;
  house.add({100});
  Sweep sweep;
  sweep.plan.size_bytes = std::uint64_t{4} << 30;
  Run run = house.store.runs().find(1).value();
  run.started_at_ns = 0;
  RunSummary summary = house.store.runs().list({}, 0, 1).items.at(0);
  summary.iops = std::nan("");
  static_cast<void>(house.store.runs().import(sweep, {run}, {summary}));
  const Json series = house.get().at("items").at(0);
  REQUIRE(series.at("points").size() == 2);
  CHECK(series.at("points").at(0).at("started_at") == nullptr);
  CHECK(series.at("points").at(0).at("iops") == nullptr);
  CHECK(series.at("left_out") == Json::array({{{"sweep_id", 2}, {"reason", "not a number"}}}));
  CHECK(series.at("newest").at("change") == nullptr);
}

TEST_CASE("series come in pages, the most recent first, and a page links to the next") {
  House house;
  for (std::uint32_t jobs = 1; jobs <= 3; ++jobs) house.add({100}, jobs);
  const Response first = house.call({{"limit", "2"}});
  const Json page = api::parse_strict(first.body);
  CHECK(page.at("items").at(0).at("numjobs") == 3);
  REQUIRE(page.at("items").size() == 2);
  const auto cursor = page.at("next_cursor").get<std::string>();
  CHECK(first.headers.at(0).second.find("cursor=" + cursor) != std::string::npos);
  const Json last = house.get({{"limit", "2"}, {"cursor", cursor}});
  REQUIRE(last.at("items").size() == 1);
  CHECK(last.at("items").at(0).at("numjobs") == 1);
  CHECK(last.at("next_cursor") == nullptr);
  const std::string text = house.call({{"limit", "2"}, {"format", "text"}}).body;
  CHECK(text.ends_with("There is more: cursor=" + cursor + "\n"));
}

TEST_CASE("as text a series is a line a sweep, with what changed, and the verdict") {
  House house;
  for (int i = 0; i < 4; ++i) house.add({1000});
  for (int i = 0; i < 4; ++i) house.add({800}, 8, "b");
  house.store.sweeps().describe(1, {}, {}, true);
  const auto lines = lines_of(house.call({}, {{"accept", "text/plain"}}).body);
  REQUIRE(lines.size() == 11);
  CHECK(lines[0] == "disk S1, randread 4k, 8 jobs, io_uring, direct, 4 GiB to 8 GiB");
  CHECK(lines[1] == "  time                   IOPS    mean  host");
  CHECK(lines[2] == "  2026-01-01T00:00:00Z  1 000  100 µs  alpha  Pinned.");
  CHECK(lines[3] == "  2026-01-02T00:00:00Z  1 000  100 µs  alpha");
  CHECK(lines[6] ==
        "  2026-01-05T00:00:00Z    800  100 µs  alpha  20 % fewer IOPS from here on: 800 (median "
        "of 4 sweeps), before 1 000 (of 4). os: a -> b.");
  CHECK(lines[10] ==
        "Probably worse: 800 IOPS, 20 % fewer than the pinned sweep 1 (1 000). It was measured "
        "once: repeats would tell more.");
}

TEST_CASE("the README's example is what the daemon says of such a disk") {
  Series series;
  series.identity.serial = "S4EV7";
  series.identity.setting.numjobs = 8;
  series.identity.ioengine = IoEngine::io_uring;
  series.identity.direct = true;
  series.identity.size_class = 32;
  series.circumstances.resize(1);
  series.circumstances[0].host = "alpha";
  constexpr std::int64_t first_ns = std::int64_t{1'790'825'402} * 1'000'000'000;  // 2026-10-01
  std::int64_t sweep = 0;
  for (const double iops :
       {30'201.0, 30'377.0, 30'105.0, 30'246.0, 25'388.0, 25'402.0, 25'511.0, 25'402.0}) {
    ++sweep;
    for (const double repeat : {-100.0, 0.0, 100.0}) {
      SeriesRun run;
      run.sweep_id = sweep;
      run.started_at_ns = first_ns + (sweep - 1) * day_ns;
      run.iops = iops + repeat;
      run.latency_mean_ns = 8e9 / iops;
      series.runs.push_back(run);
      if (sweep == 1) series.pinned_runs.push_back(run);
    }
  }
  const auto said = lines_of(api::render_series_text(series, analysis::history_of(series), 0));
  std::ifstream readme(std::string(IOBENCHD_SOURCE_DIR) + "/README.md");
  std::vector<std::string> shown;
  for (std::string line; std::getline(readme, line);) {
    const bool begins = line.starts_with("    disk S4EV7");
    if (begins || (!shown.empty() && shown.size() < said.size())) shown.push_back(line.substr(4));
  }
  REQUIRE(shown.size() == said.size());
  for (std::size_t i = 0; i + 1 < said.size(); ++i) {
    CAPTURE(said[i]);
    const bool cut = shown[i].ends_with(" ...");
    CHECK(said[i].starts_with(cut ? shown[i].substr(0, shown[i].size() - 4) : shown[i]));
  }
  CHECK(said.back() == "Worse: 25 402 IOPS, 16 % fewer than the pinned sweep 1 (30 201).");
}

TEST_CASE("CSV and NDJSON are a line a point of every series; limit counts series") {
  House house;
  for (std::uint32_t jobs = 1; jobs <= 7; ++jobs) house.add({100}, jobs);
  for (std::uint32_t jobs = 1; jobs <= 7; ++jobs) house.add({100, 110}, jobs, "b");
  const Response csv = house.call({}, {{"accept", "text/csv"}});
  CHECK(csv.content_type == "text/csv; charset=utf-8");
  const auto table = lines_of(drained(csv));
  REQUIRE(table.size() == 15);
  CHECK(table[0] ==
        "serial,target,host,rw,bs,iodepth,numjobs,ioengine,direct,size_class,workload,started_at,"
        "sweep_id,run_ids,repeats,iops,latency_mean_ns,latency_p99_ns,pinned,change_ratio,marks,"
        "change");
  CHECK(table[1] ==
        "S1,,alpha,randread,4096,1,7,io_uring,true,32,,2026-01-07T00:00:00.000Z,7,7,1,100.0,"
        "100000.0,,false,,,");
  CHECK(table[2] ==
        "S1,,alpha,randread,4096,1,7,io_uring,true,32,,2026-01-14T00:00:00.000Z,14,20 21,2,105.0,"
        "100000.0,,false,,os: a -> b;,undecided");
  CHECK(lines_of(drained(house.call({{"format", "csv"}, {"limit", "6"}}))).size() == 13);
  const auto rows = lines_of(drained(house.call({{"format", "ndjson"}, {"numjobs", "3"}})));
  REQUIRE(rows.size() == 2);
  CHECK(api::parse_strict(rows[1]).at("marks") == Json({"os: a -> b;"}));
}

TEST_CASE("wrong filters are named, every one, with what is needed") {
  House house;
  const Response response = house.call({{"size_class", "64"},
                                        {"direct", "maybe"},
                                        {"limit", "51"},
                                        {"rw", "sideways"},
                                        {"disk", "S1"}});
  CHECK(response.status == 400);
  for (const char* part : {"size_class", "from 0 to 63", "direct", "true or false", "limit",
                           "from 1 to 50", "sideways", "unknown query parameter"}) {
    CAPTURE(part);
    CHECK(response.body.find(part) != std::string::npos);
  }
}
