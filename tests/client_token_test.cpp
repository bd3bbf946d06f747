// `iobench token`: what it makes is what token_file takes.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "daemon/client/token.h"
#include "daemon/model/error.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using namespace iobenchd::client;

namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

api::Token token_named(const std::string& name) {
  api::Token token;
  token.secret = random_secret();
  token.name = name;
  return token;
}

}  // namespace

TEST_CASE("a secret is 64 hexadecimal digits, and never the same twice") {
  std::set<std::string> secrets;
  for (int i = 0; i < 100; ++i) {
    const std::string secret = random_secret();
    CHECK(secret.size() == 64);
    CHECK(secret.find_first_not_of("0123456789abcdef") == std::string::npos);
    secrets.insert(secret);
  }
  CHECK(secrets.size() == 100);
}

TEST_CASE("options are taken with = or as the next word, and wrong ones are named") {
  const TokenOptions plain = parse_token_options({"token"});
  CHECK(plain.token.scopes == api::Duties::all());
  CHECK(plain.token.name.empty());
  CHECK(plain.file.empty());
  const TokenOptions all =
      parse_token_options({"token", "--scope=read,run", "--name", "grafana", "--append=/x"});
  CHECK(api::scopes_text(all.token.scopes) == "read,run");
  CHECK(all.token.name == "grafana");
  CHECK(all.file == "/x");
  for (const char* wrong : {"--scope=write", "--scope=", "--scope", "--name=a b", "--name",
                            "--append=", "--colour=red", "x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS((void)parse_token_options({"token", wrong}), Error);
  }
}

TEST_CASE("a file is made private, and further tokens stand beneath the first") {
  const TemporaryTree tree;
  const std::string path = tree / "tokens";
  const mode_t before = umask(0);
  append_token(token_named("first"), path);
  umask(before);
  struct stat facts {};
  REQUIRE(stat(path.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  append_token(token_named("second"), path);
  append_token(token_named(""), path);
  const auto tokens = api::read_tokens(path);
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[0].name == "first");
  CHECK(tokens[1].name == "second");
  CHECK(tokens[2].line == 3);
  CHECK_THROWS_WITH_AS(append_token(token_named("second"), path), doctest::Contains("line 2"),
                       Error);
  CHECK(api::read_tokens(path).size() == 3);
}

TEST_CASE("a last line without an end stays a line of its own") {
  const TemporaryTree tree;
  const std::string path = tree.file("tokens", "0123456789abcdef");
  REQUIRE(chmod(path.c_str(), 0600) == 0);
  append_token(token_named("new"), path);
  const auto tokens = api::read_tokens(path);
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].secret == "0123456789abcdef");
  CHECK(tokens[1].name == "new");
}

TEST_CASE("a file that others may read, or with a wrong line, is left as it is") {
  const TemporaryTree tree;
  const std::string open = tree.file("open", "0123456789abcdef\n");
  REQUIRE(chmod(open.c_str(), 0644) == 0);
  CHECK_THROWS_WITH_AS(append_token(token_named("a"), open), doctest::Contains("chmod 600"), Error);
  CHECK(text_of_file(open) == "0123456789abcdef\n");
  const std::string wrong = tree.file("wrong", "short\n");
  REQUIRE(chmod(wrong.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(append_token(token_named("a"), wrong), doctest::Contains("line 1"), Error);
  CHECK(text_of_file(wrong) == "short\n");
  CHECK_THROWS_AS(append_token(token_named("a"), tree / "nowhere/tokens"), Error);
}
