// Who may take the whole database along, and what they get.
#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "api/handlers.h"
#include "api/head_judge.h"
#include "api/http.h"
#include "api/server.h"
#include "daemon/model/error.h"
#include "tests/scheduler_fakes.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using api::Door;
using api::Head;
using api::HouseRules;
using api::Method;

namespace {

const std::string token = "0123456789abcdef0123456789abcdef";

int status_for(const Door door, const HouseRules& rules,
               const std::map<std::string, std::string>& headers = {}) {
  Head head;
  head.method = Method::get;
  head.target = "/api/v1/backup";
  head.headers = {{"host", "localhost"}};
  for (const auto& [name, value] : headers) head.headers[name] = value;
  const auto judged = api::judge(head, {door, "127.0.0.1", 0}, rules, api::routes());
  const auto* denial = std::get_if<api::Denial>(&judged);
  return denial != nullptr ? denial->response.status : 200;
}

}  // namespace

TEST_CASE("a backup is everything, so it is guarded as a change is") {
  api::Duties reads;
  reads.add(api::Duty::read);
  const HouseRules root{{}, {{token, reads, "", 1}}, true},
      plain{{}, {{token, reads, "", 1}}, false};
  const std::map<std::string, std::string> with_token{{"authorization", "Bearer " + token}};
  CHECK(status_for(Door::loopback, root) == 401);
  CHECK(status_for(Door::loopback, root, with_token) == 200);
  CHECK(status_for(Door::unix_socket, root) == 200);
  CHECK(status_for(Door::loopback, plain) == 200);
  CHECK(status_for(Door::beyond, plain) == 401);
  CHECK(status_for(Door::beyond, plain, with_token) == 200);
  CHECK(status_for(Door::loopback, plain, {{"sec-fetch-site", "cross-site"}}) == 403);
  CHECK(status_for(Door::loopback, plain, {{"origin", "http://evil.example"}}) == 403);
}

TEST_CASE("a backup goes out in parts, and HEAD makes none") {
  const TemporaryTree tree;
  storage::Store store{tree / "db"};
  events::Hub hub;
  scheduler::fakes::FakeHost host;
  host.facts[tree.path()] = scheduler::fakes::directory_facts(tree.path(), "disk0");
  Settings settings;
  settings.workers = 0;
  set_text(settings.scratch_dir, tree.path());
  scheduler::Scheduler scheduler(store, hub, host, settings, {}, {});
  const api::Context context{store, hub, scheduler};
  api::Request request;
  request.path = "/api/v1/backup";
  const api::Response response = api::get_backup(context, request);
  CHECK(response.status == 200);
  CHECK(response.content_type == "application/vnd.sqlite3");
  REQUIRE(response.stream);
  std::string bytes;
  while (response.stream(bytes)) REQUIRE(bytes.size() < 1 << 24);
  CHECK(bytes.substr(0, 15) == "SQLite format 3");
  CHECK(bytes.size() % 4096 == 0);
  request.method = Method::head;
  CHECK_FALSE(api::get_backup(context, request).stream);
}
