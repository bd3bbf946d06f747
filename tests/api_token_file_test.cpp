// token_file: what a line may say, and how what is wrong is named.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "api/access.h"
#include "api/token_file.h"
#include "daemon/model/error.h"

namespace {

using iobenchd::Error;
using iobenchd::Settings;
using iobenchd::api::Duties;
using iobenchd::api::Duty;
using iobenchd::api::parse_scopes;
using iobenchd::api::parse_tokens;
using iobenchd::api::read_house_rules;
using iobenchd::api::scopes_text;
using iobenchd::api::Token;
using iobenchd::api::token_line;

const std::string first = "0123456789abcdef0123456789abcdef";
const std::string second = "fedcba9876543210fedcba9876543210";

std::string complaint(const std::string& text) {
  try {
    (void)parse_tokens(text, "FILE");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
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

TEST_CASE("a file with nothing but a token holds one that may do everything") {
  for (const char* end : {"", "\n", "\r\n", "\n\n# a comment\n  \n"}) {
    const std::vector<Token> tokens = parse_tokens("  " + first + " " + end, "FILE");
    REQUIRE(tokens.size() == 1);
    CHECK(tokens[0].secret == first);
    CHECK(tokens[0].scopes == Duties::all());
    CHECK(tokens[0].name.empty());
    CHECK(tokens[0].line == 1);
  }
}

TEST_CASE("a line names scopes and its holder, in either order, and may end in a comment") {
  const std::vector<Token> tokens =
      parse_tokens("# who may what\n" + first + " scope=read name=grafana\n\n" + second +
                       "\tname=night.job-1\tscope=run,read # since spring\n",
                   "FILE");
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].name == "grafana");
  CHECK(scopes_text(tokens[0].scopes) == "read");
  CHECK(tokens[0].line == 2);
  CHECK(tokens[1].name == "night.job-1");
  CHECK(scopes_text(tokens[1].scopes) == "read,run");
  CHECK(tokens[1].line == 4);
}

TEST_CASE("every wrong line is named with its number, and no secret is") {
  const std::string secret = "this-is-a-secret-word";
  const std::string text = complaint("short\n" + first + "\n" + secret + " scope=write\n" + secret +
                                     " name=a/b\n" + secret + " " + secret + "\n" + first + "\n" +
                                     second + " name=x\n" + secret + " name=x\n");
  CHECK(text ==
        "token_file: FILE line 1: a token has 16 to 1024 bytes, and this one 5; "
        "line 3: scope= takes read, run and destroy, with commas between them; "
        "line 4: name= takes up to 64 letters, digits, dots, dashes and underscores; "
        "line 5: only scope=read,run,destroy and name=WORD may follow a token; "
        "line 6: this token is line 2's already; "
        "line 8: the name x is line 7's already");
  CHECK(complaint("# nobody\n") == "token_file: FILE holds no token; iobench token makes one");
  CHECK(complaint(first + "\x01") == "token_file: FILE line 1: a token is made of printable ASCII");
  CHECK(complaint(std::string(1025, 'a')).find("1025") != std::string::npos);
}

TEST_CASE("scopes are words with commas between them") {
  CHECK(parse_scopes("read,run,destroy") == Duties::all());
  CHECK(parse_scopes("destroy,destroy")->has(Duty::destroy));
  CHECK_FALSE(parse_scopes("destroy")->has(Duty::read));
  for (const char* list : {"", ",", "read,", ",read", "Read", "all", "read run"}) {
    CAPTURE(list);
    CHECK_FALSE(parse_scopes(list));
  }
}

TEST_CASE("what is written as a line is read back from it") {
  Token token;
  token.secret = first;
  token.scopes = *parse_scopes("read,destroy");
  token.name = "cleaner";
  CHECK(token_line(token) == first + " scope=read,destroy name=cleaner");
  const std::vector<Token> tokens = parse_tokens(token_line(token), "FILE");
  REQUIRE(tokens.size() == 1);
  CHECK(tokens[0].scopes == token.scopes);
  CHECK(tokens[0].name == "cleaner");
  token.name.clear();
  CHECK(token_line(token) == first + " scope=read,destroy");
}

TEST_CASE("a token file is private, plain and of some size, or names what is wrong") {
  const TokenFile good(first + "\n" + second + " scope=read\n", 0600);
  CHECK(read_house_rules(good.settings()).tokens.size() == 2);
  const TokenFile open(first + "\n", 0640);
  CHECK_THROWS_WITH_AS((void)read_house_rules(open.settings()), doctest::Contains("chmod 600"),
                       Error);
  const TokenFile small("short\n", 0600);
  CHECK_THROWS_WITH_AS((void)read_house_rules(small.settings()),
                       doctest::Contains("16 to 1024 bytes"), Error);
  const TokenFile large(std::string(70'000, '\n') + first, 0600);
  CHECK_THROWS_WITH_AS((void)read_house_rules(large.settings()), doctest::Contains("64 KiB"),
                       Error);
  Settings missing;
  std::snprintf(missing.token_file.data(), missing.token_file.size(), "/nonexistent/token");
  CHECK_THROWS_WITH_AS((void)read_house_rules(missing),
                       doctest::Contains("token_file: /nonexistent/token can't be read"), Error);
}
