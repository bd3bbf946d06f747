// The strict reader against the classes of cases of the public JSON test suites, rebuilt: what must
// pass, what must not, and where the error is said to be.
#include <doctest/doctest.h>

#include <string>
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

}  // namespace

TEST_CASE("sound JSON of every class is read") {
  const std::vector<std::string> sound{"[]",
                                       "{}",
                                       " [1] ",
                                       "[[]   ]",
                                       "[null, 1, \"1\", {}]",
                                       "[1\n]",
                                       "[1,null,null,null,2]",
                                       "[123e65]",
                                       "[0e+1]",
                                       "[0e1]",
                                       "[ 4]",
                                       "[-0.000000000000000000000000000001]",
                                       "[20e1]",
                                       "[-0]",
                                       "[-123]",
                                       "[1E22]",
                                       "[1E-2]",
                                       "[1E+2]",
                                       "[123e45]",
                                       "[123.456e78]",
                                       "[1e-2]",
                                       "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}",
                                       "{\"\":0}",
                                       "{\"foo\\u0000bar\": 42}",
                                       "{\"min\": -1.0e+28, \"max\": 1.0e+28}",
                                       "[\"\\u0060\\u012a\\u12AB\"]",
                                       "[\"\\uD801\\udc37\"]",
                                       "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
                                       "[\"\\\\u0000\"]",
                                       "[\"a/*b*/c\"]",
                                       "[\"\xE2\x82\xAC\xF0\x9D\x84\x9E\"]",
                                       "[\"\x7f\"]",
                                       "\"lonely\"",
                                       "42",
                                       "-0.1",
                                       "null",
                                       "true",
                                       "\"\"",
                                       "[true]\n",
                                       "\t[]\r\n",
                                       "[18446744073709551615]",
                                       "[100000000000000000000]"};
  for (const std::string& text : sound) {
    CAPTURE(text);
    CHECK(refusal(text) == "");
  }
}

namespace {

const std::vector<std::string> broken{"",
                                      " ",
                                      "[",
                                      "{",
                                      "]",
                                      "[1 true]",
                                      "[\"\": 1]",
                                      "[\"\"],",
                                      "[,1]",
                                      "[1,,2]",
                                      "[\"x\"]]",
                                      "[\"\",]",
                                      "[\"x\"",
                                      "[x",
                                      "[3[4]]",
                                      "[1:2]",
                                      "[,]",
                                      "[-]",
                                      "[1,\n1\n,1",
                                      "[1,]",
                                      "[1,,]",
                                      "[*]",
                                      "[\"a",
                                      "[fals]",
                                      "[nul]",
                                      "[tru]",
                                      "[++1234]",
                                      "[+1]",
                                      "[+Inf]",
                                      "[-01]",
                                      "[-1.0.]",
                                      "[-2.]",
                                      "[-NaN]",
                                      "[.-1]",
                                      "[.2e-3]",
                                      "[0.1.2]",
                                      "[0.3e+]",
                                      "[0.3e]",
                                      "[0.e1]",
                                      "[0E+]",
                                      "[0E]",
                                      "[1.0e+]",
                                      "[1 000.0]",
                                      "[1eE2]",
                                      "[2.e3]",
                                      "[9.e+]",
                                      "[Inf]",
                                      "[NaN]",
                                      "[1+2]",
                                      "[0x1]",
                                      "[0x42]",
                                      "[-Infinity]",
                                      "[-foo]",
                                      "[-012]",
                                      "[-.123]",
                                      "[1ea]",
                                      "[1.]",
                                      "[.123]",
                                      "[1.2a-3]",
                                      "[012]",
                                      "[\"x\", truth]",
                                      "{[: \"x\"}\n",
                                      "{\"x\", null}",
                                      "{\"x\"::\"b\"}",
                                      "{\"a\":\"a\" 123}",
                                      "{key: 'value'}",
                                      "{\"a\" b}",
                                      "{:\"b\"}",
                                      "{\"a\" \"b\"}",
                                      "{\"a\":",
                                      "{\"a\"",
                                      "{1:1}",
                                      "{\"id\":0,,,,,}",
                                      "{'a':0}",
                                      "{\"id\":0,}",
                                      "{\"a\":\"b\",,\"c\":\"d\"}",
                                      "{\"a\":\"b\"}/**/",
                                      "{\"a\":\"b\"}//",
                                      "{\"a\":\"b\"}#",
                                      "{a: \"b\"}",
                                      "{\"a\":\"a",
                                      "[\"\\",
                                      "[\"\\\"]",
                                      "[\"\\x00\"]",
                                      "[\"\\uD800\\u\"]",
                                      "[\"\\uD800\"]",
                                      "[\"\\uDC00\"]",
                                      "[\"\\u00A\"]",
                                      "[\"\\a\"]",
                                      "[\"\\uqqqq\"]",
                                      "[\"new\nline\"]",
                                      "[\"\t\"]",
                                      "\"",
                                      "['single']",
                                      "abc",
                                      "<.>",
                                      "[<null>]",
                                      "[1]x",
                                      "123\n4",
                                      "[True]",
                                      "{}}",
                                      "{\"\":",
                                      "[\xE2\x81\xA0]",
                                      "\xEF\xBB",
                                      "[\"\xFF\"]",
                                      "[\"\xC0\xAF\"]",
                                      "[\"\xED\xA0\x80\"]",
                                      "[\"\xF4\xBF\xBF\xBF\"]",
                                      "[\"\xE9\"]",
                                      "[\"\x81\"]",
                                      "\xE5",
                                      "[1e999]",
                                      "[-1e400]",
                                      "[1] // no",
                                      "{} {}"};

}  // namespace

TEST_CASE("what isn't JSON is refused with line and column") {
  for (const std::string& text : broken) {
    CAPTURE(text);
    CHECK(starts(refusal(text), "line "));
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
