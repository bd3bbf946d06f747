// Who may ask, as a table.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "api/access.h"
#include "daemon/model/error.h"

namespace {

using iobenchd::Error;
using iobenchd::Settings;
using iobenchd::api::Door;
using iobenchd::api::HouseRules;
using iobenchd::api::Method;
using iobenchd::api::read_house_rules;
using iobenchd::api::refuse_content_type;
using iobenchd::api::refuse_visitor;
using iobenchd::api::Route;
using iobenchd::api::Visitor;

constexpr const char* token = "0123456789abcdef0123456789abcdef";

int status(const Visitor& visitor, const HouseRules& rules) {
  const auto refusal = refuse_visitor(visitor, rules);
  return refusal ? refusal->status : 200;
}

HouseRules rules_of(bool root) {
  return {{"bench.example.org", "proxy:8080"}, token, root};
}

// A file of ours with that text and mode, gone with the object.
class TokenFile {
 public:
  TokenFile(const std::string& text, mode_t mode) {
    const char* directory = ::getenv("TMPDIR");
    path_ = std::string(directory != nullptr ? directory : "/tmp") + "/iobenchd-token-XXXXXX";
    const int fd = ::mkstemp(path_.data());
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    REQUIRE(::fchmod(fd, mode) == 0);
    ::close(fd);
  }
  ~TokenFile() { ::unlink(path_.c_str()); }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

  [[nodiscard]] Settings settings() const {
    Settings settings;
    std::snprintf(settings.token_file.data(), settings.token_file.size(), "%s", path_.c_str());
    return settings;
  }

 private:
  std::string path_;
};

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
  for (const auto& [host, expected] : table) {
    for (const Door door : {Door::unix_socket, Door::loopback}) {
      CAPTURE(host);
      Visitor visitor;
      visitor.door = door;
      visitor.host = host;
      CHECK(status(visitor, rules_of(false)) == expected);
    }
  }
  Visitor visitor;
  visitor.host = "evil.example";
  CHECK(refuse_visitor(visitor, {})->body.find("allowed_hosts") != std::string::npos);
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
    visitor.changes = row.changes;
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
    visitor.changes = row.changes;
    visitor.open_to_all = row.open;
    CHECK(status(visitor, rules_of(row.root)) == row.without_token);
    visitor.authorization = right;
    CHECK(status(visitor, rules_of(row.root)) == 200);
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
  const auto refusal = refuse_visitor(visitor, {});
  CHECK(std::any_of(refusal->headers.begin(), refusal->headers.end(),
                    [](const auto& header) { return header.first == "WWW-Authenticate"; }));
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

TEST_CASE("a token file is private, plain and long enough, or names what is wrong") {
  const TokenFile good(std::string(token) + "\nsecond line\n", 0600);
  CHECK(read_house_rules(good.settings()).token == token);
  const TokenFile open(std::string(token) + "\n", 0640);
  CHECK_THROWS_WITH_AS((void)read_house_rules(open.settings()), doctest::Contains("chmod 600"),
                       Error);
  const TokenFile small("short\n", 0600);
  CHECK_THROWS_WITH_AS((void)read_house_rules(small.settings()),
                       doctest::Contains("16 to 1024 bytes"), Error);
  Settings missing;
  std::snprintf(missing.token_file.data(), missing.token_file.size(), "/nonexistent/token");
  CHECK_THROWS_WITH_AS((void)read_house_rules(missing),
                       doctest::Contains("token_file: /nonexistent/token can't be read"), Error);
}
