// Heads that are let through, and every reason why one isn't.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/head.h"
#include "api/head_judge.h"

namespace {

using iobenchd::api::find_route;
using iobenchd::api::Head;
using iobenchd::api::HeadScan;
using iobenchd::api::Method;
using iobenchd::api::parse_head;
using iobenchd::api::parse_target;
using iobenchd::api::Refusal;
using iobenchd::api::Route;
using iobenchd::api::Target;

// Scans and parses as the loop does. 200: let through; -1: not complete.
int status_of(const std::string& text) {
  HeadScan scan;
  const auto found = scan.look(text);
  if (const auto* refusal = std::get_if<Refusal>(&found)) return refusal->status;
  if (std::holds_alternative<std::monostate>(found)) return -1;
  const auto parsed = parse_head(text.substr(0, std::get<std::size_t>(found)));
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return refusal->status;
  return 200;
}

int with_headers(const std::string& headers, const std::string& first = "GET / HTTP/1.1") {
  return status_of(first + "\r\n" + headers + "\r\n");
}

Head parsed(const std::string& text) {
  return std::get<Head>(parse_head(text));
}

int target_status(const std::string& target) {
  const auto result = parse_target(target);
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal == nullptr ? 200 : refusal->status;
}

}  // namespace

TEST_CASE("an ordinary request is let through") {
  const Head head = parsed(
      "POST /api/v1/sweeps?dry_run=true HTTP/1.1\r\nHost: localhost:8464\r\n"
      "User-Agent: curl/7.88.1\r\nContent-Type:application/json\r\nContent-Length: \t12 \r\n"
      "Accept: text/plain\r\nACCEPT: text/csv\r\nExpect: 100-Continue\r\n\r\n");
  CHECK(head.method == Method::post);
  CHECK(head.target == "/api/v1/sweeps?dry_run=true");
  CHECK(head.header("host") == "localhost:8464");
  CHECK(head.header("content-type") == "application/json");
  CHECK(head.header("accept") == "text/plain, text/csv");
  CHECK(head.header("user-agent") == "");  // nobody here reads it
  CHECK(head.content_length == 12);
  CHECK(head.expects_continue);
  CHECK(!head.close);
}

TEST_CASE("a request line is exact or refused") {
  const std::vector<std::pair<std::string, int>> lines{
      {"GET / HTTP/1.1", 200},
      {"GET / HTTP/1.0", 200},
      {"GET /%41 HTTP/1.1", 200},
      {"GET  / HTTP/1.1", 400},
      {"GET / HTTP/1.1 ", 400},
      {" GET / HTTP/1.1", 400},
      {"GET /a b HTTP/1.1", 400},
      {"GET /", 400},
      {"GET", 400},
      {"GET\t/ HTTP/1.1", 400},
      {"GET / http/1.1", 400},
      {"GET / HTTP/1.2", 505},
      {"GET / HTTP/2.0", 505},
      {"GET / HTTP/1.10", 505},
      {"PRI * HTTP/2.0", 400},
      {"GET * HTTP/1.1", 400},
      {"OPTIONS * HTTP/1.1", 400},
      {"GET http://a/ HTTP/1.1", 400},
      {"CONNECT a:1 HTTP/1.1", 400},
      {"TRACE / HTTP/1.1", 501},
      {"get / HTTP/1.1", 501},
      {"BREW / HTTP/1.1", 501},
      {"G@T / HTTP/1.1", 400},
      {"GET /\xC3\xA9 HTTP/1.1", 400},
      {"GET /#x HTTP/1.1", 400},
      {"GET /\x01 HTTP/1.1", 400},
      {"GET /a\x7F HTTP/1.1", 400},
  };
  for (const auto& [line, status] : lines) {
    CAPTURE(line);
    CHECK(with_headers("Host: a\r\n", line) == status);
  }
  CHECK(with_headers("Host: a\r\n", "GET /" + std::string(1023, 'a') + " HTTP/1.1") == 200);
  CHECK(with_headers("Host: a\r\n", "GET /" + std::string(1024, 'a') + " HTTP/1.1") == 414);
  CHECK(status_of("GET /" + std::string(3000, 'a')) == 414);  // before it is complete
}

