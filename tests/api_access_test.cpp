// Who may ask, as a table.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "api/access.h"
#include "daemon/model/error.h"

namespace {

using iobenchd::Error;
using iobenchd::Rw;
using iobenchd::SweepSpec;
using iobenchd::api::Caller;
using iobenchd::api::Denial;
using iobenchd::api::Door;
using iobenchd::api::Duties;
using iobenchd::api::Duty;
using iobenchd::api::HouseRules;
using iobenchd::api::judge_visitor;
using iobenchd::api::Method;
using iobenchd::api::refuse_content_type;
using iobenchd::api::require_destroy;
using iobenchd::api::Route;
using iobenchd::api::Token;
using iobenchd::api::Visitor;

constexpr const char* token = "0123456789abcdef0123456789abcdef";

int status(const Visitor& visitor, const HouseRules& rules) {
  const auto judged = judge_visitor(visitor, rules);
  const auto* denial = std::get_if<Denial>(&judged);
  return denial != nullptr ? denial->response.status : 200;
}

Denial denial_of(const Visitor& visitor, const HouseRules& rules) {
  return std::get<Denial>(judge_visitor(visitor, rules));
}

std::string header(const Denial& denial, const std::string& name) {
  for (const auto& [key, value] : denial.response.headers) {
    if (key == name) return value;
  }
  return {};
}

HouseRules rules_of(bool root) {
  return {{"bench.example.org", "proxy:8080"}, {{token, Duties::all(), "", 1}}, root};
}

Duties only(Duty duty) {
  Duties duties;
  duties.add(duty);
  return duties;
}

}  // namespace

TEST_CASE("a Host that isn't this machine's or configured is somebody's page") {
  const std::vector<std::pair<const char*, int>> table{
      {"localhost", 200},
      {"LocalHost:1", 200},
      {"127.0.0.1", 200},
      {"127.0.0.1:65535", 200},
      {"127.8.9.10", 200},
      {"[::1]", 200},
      {"[::1]:8464", 200},
      {"bench.example.org", 200},
      {"Bench.Example.Org:99", 200},
      {"proxy:8080", 200},
      {"proxy", 421},
      {"proxy:81", 421},
      {"", 421},
      {"evil.example", 421},
      {"localhost.evil.example", 421},
      {"evil.example:8464", 421},
      {"127.0.0.1.nip.io", 421},
      {"127.1", 421},
      {"0127.0.0.1", 421},
      {"127.0.0.01", 421},
      {"127.0.0.256", 421},
      {"0x7f.0.0.1", 421},
      {"2130706433", 421},
      {"128.0.0.1", 421},
      {"0.0.0.0", 421},
      {"127.0.0.1:x", 421},
      {"127.0.0.1:123456", 421},
      {"localhost:80:80", 421},
      {"[::1", 421},
      {"[::1]x", 421},
      {"[::2]", 421},
      {"[::ffff:127.0.0.1]", 421},
      {"user@localhost", 421},
      {"localhost/", 421},
      {"localhost,evil", 421},
  };
  const std::string right = std::string("Bearer ") + token;
  for (const auto& [host, expected] : table) {
    for (const Door door : {Door::unix_socket, Door::loopback}) {
      CAPTURE(host);
      Visitor visitor;
      visitor.door = door;
      visitor.host = host;
      visitor.authorization = right;
      CHECK(status(visitor, rules_of(false)) == expected);
    }
  }
  Visitor visitor;
  visitor.host = "evil.example";
  CHECK(denial_of(visitor, {}).why.find("allowed_hosts") != std::string::npos);
}

