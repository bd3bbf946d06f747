// The handlers, called as the front calls them: a store of their own, a scheduler, and disks that
// are scripts.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "api/handlers.h"
#include "api/http.h"
#include "api/memory.h"
#include "api/render.h"
#include "api/respond.h"
#include "api/server.h"
#include "api/strict_json.h"
#include "daemon/model/error.h"
#include "tests/scheduler_fakes.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using api::Json;
using api::Method;
using api::Request;
using api::Response;

namespace {

namespace fakes = scheduler::fakes;

Settings settings_of(const std::string& scratch, std::uint32_t workers) {
  Settings settings;
  settings.workers = workers;
  settings.queue_limit = 3;
  set_text(settings.scratch_dir, scratch);
  return settings;
}

scheduler::Timing quick() {
  scheduler::Timing timing;
  timing.reference_s = timing.short_reference_s = 0.01;
  return timing;
}

// A daemon without sockets. workers 0: what is queued stays queued.
struct House {
  explicit House(std::uint32_t workers = 0)
      : scratch(tree.directory("scratch")),
        host(with_disk(scratch)),
        scheduler(store, hub, *host, settings_of(scratch, workers), {}, quick()) {}

  static std::unique_ptr<fakes::FakeHost> with_disk(const std::string& scratch) {
    auto host = std::make_unique<fakes::FakeHost>();
    host->facts[scratch] = fakes::directory_facts(scratch, "disk0");
    host->facts["/dev/disk1"] = fakes::disk_facts("/dev/disk1", "disk1");
    // Doubles to 4 jobs, then nothing more.
    host->script = fakes::disk_of(
        [](std::uint32_t jobs) { return 10'000.0 * std::min<std::uint32_t>(jobs, 4); });
    return host;
  }

  // As the server does it: the table's handler, an Error's own answer.
  Response call(Method method, const std::string& path, const std::string& body = "",
                std::map<std::string, std::string> query = {},
                std::map<std::string, std::string> headers = {}) const {
    Request request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.query = std::move(query);
    request.headers = std::move(headers);
    for (const api::Route& route : api::routes()) {
      if (route.method != method || !matches(route.pattern, path, request.parameters)) continue;
      try {
        return route.handler({store, hub, scheduler, nullptr, memory}, request);
      } catch (const Error& error) {
        return api::problem(error);
      }
    }
    FAIL("no route for ", path);
    return {};
  }

  Json get(const std::string& path, std::map<std::string, std::string> query = {}) const {
    const Response response = call(Method::get, path, "", std::move(query));
    CHECK(response.status == 200);
    return api::parse_strict(response.body);
  }

  Json post(const std::string& body, int status = 202) const {
    const Response response = call(Method::post, "/api/v1/sweeps", body);
    CHECK_MESSAGE(response.status == status, response.body);
    return api::parse_strict(response.body);
  }

  Json import_table() const {
    const Response response = call(Method::post, "/api/v1/imports",
                                   "rw,numjobs,iops\nread,1,100\nread,2,190\nread,4,340\n"
                                   "read,8,560\nread,16,600\n",
                                   {}, {{"content-type", "text/csv"}});
    CHECK_MESSAGE(response.status == 201, response.body);
    return api::parse_strict(response.body);
  }

  static bool matches(std::string_view pattern, std::string_view path,
                      std::vector<std::string>& parameters) {
    parameters.clear();
    const std::size_t hole = pattern.find("{id}");
    if (hole == std::string_view::npos) return pattern == path;
    const std::string_view tail = pattern.substr(hole + 4);
    if (!path.starts_with(pattern.substr(0, hole)) || !path.ends_with(tail)) return false;
    if (path.size() <= hole + tail.size()) return false;
    const std::string_view id = path.substr(hole, path.size() - hole - tail.size());
    if (id.find('/') != std::string_view::npos) return false;
    parameters.emplace_back(id);
    return true;
  }

  TemporaryTree tree;
  std::string scratch;
  mutable storage::Store store{tree / "iobenchd.db"};
  mutable events::Hub hub;
  std::unique_ptr<fakes::FakeHost> host;
  mutable scheduler::Scheduler scheduler;
  std::shared_ptr<api::Memory> memory = api::make_memory();
};

std::string header_of(const Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

std::string drained(const Response& response) {
  std::string text;
  while (response.stream && response.stream(text)) {
  }
  return text;
}

constexpr const char* small_sweep =
    R"({"numjobs": [1, 2, 4, 8], "runtime": "100ms", "ramp_time": 0, "size": "1m"})";

}  // namespace

TEST_CASE("a sweep without a body is queued, is on disk, and has its place") {
  const House house;
  const Response response = house.call(Method::post, "/api/v1/sweeps");
  CHECK(response.status == 202);
  CHECK(header_of(response, "Location") == "/api/v1/sweeps/1");
  const Json sweep = api::parse_strict(response.body);
  CHECK(sweep["state"] == "queued");
  CHECK(sweep["position"] == 1);
  CHECK(sweep["spec"]["preset"] == "quick");
  CHECK(sweep["plan"]["size_bytes"] == 4'294'967'296);
  CHECK(house.store.sweeps().find(1).has_value());
}

TEST_CASE("a dry run answers the plan and queues nothing") {
  const House house;
  const Response response =
      house.call(Method::post, "/api/v1/sweeps", small_sweep, {{"dry_run", "true"}});
  CHECK(response.status == 200);
  CHECK(api::parse_strict(response.body)["runs"].get<int>() >= 4);
  CHECK(house.get("/api/v1/sweeps")["items"].empty());
}

TEST_CASE("a sweep that is waited for ends with its table and its sentence") {
  const House house(1);
  const Response response =
      house.call(Method::post, "/api/v1/sweeps", small_sweep, {{"wait", "true"}});
  CHECK(response.status == 200);
  CHECK(response.content_type == "text/plain; charset=utf-8");
  const std::string text = drained(response);
  CHECK(text.starts_with("Sweep 1: at most "));
  CHECK(text.find("numjobs") != std::string::npos);
  CHECK(text.find("40 000") != std::string::npos);
  const Json sweep = house.get("/api/v1/sweeps/1");
  CHECK(sweep["state"] == "done");
  CHECK(sweep["curves"][0]["sweet_spot"]["at"] == 4);
  CHECK(text.find(sweep["answer"].get<std::string>()) != std::string::npos);
  CHECK(sweep["progress"].is_null());
}

TEST_CASE("a finished sweep has an ETag, and whoever has it already gets 304") {
  const House house;
  house.import_table();
  const Response first = house.call(Method::get, "/api/v1/sweeps/1");
  const std::string etag = header_of(first, "ETag");
  REQUIRE(etag != "");
  const auto again = [&](const std::string& tags) {
    return house.call(Method::get, "/api/v1/sweeps/1", "", {}, {{"if-none-match", tags}});
  };
  CHECK(again(etag).status == 304);
  CHECK(again(etag).body.empty());
  CHECK(again("\"other\", W/" + etag).status == 304);
  CHECK(again("\"other\"").status == 200);
  CHECK(house.call(Method::patch, "/api/v1/sweeps/1", R"({"label": "new"})").status == 200);
  CHECK(again(etag).status == 200);
}

TEST_CASE("a queued sweep has no ETag") {
  const House house;
  house.post(small_sweep);
  CHECK(header_of(house.call(Method::get, "/api/v1/sweeps/1"), "ETag") == "");
}

TEST_CASE("text is for whoever asks for it, by Accept or by format") {
  const House house;
  house.import_table();
  const auto type = [&](std::map<std::string, std::string> query, const std::string& accept) {
    return house.call(Method::get, "/api/v1/sweeps/1", "", std::move(query), {{"accept", accept}})
        .content_type;
  };
  CHECK(type({}, "text/plain") == "text/plain; charset=utf-8");
  CHECK(type({{"format", "text"}}, "application/json") == "text/plain; charset=utf-8");
  CHECK(type({}, "*/*") == "application/json");
  CHECK(type({}, "text/html, application/json;q=0.9, text/plain;q=0.1") == "application/json");
}

TEST_CASE("a uuid stands for the number; what isn't there is 404") {
  const House house;
  const Json sweep = house.import_table();
  CHECK(house.get("/api/v1/sweeps/" + sweep["uuid"].get<std::string>())["id"] == 1);
  for (const char* id : {"2", "0", "-1", "1x", "99999999999999999999", "abc"}) {
    CAPTURE(id);
    CHECK(house.call(Method::get, std::string("/api/v1/sweeps/") + id).status == 404);
    CHECK(house.call(Method::get, std::string("/api/v1/runs/") + id + "9").status == 404);
  }
}

TEST_CASE("one key makes one sweep; the same key with another wish is an error") {
  const House house;
  const auto post = [&](const std::string& body) {
    return house.call(Method::post, "/api/v1/sweeps", body, {}, {{"idempotency-key", "k1"}});
  };
  CHECK(post(small_sweep).status == 202);
  const Response again = post(small_sweep);
  CHECK(again.status == 202);
  CHECK(header_of(again, "Location") == "/api/v1/sweeps/1");
  CHECK(house.get("/api/v1/sweeps")["items"].size() == 1);
  const Response other = post(R"({"bs": "64k"})");
  CHECK(other.status == 422);
  CHECK(other.body.find("use a new key") != std::string::npos);
}

TEST_CASE("a full queue is 429, and says how long to wait") {
  const House house;
  for (int i = 0; i < 3; ++i) house.post(small_sweep);
  const Response response = house.call(Method::post, "/api/v1/sweeps", small_sweep);
  CHECK(response.status == 429);
  CHECK(header_of(response, "Retry-After") != "");
}

TEST_CASE("a queued sweep can be cancelled, then deleted; not the other way round, and not twice") {
  const House house;
  house.post(small_sweep);
  CHECK(house.call(Method::del, "/api/v1/sweeps/1").status == 409);
  CHECK(house.call(Method::post, "/api/v1/sweeps/1/cancel").status == 202);
  CHECK(house.get("/api/v1/sweeps/1")["state"] == "cancelled");
  CHECK(house.call(Method::post, "/api/v1/sweeps/1/cancel").status == 409);
  const Response response = house.call(Method::del, "/api/v1/sweeps/1");
  CHECK(response.status == 204);
  CHECK(response.body.empty());
  CHECK(house.call(Method::get, "/api/v1/sweeps/1").status == 404);
}

TEST_CASE("label, notes and pinned can be changed, alone and together") {
  const House house;
  house.import_table();
  const auto patched = [&](const std::string& body) {
    const Response response = house.call(Method::patch, "/api/v1/sweeps/1", body);
    CHECK(response.status == 200);
    return api::parse_strict(response.body);
  };
  CHECK(patched(R"({"label": "a"})")["label"] == "a");
  const Json both = patched(R"({"notes": "cold", "pinned": true})");
  CHECK(both["label"] == "a");
  CHECK(both["notes"] == "cold");
  CHECK(both["pinned"] == true);
  CHECK(house.call(Method::patch, "/api/v1/sweeps/1", R"({"state": "done"})").status == 422);
}

TEST_CASE("lists come newest first, page by page, with a link to the next") {
  const House house;
  for (int i = 0; i < 5; ++i) house.import_table();
  const Response first =
      house.call(Method::get, "/api/v1/sweeps", "", {{"limit", "2"}, {"origin", "imported"}});
  const Json page = api::parse_strict(first.body);
  CHECK(page["items"][0]["id"] == 5);
  CHECK(page["items"][1]["id"] == 4);
  const auto cursor = page["next_cursor"].get<std::string>();
  CHECK(header_of(first, "Link") ==
        "</api/v1/sweeps?limit=2&origin=imported&cursor=" + cursor + ">; rel=\"next\"");
  const Json second = house.get("/api/v1/sweeps", {{"limit", "2"}, {"cursor", cursor}});
  CHECK(second["items"][0]["id"] == 3);
  const Json last = house.get(
      "/api/v1/sweeps", {{"limit", "2"}, {"cursor", second["next_cursor"].get<std::string>()}});
  CHECK(last["items"].size() == 1);
  CHECK(last["next_cursor"].is_null());
}

TEST_CASE("filters keep what they name") {
  const House house;
  house.import_table();
  house.post(R"({"label": "nightly", "rw": "randwrite", "size": "1m"})");
  CHECK(house.get("/api/v1/sweeps", {{"state", "queued"}})["items"].size() == 1);
  CHECK(house.get("/api/v1/sweeps", {{"rw", "randwrite"}})["items"][0]["id"] == 2);
  CHECK(house.get("/api/v1/sweeps", {{"label", "nightly"}})["items"].size() == 1);
  CHECK(house.get("/api/v1/sweeps", {{"until", "2001-01-01"}})["items"].empty());
  CHECK(house.get("/api/v1/sweeps", {{"since", "2001-01-01T00:00:00Z"}})["items"].size() == 2);
  CHECK(house.get("/api/v1/runs", {{"numjobs", "4"}})["items"].size() == 1);
  CHECK(house.get("/api/v1/runs", {{"sweep_id", "1"}, {"bs", "4k"}})["items"].size() == 5);
}

TEST_CASE("unknown and wrong query parameters are all named, with those that are known") {
  const House house;
  const Response response = house.call(
      Method::get, "/api/v1/sweeps", "",
      {{"stat", "done"}, {"state", "finished"}, {"limit", "501"}, {"since", "yesterday"}});
  CHECK(response.status == 400);
  for (const char* part : {"\\\"stat\\\"", "known are state", "state: got",
                           "limit: got \\\"501\\\"", "from 1 to 500", "since: got"}) {
    CAPTURE(part);
    CHECK(response.body.find(part) != std::string::npos);
  }
  CHECK(house.call(Method::get, "/api/v1/system", "", {{"x", "1"}}).status == 400);
}

TEST_CASE("lists stream as CSV and as lines of JSON, every item once") {
  const House house;
  for (int i = 0; i < 3; ++i) house.import_table();
  const Response csv = house.call(Method::get, "/api/v1/runs", "", {}, {{"accept", "text/csv"}});
  CHECK(csv.content_type == "text/csv; charset=utf-8");
  const std::string table = drained(csv);
  CHECK(table.starts_with("id,sweep_id,state,rw,bs,"));
  CHECK(std::count(table.begin(), table.end(), '\n') == 1 + 15);
  const std::string lines =
      drained(house.call(Method::get, "/api/v1/sweeps", "", {{"format", "ndjson"}}));
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
  CHECK(api::parse_strict(lines.substr(0, lines.find('\n')))["id"] == 3);
  const std::string two =
      drained(house.call(Method::get, "/api/v1/sweeps", "", {{"format", "csv"}, {"limit", "2"}}));
  CHECK(std::count(two.begin(), two.end(), '\n') == 3);
}

TEST_CASE("an imported table is a finished sweep with its answer and its runs") {
  const House house;
  const Json sweep = house.import_table();
  CHECK(sweep["origin"] == "imported");
  CHECK(sweep["state"] == "done");
  CHECK(sweep["points"].size() == 5);
  CHECK(sweep["curves"][0]["sweet_spot"]["at"] == 8);
  const Json run = house.get("/api/v1/runs/1");
  CHECK(run["iops"] == 100.0);
  CHECK(run["ioengine"].is_null());
  CHECK(run["read"].is_null());
}

TEST_CASE("a target that isn't allowed is 403, a directory 422, a size that won't fit names one") {
  const House house;
  CHECK(house.post(R"({"target": "/dev/disk1"})", 403)["detail"].get<std::string>().find(
            "\"targets\"") != std::string::npos);
  CHECK(house.post("{\"target\": \"" + house.scratch + "\"}", 422)["errors"][0]["field"] ==
        "target");
  const Json size = house.post(R"({"size": "1t"})", 422);
  CHECK(size["errors"][0]["field"] == "size");
  CHECK(size["errors"][0]["pointer"] == "#/size");
}

TEST_CASE("targets are a list with the scratch directory in it; the system tells of itself") {
  const House house;
  const Json targets = house.get("/api/v1/targets");
  const auto scratch = std::find_if(targets["items"].begin(), targets["items"].end(),
                                    [](const Json& target) { return target["scratch"] == true; });
  REQUIRE(scratch != targets["items"].end());
  CHECK((*scratch)["path"] == house.scratch);
  CHECK(house.get("/api/v1/system").contains("program_version"));
}

TEST_CASE("healthz, readyz and the document answer") {
  const House house;
  CHECK(house.get("/healthz")["status"] == "ok");
  CHECK(house.get("/readyz")["status"] == "ready");
  const Response document = house.call(Method::get, "/api/v1/openapi.json");
  CHECK(header_of(document, "ETag") != "");
  CHECK(document.body.back() == '\n');
}

TEST_CASE("results of finished sweeps are kept, the one asked for longest ago forgotten first") {
  api::ResultCache cache(2);
  const auto result = std::make_shared<const SweepResult>();
  cache.keep("a", result);
  cache.keep("b", result);
  CHECK(cache.find("a") == result);
  cache.keep("c", result);
  CHECK(cache.find("b") == nullptr);
  CHECK(cache.find("a") == result);
  CHECK(cache.find("c") == result);
}