TEST_CASE("headers are exact or refused") {
  const std::vector<std::pair<std::string, int>> cases{
      {"Host: a\r\n", 200},
      {"", 400},                        // no Host
      {"Host: a\r\nHost: a\r\n", 400},  // two
      {"Host: a\r\nhOST: b\r\n", 400},
      {"Host: a\r\n X: folded\r\n", 400},
      {"Host : a\r\n", 400},
      {"Host\r\n", 400},
      {": a\r\n", 400},
      {"Host: a\r\nX Y: 1\r\n", 400},
      {"Host: a\r\nX\x80: 1\r\n", 400},
      {"Host: a\r\nX: a\rb\r\n", 400},
      {"Host: a\r\nX: a\x01\r\n", 400},
      {std::string("Host: a\r\nX: a\0b\r\n", 17), 400},
      {"Host: a\nX: 1\r\n", 400},
      {"Host: a\r\nX: caf\xC3\xA9\r\n", 200},
      {"Host: a\r\nX:\r\n", 200},
      {"Host: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n", 400},
      {"Host: a\r\nOrigin: http://a\r\nOrigin: http://b\r\n", 400},
      {"Host: a\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n", 400},
      {"Host: a\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n", 400},
      {"Host: a\r\nX-Twice: 1\r\nX-Twice: 2\r\n", 200},  // nobody reads it
      {"Host: a\r\nRange: bytes=0-1,0-1,0-1\r\n", 200},  // nobody reads it
      {"Host: a\r\nExpect: 200-ok\r\n", 417},
  };
  for (const auto& [headers, status] : cases) {
    CAPTURE(headers);
    CHECK(with_headers(headers) == status);
  }
}

TEST_CASE("where a body ends has one reading or the request is refused") {
  const std::vector<std::pair<std::string, int>> cases{
      {"Content-Length: 0\r\n", 200},
      {"Content-Length: 5\r\n", 200},
      {"Content-Length: 5\r\nContent-Length: 5\r\n", 400},
      {"Content-Length: 5, 5\r\n", 400},
      {"Content-Length: 5x\r\n", 400},
      {"Content-Length: +5\r\n", 400},
      {"Content-Length: -5\r\n", 400},
      {"Content-Length: 0x5\r\n", 400},
      {"Content-Length: 5.0\r\n", 400},
      {"Content-Length:\r\n", 400},
      {"Content-Length: 99999999999999999999\r\n", 400},
      {"Transfer-Encoding: chunked\r\n", 411},
      {"Transfer-Encoding: xchunked\r\n", 411},
      {"Transfer-Encoding:\r\n", 411},
      {"Transfer-Encoding: identity\r\nContent-Length: 5\r\n", 411},
      {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 411},
      {"Transfer-Encoding : chunked\r\n", 400},
      {"Transfer-Encoding\t: chunked\r\n", 400},
      {"Transfer_Encoding: chunked\r\n", 200},  // another header; no body follows
      {"Content-Encoding: gzip\r\nContent-Length: 5\r\n", 415},
      {"Content-Encoding: identity\r\nContent-Length: 5\r\n", 200},
  };
  for (const auto& [headers, status] : cases) {
    CAPTURE(headers);
    CHECK(with_headers("Host: a\r\n" + headers, "POST / HTTP/1.1") == status);
  }
  for (const char* method : {"GET", "HEAD", "DELETE", "OPTIONS"}) {
    CHECK(with_headers("Host: a\r\nContent-Length: 5\r\n", std::string(method) + " / HTTP/1.1") ==
          400);
    CHECK(with_headers("Host: a\r\nContent-Length: 0\r\n", std::string(method) + " / HTTP/1.1") ==
          200);
  }
}