TEST_CASE("a page from elsewhere may change nothing") {
  struct Row {
    const char* origin;
    const char* site;
    bool changes;
    int expected;
  };
  const std::vector<Row> table{
      {"", "", true, 200},                        // curl
      {"http://127.0.0.1:8464", "", true, 200},   // our own page
      {"https://127.0.0.1:8464", "", true, 200},  // behind a proxy that speaks TLS
      {"HTTP://127.0.0.1:8464", "same-origin", true, 200},
      {"", "none", true, 200},
      {"http://127.0.0.1:3000", "", true, 403},  // another program's page on this machine
      {"http://127.0.0.1", "", true, 403},
      {"http://localhost:8464", "", true, 403},
      {"http://evil.example", "", true, 403},
      {"http://127.0.0.1:8464.evil.example", "", true, 403},
      {"null", "", true, 403},
      {"file://", "", true, 403},
      {"", "cross-site", true, 403},
      {"", "same-site", true, 403},
      {"http://127.0.0.1:8464", "cross-site", true, 403},
      {"http://evil.example", "cross-site", false, 200},  // reading: the browser keeps the answer
  };
  for (const Row& row : table) {
    CAPTURE(row.origin);
    CAPTURE(row.site);
    Visitor visitor;
    visitor.host = "127.0.0.1:8464";
    visitor.origin = row.origin;
    visitor.sec_fetch_site = row.site;
    visitor.duty = row.changes ? Duty::run : Duty::read;
    CHECK(status(visitor, {}) == row.expected);
  }
}

TEST_CASE("who needs the token depends on the door, the daemon's rights and the call") {
  struct Row {
    Door door;
    bool root, changes, open;
    int without_token;
  };
  const std::vector<Row> table{
      {Door::unix_socket, false, true, false, 200}, {Door::unix_socket, true, true, false, 200},
      {Door::unix_socket, true, false, true, 200},  {Door::loopback, false, true, false, 200},
      {Door::loopback, false, false, false, 200},   {Door::loopback, true, true, false, 401},
      {Door::loopback, true, false, false, 200},    {Door::loopback, true, true, true, 401},
      {Door::beyond, false, false, false, 401},     {Door::beyond, false, true, false, 401},
      {Door::beyond, true, false, false, 401},      {Door::beyond, true, false, true, 200},
      {Door::beyond, false, false, true, 200},
  };
  const std::string right = std::string("Bearer ") + token;
  for (const Row& row : table) {
    Visitor visitor;
    visitor.door = row.door;
    visitor.host = "localhost";
    visitor.duty = row.changes ? Duty::run : Duty::read;
    visitor.open_to_all = row.open;
    CHECK(status(visitor, rules_of(row.root)) == row.without_token);
    visitor.authorization = right;
    CHECK(status(visitor, rules_of(row.root)) == 200);
  }
}

TEST_CASE(
    "who calls by a name of allowed_hosts came through a proxy, and needs a token at any door") {
  for (const Door door : {Door::unix_socket, Door::loopback, Door::beyond}) {
    Visitor visitor;
    visitor.door = door;
    visitor.host = "bench.example.org";
    CHECK(status(visitor, rules_of(false)) == 401);
    CHECK(status(visitor, {{"bench.example.org"}, {}, false}) == 401);  // no token was configured
    visitor.open_to_all = true;
    CHECK(status(visitor, rules_of(false)) == 200);
  }
}

TEST_CASE("only the whole token is the token") {
  const std::string right = token;
  Visitor visitor;
  visitor.door = Door::beyond;
  visitor.host = "localhost";
  for (const std::string& given : std::vector<std::string>{
           std::string(), right, "Bearer", std::string("Bearer "), "Basic " + right,
           "Bearer " + right.substr(1), "Bearer " + right + "0", "Bearer " + right + right,
           "Bearer " + right.substr(0, 31) + "0", "Bearer x" + right, "Bearer  x"}) {
    CAPTURE(given);
    visitor.authorization = given;
    CHECK(status(visitor, rules_of(true)) == 401);
  }
  for (const std::string& given :
       std::vector<std::string>{"bearer " + right, "BEARER  " + right + " "}) {
    visitor.authorization = given;
    CHECK(status(visitor, rules_of(true)) == 200);
  }
  // No token was configured: nothing opens that door.
  visitor.authorization = "Bearer ";
  CHECK(status(visitor, {}) == 401);
  CHECK(header(denial_of(visitor, {}), "WWW-Authenticate").find("invalid_token") !=
        std::string::npos);
}

