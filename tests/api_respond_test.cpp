// Failures as users read them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "api/respond.h"
#include "api/strict_json.h"

namespace {

using iobenchd::Error;
using iobenchd::ErrorCode;
using iobenchd::api::parse_strict;
using iobenchd::api::problem;
using iobenchd::api::Response;

bool has_header(const Response& response, const std::string& name) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [&](const auto& header) { return header.first == name; });
}

}  // namespace

TEST_CASE("a wrong spec answers 422 with every wrong field and a pointer to it") {
  const Response response = problem(Error("two fields are wrong", {{"numjobs", "1 to 1024"},
                                                                   {"bs[1]", "a multiple of 512"},
                                                                   {"latency_limit.p99", "a time"},
                                                                   {"a/b~ c", "unknown"}}));
  CHECK(response.status == 422);
  CHECK(response.content_type == "application/problem+json");
  CHECK(response.body.back() == '\n');
  const auto body = parse_strict(response.body);
  CHECK(body["type"] == "about:blank");
  CHECK(body["title"] == "Unprocessable Content");
  CHECK(body["status"] == 422);
  CHECK(body["detail"] == "two fields are wrong");
  REQUIRE(body["errors"].size() == 4);
  CHECK(body["errors"][0]["field"] == "numjobs");
  CHECK(body["errors"][0]["pointer"] == "#/numjobs");
  CHECK(body["errors"][0]["message"] == "1 to 1024");
  CHECK(body["errors"][1]["pointer"] == "#/bs/1");
  CHECK(body["errors"][2]["pointer"] == "#/latency_limit/p99");
  CHECK(body["errors"][3]["pointer"] == "#/a~1b~0%20c");
}

TEST_CASE("what a write would destroy stands field by field, what isn't known as null") {
  iobenchd::Destruction gone;
  gone.path = "/dev/sdb";
  gone.model = "Fast";
  gone.size_bytes = 1000;
  gone.confirm = "destroy /dev/sdb 1.0 kB";
  const auto answer = [&] {
    const Error error(ErrorCode::confirmation_needed, "confirm", "say so", gone);
    const Response response = problem(error);
    CHECK(response.status == 428);
    return parse_strict(response.body);
  };
  auto body = answer();
  CHECK(body["errors"][0]["field"] == "confirm");
  CHECK(body["destroys"]["path"] == "/dev/sdb");
  CHECK(body["destroys"]["model"] == "Fast");
  CHECK(body["destroys"]["serial"].is_null());
  CHECK(body["destroys"]["size_bytes"] == 1000);
  CHECK(body["destroys"]["signatures"].is_null());
  CHECK(body["destroys"]["confirm_phrase"] == "destroy /dev/sdb 1.0 kB");
  gone.signatures = {{"gpt", "ext"}};
  body = answer();
  CHECK(body["destroys"]["signatures"].size() == 2);
  CHECK_FALSE(parse_strict(problem(428, "a budget").body).contains("destroys"));
}

TEST_CASE("every kind of error has its status") {
  const std::pair<ErrorCode, int> table[] = {
      {ErrorCode::invalid, 400},     {ErrorCode::not_found, 404},
      {ErrorCode::conflict, 409},    {ErrorCode::forbidden, 403},
      {ErrorCode::queue_full, 429},  {ErrorCode::confirmation_needed, 428},
      {ErrorCode::unavailable, 503}, {ErrorCode::storage_full, 507},
      {ErrorCode::internal, 500}};
  for (const auto& [code, status] : table) {
    CHECK(problem(Error(code, "why")).status == status);
  }
  CHECK(problem(Error(ErrorCode::invalid, "numjobs", "1 to 1024")).status == 422);
}

TEST_CASE("a full queue says when to come again") {
  CHECK(has_header(problem(Error(ErrorCode::queue_full, "64 sweeps wait")), "Retry-After"));
  CHECK(has_header(problem(503, "busy"), "Retry-After"));
  CHECK(!has_header(problem(404, "no such sweep"), "Retry-After"));
}

TEST_CASE("what went wrong inside stays inside") {
  const Response response = problem(Error(ErrorCode::internal, "secret: /var/db at 0x7ffd"));
  CHECK(response.status == 500);
  CHECK(response.body.find("secret") == std::string::npos);
  CHECK(response.body.find("log") != std::string::npos);
}