TEST_CASE("a head has its limits in lines and bytes, and they hold before it is complete") {
  std::string lines = "Host: a\r\n";
  for (int i = 0; i < 62; ++i) lines += "X: 1\r\n";
  CHECK(with_headers(lines) == 200);  // 64 with the request line
  CHECK(with_headers(lines + "X: 1\r\n") == 431);
  CHECK(status_of("GET / HTTP/1.1\r\nX: " + std::string(16 * 1024, 'a')) == 431);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\n") == -1);
  CHECK(status_of("") == -1);
  CHECK(status_of("\r\nGET / HTTP/1.1\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.1\n") == 400);
  CHECK(status_of("\x16\x03\x01\x02") == 400);  // TLS
}

TEST_CASE("a head that comes byte by byte is found where it ends") {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /next";
  HeadScan scan;
  for (std::size_t size = 1; size < 27; ++size) {
    CHECK(std::holds_alternative<std::monostate>(scan.look(text.substr(0, size))));
  }
  CHECK(std::get<std::size_t>(scan.look(text.substr(0, 27))) == 27);
}

TEST_CASE("who wants the connection closed is heard") {
  CHECK(parsed("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").close);
  CHECK(parsed("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade, Close\r\n\r\n").close);
  CHECK(parsed("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n").close);
  CHECK(!parsed("GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n").close);
}

TEST_CASE("targets are decoded once, and only what has one meaning") {
  const auto result = parse_target("/api/v1/sweeps/%37?label=a+b%20c%26&x=&y&z=%C3%A9&&w==");
  const Target& target = std::get<Target>(result);
  CHECK(target.path == "/api/v1/sweeps/7");
  CHECK(target.query.size() == 5);
  CHECK(target.query.at("label") == "a b c&");
  CHECK(target.query.at("x") == "");
  CHECK(target.query.at("y") == "");
  CHECK(target.query.at("z") == "\xC3\xA9");
  CHECK(target.query.at("w") == "=");
  CHECK(std::get<Target>(parse_target("/a+b?")).path == "/a+b");
  for (const char* bad :
       {"/%", "/%4", "/%zz", "/%u0041", "/%00", "/%0a", "/%0D%0A", "/%7F", "/a%2Fb", "/a%2fb",
        "/?a=1&a=2", "/?a=1&%61=2", "/?=1", "/?a=%0d", "/?a=%", "/?%g=1"}) {
    CAPTURE(bad);
    CHECK(target_status(bad) == 400);
  }
  std::string many = "/?";
  for (int i = 0; i < 65; ++i) many += "k" + std::to_string(i) + "&";
  CHECK(target_status(many) == 400);
}

TEST_CASE("a path finds its route, and a wrong method what would be right") {
  const std::array<Route, 4> routes{{
      {.method = Method::get, .pattern = "/", .handler = nullptr},
      {.method = Method::get, .pattern = "/sweeps/{id}", .handler = nullptr},
      {.method = Method::del, .pattern = "/sweeps/{id}", .handler = nullptr},
      {.method = Method::post, .pattern = "/sweeps/{id}/cancel", .handler = nullptr},
  }};
  CHECK(find_route(routes, Method::get, "/").route == &routes[0]);
  CHECK(find_route(routes, Method::head, "/sweeps/7").route == &routes[1]);
  const auto match = find_route(routes, Method::del, "/sweeps/7");
  CHECK(match.route == &routes[2]);
  CHECK(match.parameters == std::vector<std::string>{"7"});
  CHECK(find_route(routes, Method::post, "/sweeps/7/cancel").route == &routes[3]);
  const auto wrong = find_route(routes, Method::post, "/sweeps/7");
  CHECK(wrong.route == nullptr);
  CHECK(wrong.allow == "GET, HEAD, DELETE, OPTIONS");
  for (const char* path : {"/sweeps", "/sweeps/", "/sweeps/7/", "/sweeps/7/cancel/", "//sweeps/7",
                           "/sweeps//cancel", "/x", "/sweeps/7/8"}) {
    CAPTURE(path);
    CHECK(find_route(routes, Method::get, path).allow == "");
  }
}