TEST_CASE("a token opens what its scopes name, and the refusal says which one is missing") {
  HouseRules rules = rules_of(true);
  rules.tokens = {{"read-read-read-read", only(Duty::read), "grafana", 1},
                  {"runs-runs-runs-runs", only(Duty::run), "", 2},
                  {"ends-ends-ends-ends", only(Duty::destroy), "", 3},
                  {"alls-alls-alls-alls", Duties::all(), "", 4}};
  for (std::size_t i = 0; i < rules.tokens.size(); ++i) {
    const std::string shown = "Bearer " + rules.tokens[i].secret;
    for (const Duty duty : {Duty::read, Duty::run, Duty::destroy}) {
      CAPTURE(i);
      CAPTURE(to_string(duty));
      Visitor visitor;
      visitor.door = Door::beyond;
      visitor.host = "localhost";
      visitor.authorization = shown;
      visitor.duty = duty;
      CHECK(status(visitor, rules) == (i == 3 || static_cast<std::size_t>(duty) == i ? 200 : 403));
    }
  }
  Visitor visitor;
  visitor.door = Door::loopback;
  visitor.host = "localhost";
  visitor.duty = Duty::run;
  visitor.authorization = "Bearer read-read-read-read";
  const Denial denial = denial_of(visitor, rules);
  CHECK(denial.why ==
        "the token grafana has the scope read, and this needs run; see token_file in "
        "iobenchd.conf(5)");
  CHECK(denial.token == "grafana");
  CHECK(header(denial, "WWW-Authenticate").find("insufficient_scope") != std::string::npos);
  // Where no token is needed, one that is shown takes nothing away; it only says who asks.
  visitor.duty = Duty::read;
  const Caller caller = std::get<Caller>(judge_visitor(visitor, rules));
  CHECK(caller.token == "grafana");
  CHECK(caller.duties == Duties::all());
}

TEST_CASE("a sweep that overwrites a device needs the scope destroy, one on a scratch file run") {
  Caller caller;
  caller.duties = only(Duty::run);
  SweepSpec spec;
  spec.rw = {Rw::read};
  spec.target = "/dev/sdb";
  CHECK_NOTHROW(require_destroy(caller, spec));
  spec.rw = {Rw::read, Rw::randwrite};
  CHECK_THROWS_WITH_AS(require_destroy(caller, spec), doctest::Contains("needs destroy"), Error);
  caller.duties.add(Duty::destroy);
  CHECK_NOTHROW(require_destroy(caller, spec));
  caller.duties = only(Duty::run);
  spec.target.clear();
  CHECK_NOTHROW(require_destroy(caller, spec));
  spec.target = "/dev/sdb";
  spec.rw = {Rw::read};
  spec.precondition = true;
  CHECK_THROWS_AS(require_destroy(caller, spec), Error);
}

TEST_CASE("a body of the wrong type is told the curl call that works") {
  const Route json{.method = Method::post,
                   .pattern = "",
                   .handler = nullptr,
                   .content_types = "application/json"};
  const Route both{.method = Method::post,
                   .pattern = "",
                   .handler = nullptr,
                   .content_types = "application/json, text/csv"};
  CHECK(!refuse_content_type(json, "application/json", "a", "/"));
  CHECK(!refuse_content_type(json, "Application/JSON; charset=utf-8", "a", "/"));
  CHECK(!refuse_content_type(both, "text/csv", "a", "/"));
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "text/csv",
                           "multipart/form-data; boundary=x", "application/jsonx", ";"}) {
    CAPTURE(type);
    const auto refusal = refuse_content_type(json, type, "localhost:8464", "/api/v1/sweeps");
    REQUIRE(refusal);
    CHECK(refusal->status == 415);
    CHECK(refusal->body.find("curl --json '{...}' http://localhost:8464/api/v1/sweeps") !=
          std::string::npos);
  }
}
