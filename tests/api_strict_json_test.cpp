// The strict reader against the classes of cases of the public JSON test suites, rebuilt as data of
// our own: what must pass, what must not, and where the error is said to be.
#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "api/strict_json.h"
#include "daemon/model/error.h"

namespace {

using iobenchd::Error;
using iobenchd::ErrorCode;
using iobenchd::api::parse_strict;
using iobenchd::api::to_text;

std::string refusal(const std::string& text, bool comments = false) {
  try {
    (void)parse_strict(text, comments);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    CHECK(error.fields().empty());
    return error.what();
  }
  return "";
}

bool starts(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

std::string repeat(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

struct Case {
  std::size_t line = 0;
  bool is_sound = false;
  std::string text;
};

// tests/data/json_cases.txt says how it is written.
std::vector<Case> cases() {
  std::ifstream file(std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/json_cases.txt");
  REQUIRE(file);
  std::vector<Case> all;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("#")) continue;
    REQUIRE(!line.empty());
    Case one{number, line[0] == 'y' || line[0] == '+', ""};
    for (std::size_t i = 2; i < line.size(); ++i) {
      if (line[i] != '%') {
        one.text += line[i];
        continue;
      }
      one.text += static_cast<char>(std::stoi(line.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

TEST_CASE(
    "what is JSON is read, what is none is refused, and what the RFC leaves open is decided") {
  std::size_t read = 0, refused = 0;
  for (const Case& one : cases()) {
    CAPTURE(one.line);
    CAPTURE(one.text);
    const std::string reason = refusal(one.text);
    if (one.is_sound)
      CHECK(reason == "");
    else
      CHECK(starts(reason, "line "));
    ++(one.is_sound ? read : refused);
  }
  CHECK(read == 72);
  CHECK(refused == 186);
}

TEST_CASE("what is read is written as the same value again") {
  for (const Case& one : cases()) {
    if (!one.is_sound) continue;
    CAPTURE(one.line);
    const auto value = parse_strict(one.text);
    CHECK(parse_strict(to_text(value)) == value);
  }
}

TEST_CASE("a key that is there twice is refused where it stands") {
  CHECK(refusal("{\"numjobs\": 1,\n \"bs\": 2,\n  \"numjobs\": 3}") ==
        "line 3, column 3: the key \"numjobs\" is there twice");
  CHECK(starts(refusal("{\"a\\\"b\":1, \"a\\u0022b\":2}"), "line 1, column 12: "));
  CHECK(refusal("[{\"a\":1},{\"a\":1}]") == "");
  CHECK(refusal("{\"a\":{\"a\":{\"a\":1}}}") == "");
}

TEST_CASE("32 levels are read and 33 are not, and the error names the bracket") {
  CHECK(refusal(repeat("[", 32) + repeat("]", 32)) == "");
  CHECK(refusal(repeat("[", 33) + repeat("]", 33)) ==
        "line 1, column 33: nested more than 32 deep");
  CHECK(starts(refusal(repeat("{\"a\":", 33) + "1" + repeat("}", 33)), "line 1, column 161: "));
  CHECK(starts(refusal(repeat("[", 1U << 20U)), "line 1, column 33: "));
}

TEST_CASE("a NUL byte ends nothing quietly") {
  CHECK(refusal(std::string("[1]\0", 4)) == "line 1, column 4: a NUL byte");
  CHECK(refusal(std::string("[1]\n\0{\"x\"", 9)) == "line 2, column 1: a NUL byte");
  CHECK(refusal(std::string("[\0]", 3)) == "line 1, column 2: a NUL byte");
}

TEST_CASE("columns count characters, not bytes") {
  CHECK(starts(refusal("[\"\xC3\xA9\xC3\xA9\", x]"), "line 1, column 8: "));
  CHECK(starts(refusal("[1,\n2,\nx]"), "line 3, column 1: "));
}

TEST_CASE("comments are for the configuration alone") {
  const std::string text = "// a word\n{\n  \"workers\": 2  // two disks\n}\n";
  CHECK(starts(refusal(text), "line 1, column 1: "));
  CHECK(refusal(text, true) == "");
  CHECK(parse_strict(text, true)["workers"] == 2);
  CHECK(starts(refusal("// a\n{\"a\": 1,\n\"a\": 2}", true), "line 3, column 1: "));
}

TEST_CASE("order is kept, and an object of many keys is read in a moment") {
  CHECK(to_text(parse_strict("{\"z\":1,\"a\":[2,{\"y\":3,\"b\":4}]}")) ==
        "{\"z\":1,\"a\":[2,{\"y\":3,\"b\":4}]}\n");
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  text += "\"last\":1}";
  CHECK(parse_strict(text).size() == 20'001);
}

TEST_CASE("more values than memory should hold are refused") {
  CHECK_NOTHROW((void)parse_strict("[[],{},\"\",null]", false, 5));  // the outer one is one too
  CHECK_THROWS_WITH_AS((void)parse_strict("[[],{},\"\",null]", false, 4),
                       doctest::Contains("more than 4 values"), Error);
}

TEST_CASE("bytes that aren't UTF-8 are replaced, not thrown about") {
  CHECK(to_text("disk \xFF") == "\"disk \xEF\xBF\xBD\"\n");
}
