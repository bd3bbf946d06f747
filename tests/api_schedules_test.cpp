// Schedules and metrics as HTTP sees them: the handlers of the table, on a store of their own.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "api/http.h"
#include "api/openapi.h"
#include "api/parse_schedule.h"
#include "api/render.h"
#include "api/respond.h"
#include "api/server.h"
#include "api/strict_json.h"
#include "daemon/model/error.h"
#include "daemon/scheduler/schedules.h"
#include "tests/scheduler_fakes.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using api::Json;
using api::Method;
using api::Request;
using api::Response;

namespace {

namespace fakes = scheduler::fakes;

constexpr std::int64_t day_ns = 86'400'000'000'000;

Settings settings_of(const std::string& scratch) {
  Settings settings;
  settings.workers = 0;  // what is queued stays queued
  set_text(settings.scratch_dir, scratch);
  return settings;
}

// A daemon without sockets, and a clock that moves when it is told to.
struct House {
  House() { context.schedules = &schedules; }

  Response call(Method method, const std::string& pattern, const std::string& id = "",
                const std::string& body = "", std::map<std::string, std::string> query = {}) {
    for (const api::Route& route : api::routes()) {
      if (route.method != method || route.pattern != pattern) continue;
      Request request;
      request.method = method;
      request.body = body;
      request.query = std::move(query);
      if (!id.empty()) request.parameters = {id};
      try {
        return route.handler(context, request);
      } catch (const Error& error) {
        return api::problem(error);
      }
    }
    FAIL("no route for ", pattern);
    return {};
  }
  Json make(const std::string& body, int status = 201) {
    const Response response = call(Method::post, "/api/v1/schedules", "", body);
    CHECK_MESSAGE(response.status == status, response.body);
    return api::parse_strict(response.body);
  }
  Json change(const std::string& body, int status = 200) {
    const Response response = call(Method::patch, "/api/v1/schedules/{id}", "1", body);
    CHECK_MESSAGE(response.status == status, response.body);
    return api::parse_strict(response.body);
  }

  static std::unique_ptr<fakes::FakeHost> with_scratch(const std::string& scratch) {
    auto host = std::make_unique<fakes::FakeHost>();
    host->facts[scratch] = fakes::directory_facts(scratch, "disk0");
    return host;
  }

