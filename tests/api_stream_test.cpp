// Lists as CSV and as lines of JSON: everything that matches, a page at a time, whoever reads it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "tests/api_export_house.h"
#include "tests/api_front_client.h"

using namespace iobenchd;
using namespace front_test;
using export_test::measured_run;

namespace {

constexpr std::size_t many = 3000;

// A second from run to run, so that the order is that of time.
std::int64_t keep_many(export_test::House& house) {
  std::vector<Run> runs;
  Run run;
  run.state = RunState::done;
  run.imported_figures = true;
  run.imported.iops = 1000;
  for (std::size_t i = 0; i < many; ++i) {
    run.setting.numjobs = i % 2 == 0 ? 1 : 2;
    run.started_at_ns = 1'767'323'045'000'000'000 + static_cast<std::int64_t>(i) * 1'000'000'000;
    runs.push_back(run);
  }
  return house.keep(export_test::done_sweep("many"), runs);
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE(
    "3000 runs come in six pages of 500, newest first, each once, and no page before its turn") {
  export_test::House house;
  keep_many(house);
  const Response response =
      house.call(api::list_runs, "/api/v1/runs", "", {}, {{"accept", "application/x-ndjson"}});
  CHECK(response.content_type == "application/x-ndjson");
  CHECK(response.body.empty());
  std::set<std::int64_t> seen;
  std::int64_t last = 0;
  std::size_t pages = 0;
  for (bool more = true; more; ++pages) {
    std::string chunk;
    more = response.stream(chunk);
    CHECK(lines_of(chunk) == 500);
    for (std::size_t at = 0; at < chunk.size(); at = chunk.find('\n', at) + 1) {
      const auto run = api::parse_strict(chunk.substr(at, chunk.find('\n', at) - at));
      const auto id = run["id"].get<std::int64_t>();
      CHECK((last == 0 || id < last));
      last = id;
      seen.insert(id);
    }
  }
  CHECK(pages == 6);
  CHECK(seen.size() == many);
}

TEST_CASE("between two pages nothing is held: a writer writes, and what it adds is no run twice") {
  export_test::House house;
  const std::int64_t sweep_id = keep_many(house);
  const Response response =
      house.call(api::list_runs, "/api/v1/runs", "", {{"format", "csv"}, {"numjobs", "2"}});
  std::string text;
  CHECK(response.stream(text));
  CHECK(text.starts_with("id,sweep_id,state,rw,bs,iodepth,numjobs"));
  CHECK(lines_of(text) == 501);
  house.store.sweeps().describe(sweep_id, "renamed", std::nullopt, std::nullopt);
  Sweep newer = export_test::done_sweep("newer");
  newer.uuid = "01939d2e-7b1c-7000-8000-00000000000b";
  Run run = measured_run(Rw::randread, 2, 100);
  run.started_at_ns += std::int64_t{1} << 50;
  house.keep(newer, {run});
  while (response.stream(text)) {
  }
  CHECK(lines_of(text) == 1 + many / 2);
}

TEST_CASE("a streamed list of sweeps takes the filters, a limit and a cursor as a page does") {
  export_test::House house;
  for (int i = 0; i < 5; ++i) {
    Sweep sweep = export_test::done_sweep(i % 2 == 0 ? "even" : "odd");
    sweep.uuid.back() = static_cast<char>('a' + i);
    house.keep(sweep, {});
  }
  const auto list = [&](std::map<std::string, std::string> query) {
    query["format"] = "ndjson";
    return export_test::House::drained(
        house.call(api::list_sweeps, "/api/v1/sweeps", "", std::move(query)));
  };
  CHECK(lines_of(list({})) == 5);
  CHECK(lines_of(list({{"label", "even"}})) == 3);
  CHECK(lines_of(list({{"limit", "2"}})) == 2);
  CHECK(lines_of(list({{"cursor", "3"}})) == 2);  // behind sweep 3
  CHECK(list({{"label", "none"}}).empty());
}

namespace {

const std::array<Route, 1> one_list{
    {{.method = Method::get, .pattern = "/runs", .handler = nullptr}}};

struct Served {
  explicit Served(iobenchd::api::Answer answer, const CoreLimits& limits = {})
      : core(one_list, std::move(answer), settings_for("127.0.0.1:0"), limits) {
    core.start();
    const std::string bound = core.addresses().at(0);
    port = static_cast<std::uint16_t>(std::atoi(bound.substr(bound.rfind(':') + 1).c_str()));
  }
  ServerCore core;
  std::uint16_t port = 0;
};

}  // namespace

TEST_CASE("over HTTP a list comes in chunks, and HEAD asks no page of the store") {
  std::atomic<int> pages = 0;
  const Served served([&](const Route&, const Request&) {
    Response response;
    response.content_type = "text/csv; charset=utf-8";
    response.stream = [&pages, left = 3](std::string& chunk) mutable {
      chunk = "page " + std::to_string(++pages) + "\n";
      return --left > 0;
    };
    return response;
  });
  Client head(served.port);
  head.send("HEAD /runs HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string only_head = head.rest();
  CHECK(only_head.starts_with("HTTP/1.1 200 "));
  CHECK(only_head.find("Content-Type: text/csv; charset=utf-8\r\n") != std::string::npos);
  CHECK(only_head.ends_with("\r\n\r\n"));
  CHECK(only_head.find("page") == std::string::npos);
  CHECK(pages == 0);
  Client reader(served.port);
  reader.send(get("/runs"));
  const std::string all = reader.rest();
  CHECK(all.find("7\r\npage 1\n\r\n7\r\npage 2\n\r\n7\r\npage 3\n\r\n0\r\n\r\n") !=
        std::string::npos);
}

TEST_CASE(
    "who doesn't read loses the list in time: its place is free, and no page is made for it") {
  CoreLimits limits;
  limits.workers.write_time = 200ms;
  std::weak_ptr<int> place;  // lives as long as the stream does; written before `is_asked`
  std::atomic<bool> is_asked = false;
  std::atomic<int> pages = 0;
  const Served served(
      [&](const Route&, const Request&) {
        const auto held = std::make_shared<int>(0);
        place = held;
        is_asked = true;
        Response response;
        response.stream = [&pages, held](std::string& chunk) {
          ++pages;
          chunk.assign(std::size_t{1} << 20, 'x');
          return true;
        };
        return response;
      },
      limits);
  const Client deaf(served.port);
  deaf.send(get("/runs"));
  for (int i = 0; i < 1000 && !is_asked; ++i) std::this_thread::sleep_for(10ms);
  REQUIRE(is_asked.load());
  for (int i = 0; i < 1000 && !place.expired(); ++i) std::this_thread::sleep_for(10ms);
  CHECK(place.expired());
  CHECK(pages < 100);  // what the system's buffers took
}
