// The promise of /api/v1: what one release described, every later one has.
#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>

#include "api/openapi.h"
#include "api/strict_json.h"

using namespace iobenchd;

namespace {

using Json = nlohmann::ordered_json;

// What a client leans on: calls with their parameters, fields with their types.
std::set<std::string> described() {
  const Json document = api::parse_strict(api::openapi_json());
  std::set<std::string> lines;
  for (const auto& [path, methods] : document.at("paths").items()) {
    for (const auto& [method, operation] : methods.items()) {
      const std::string call = method + " " + path;
      lines.insert(call);
      if (!operation.contains("parameters")) continue;
      for (const Json& parameter : operation.at("parameters"))
        lines.insert(call + " ?" + parameter.at("name").get<std::string>());
    }
  }
  for (const auto& [name, schema] : document.at("components").at("schemas").items()) {
    for (const auto& [field, property] : schema.at("properties").items()) {
      std::string line = name;
      line += "." + field;
      if (property.contains("type")) line += " " + property.at("type").dump();
      lines.insert(line);
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("what /api/v1 has promised is still there") {
  const std::set<std::string> now = described();
  std::ifstream file(std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/api_v1.txt");
  std::set<std::string> promised;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("#")) promised.insert(line);
  }
  CHECK(promised.size() > 500);
  for (const std::string& line : promised) {
    CHECK_MESSAGE(now.contains(line), "promised and gone: ", line);
  }
}