  TemporaryTree tree;
  std::string scratch = tree.directory("scratch");
  std::int64_t now_ns = 1'798'000'000'000'000'000;  // 2026-12-23T04:26:40Z
  storage::Store store{tree / "iobenchd.db", [this] { return now_ns; }};
  events::Hub hub;
  std::unique_ptr<fakes::FakeHost> host = with_scratch(scratch);
  scheduler::Scheduler scheduler{store, hub, *host, settings_of(scratch)};
  scheduler::Schedules schedules{store, scheduler, settings_of(scratch), nullptr,
                                 [this] { return now_ns; }};
  api::Context context{store, hub, scheduler};
};

std::set<std::string> wrong_fields(const Json& problem) {
  std::set<std::string> fields;
  for (const Json& error : problem.at("errors")) fields.insert(error.at("field"));
  return fields;
}

bool has_line(const Response& response, const std::string& line) {
  return ("\n" + response.body).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("a schedule is made, shown, listed, changed and deleted") {
  House house;
  const Response made = house.call(Method::post, "/api/v1/schedules", "",
                                   R"({"label": "nightly", "every": "24h", "jitter": "1m",
                                       "max_load": 2.5, "sweep": {"size": "1m", "numjobs": 4}})");
  REQUIRE_MESSAGE(made.status == 201, made.body);
  CHECK(made.headers.at(0).second == "/api/v1/schedules/1");
  const Json shown = api::parse_strict(made.body);
  CHECK(shown.at("every") == 86400);
  CHECK(shown.at("daily").is_null());
  CHECK(shown.at("jitter") == 60);
  CHECK(shown.at("max_load") == 2.5);
  CHECK(shown.at("sweep").at("numjobs") == Json({4}));
  CHECK(shown.at("created_at") == "2026-12-23T04:26:40.000Z");
  CHECK(shown.at("next_at").get<std::string>().starts_with("2026-12-24T04:2"));
  CHECK(shown.at("last_outcome").is_null());
  CHECK(house.make(R"({"daily": "03:30"})").at("id") == 2);
  const Json list =
      api::parse_strict(house.call(Method::get, "/api/v1/schedules").body).at("items");
  CHECK(list.at(0).at("id") == 2);
  CHECK(list.at(1) == shown);
  CHECK(api::parse_strict(house.call(Method::get, "/api/v1/schedules/{id}", "1").body) == shown);
  const Json changed = house.change(R"({"daily": "23:59", "max_load": null, "paused": true})");
  CHECK(changed.at("daily") == "23:59");
  CHECK(changed.at("every").is_null());
  CHECK(changed.at("max_load").is_null());
  CHECK(changed.at("next_at").is_null());
  CHECK(changed.at("sweep") == shown.at("sweep"));
  CHECK(changed.at("label") == "nightly");
  CHECK(house.call(Method::del, "/api/v1/schedules/{id}", "1").status == 204);
  for (const char* id : {"1", "x", "-1", "99999999999999999999"})
    CHECK(house.call(Method::get, "/api/v1/schedules/{id}", id).status == 404);
  CHECK(house.call(Method::del, "/api/v1/schedules/{id}", "1").status == 404);
}

TEST_CASE("every wrong field of a schedule and of its sweep comes in one answer") {
  House house;
  const Json problem = house.make(R"({"every": "30s", "jitter": -1, "max_load": 0, "paused": 1,
      "colour": 1, "label": 7, "sweep": {"numjobs": 0, "bs": 1000, "iodpeth": 4}})",
                                  422);
  CHECK(wrong_fields(problem) == std::set<std::string>{"every", "jitter", "max_load", "paused",
                                                       "colour", "label", "sweep.numjobs",
                                                       "sweep.bs", "sweep.iodpeth"});
  CHECK(problem.dump().find("did you mean") != std::string::npos);
  CHECK(wrong_fields(house.make("{}", 422)) == std::set<std::string>{"every"});
  CHECK(wrong_fields(house.make(R"({"every": "1h", "daily": "03:30"})", 422)) ==
        std::set<std::string>{"daily"});
  CHECK(wrong_fields(house.make(R"({"daily": "3:30"})", 422)) == std::set<std::string>{"daily"});
  CHECK(wrong_fields(house.make(R"({"every": "1h", "jitter": "1h"})", 422)) ==
        std::set<std::string>{"jitter"});
  CHECK(wrong_fields(house.make(R"({"every": "1h", "sweep": []})", 422)) ==
        std::set<std::string>{"sweep"});
  // What only the target's facts can tell.
  CHECK(wrong_fields(house.make(R"({"every": "1h", "sweep": {"size": "500t"}})", 422)) ==
        std::set<std::string>{"sweep.size"});
  CHECK(wrong_fields(house.make(R"({"every": "1h", "sweep": {"target": "/dev/none"}})", 403)) ==
        std::set<std::string>{"sweep.target"});
  CHECK(house.make("[]", 400).at("status") == 400);
  CHECK(house.schedules.list().empty());
}

TEST_CASE("of 201 schedules the last is refused, and says what to do") {
  House house;
  for (std::size_t i = 0; i < scheduler::schedules_most; ++i)
    house.make(R"({"every": "24h", "sweep": {"size": "1m"}})");
  const Json problem = house.make(R"({"every": "24h", "sweep": {"size": "1m"}})", 409);
  CHECK(problem.at("detail") == "there are 200 schedules already; delete one first");
}

TEST_CASE("a schedule as it is shown can be posted again without what became of it") {
  House house;
  Json shown = house.make(R"({"every": "1h", "jitter": 2.5, "sweep": {"size": "1m"}})");
  for (const char* name : {"id", "created_at", "next_at", "waits_for", "last_at", "last_sweep_id",
                           "last_outcome", "last_error", "missed", "regression"})
    shown.erase(name);
  const Json again = house.make(shown.dump());
  for (const auto& [name, value] : shown.items()) CHECK(again.at(name) == value);
}

