// What stands before a handler answers to any call, and each call's description says so. What
// handlers answer is compared both ways by tests/http/statuses.sh.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "api/http.h"
#include "api/openapi.h"
#include "api/strict_json.h"

using namespace iobenchd;
using api::Duty;
using api::Method;

namespace {

std::string name_of(Method method) {
  static constexpr std::array names{"get", "head", "post", "put", "patch", "delete", "options"};
  return names.at(static_cast<std::size_t>(method));
}

}  // namespace

TEST_CASE("every call describes the statuses of the front, and none that can't be") {
  const auto document = api::parse_strict(api::openapi_json());
  for (const api::Route& route : api::routes()) {
    const std::string method = name_of(route.method);
    CAPTURE(method);
    CAPTURE(route.pattern);
    const auto& responses =
        document.at("paths").at(std::string(route.pattern)).at(method).at("responses");
    const bool changes = route.method != Method::get;
    const bool may_have_body = route.method == Method::post || route.method == Method::patch;
    for (const char* status :
         {"400", "405", "408", "411", "414", "415", "417", "421", "431", "500", "503", "505"}) {
      CAPTURE(status);
      CHECK(responses.contains(status));
    }
    CHECK(responses.contains("401") == !route.open_to_all);
    CHECK(responses.contains("403") == !route.open_to_all);  // a token without the scope
    CHECK(responses.contains("413") == may_have_body);
    const bool takes_room = changes || route.duty == Duty::copy;
    CHECK(responses.contains("507") == takes_room);  // a full disk
    for (const auto& [status, response] : responses.items()) {
      CAPTURE(status);
      if (status < "400") continue;
      CHECK(response.at("$ref") == "#/components/responses/E" + status);
    }
  }
}

TEST_CASE("every error is a problem, and some call's") {
  const auto document = api::parse_strict(api::openapi_json());
  const std::string calls = document.at("paths").dump();
  for (const auto& [name, response] : document.at("components").at("responses").items()) {
    CAPTURE(name);
    CHECK(calls.find("\"#/components/responses/" + name + "\"") != std::string::npos);
    CHECK(response.at("content").size() == 1);
    CHECK(response.at("content").at("application/problem+json").at("schema").at("$ref") ==
          "#/components/schemas/Problem");
  }
}