TEST_CASE("the configuration's defaults hold for scheduled sweeps, and what only writes is kept") {
  const SweepSchedule schedule =
      api::parse_schedule(R"({"every": "1h"})", R"({"runtime": "7s"})", SweepSchedule{});
  CHECK(schedule.spec.runtime_ns == 7'000'000'000);
  CHECK(schedule.spec.rw == std::vector<Rw>{Rw::randread});
  SweepSchedule before = schedule;
  before.id = 1;
  CHECK(api::parse_schedule(R"({"label": "x"})", "", before).spec == schedule.spec);
}

TEST_CASE("sweeps are listed by the schedule that asked for them, and name it") {
  House house;
  house.make(R"({"label": "nightly", "every": "24h", "sweep": {"size": "1m"}})");
  house.now_ns += day_ns;
  house.schedules.look();
  const auto listed = [&](const char* schedule) {
    return api::parse_strict(
               house.call(Method::get, "/api/v1/sweeps", "", "", {{"schedule", schedule}}).body)
        .at("items");
  };
  REQUIRE(listed("1").size() == 1);
  CHECK(listed("1").at(0).at("schedule_id") == 1);
  CHECK(listed("2").empty());
  CHECK(house.call(Method::get, "/api/v1/sweeps", "", "", {{"schedule", "x"}}).status == 400);
  const Json shown = api::parse_strict(house.call(Method::get, "/api/v1/schedules/{id}", "1").body);
  CHECK(shown.at("last_outcome") == "queued");
  CHECK(shown.at("last_sweep_id") == 1);
}

TEST_CASE("metrics are in Prometheus' format, each with its help and type") {
  House house;
  house.make(R"({"every": "24h", "sweep": {"size": "1m"}})");
  house.make(R"({"every": "24h", "paused": true, "sweep": {"size": "1m"}})");
  house.now_ns += day_ns;
  house.schedules.look();
  const Response response = house.call(Method::get, "/metrics");
  CHECK(response.status == 200);
  CHECK(response.content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(has_line(response, "# TYPE iobenchd_schedule_regression gauge"));
  CHECK(has_line(response, "iobenchd_schedule_regression{schedule=\"1\"} 0"));
  CHECK(has_line(response, "iobenchd_queue_length 1"));
  CHECK(has_line(response, "iobenchd_sweeps_running 0"));
  CHECK(has_line(response,
                 "iobenchd_schedule_last_run_timestamp_seconds{schedule=\"1\"} 1798086400"));
  CHECK(has_line(response,
                 "iobenchd_schedule_next_run_timestamp_seconds{schedule=\"1\"} 1798172800"));
  CHECK(has_line(response, "iobenchd_schedule_missed_runs_total{schedule=\"1\"} 0"));
  CHECK(response.body.find("next_run_timestamp_seconds{schedule=\"2\"}") == std::string::npos);
  CHECK(response.body.find("iobenchd_build_info{version=\"") != std::string::npos);
  CHECK(response.body.back() == '\n');
}

TEST_CASE("every field of a schedule is described, and every described one is there") {
  SweepSchedule schedule;
  schedule.regression = Regression{1, 2, "worse"};
  const Json shown = api::render_schedule(schedule);
  const Json document = api::parse_strict(api::openapi_json());
  const Json& schemas = document.at("components").at("schemas");
  const auto names = [](const Json& object) {
    std::set<std::string> all;
    for (const auto& [name, unused] : object.items()) all.insert(name);
    return all;
  };
  CHECK(names(shown) == names(schemas.at("Schedule").at("properties")));
  CHECK(names(shown.at("regression")) == names(schemas.at("Regression").at("properties")));
  for (const auto& [name, unused] : schemas.at("ScheduleRequest").at("properties").items())
    CHECK(shown.contains(name));
}
