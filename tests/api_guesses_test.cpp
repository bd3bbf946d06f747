// Wrong tokens are slowed, by address, on a clock of the test's own.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <variant>

#include "api/access.h"
#include "api/guesses.h"

using iobenchd::api::Denial;
using iobenchd::api::Door;
using iobenchd::api::Duties;
using iobenchd::api::Duty;
using iobenchd::api::Guesses;
using iobenchd::api::HouseRules;
using iobenchd::api::judge_visitor;
using iobenchd::api::Visitor;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr const char* secret = "0123456789abcdef";

// One request with that token: what it is answered, counted as the server counts it.
struct Gate {
  Guesses guesses;
  Guesses::TimePoint now;
  HouseRules rules{{}, {{secret, Duties::all(), "", 1}}, true};

  int ask(const std::string& peer, const std::string& token, Door door = Door::beyond,
          std::string* retry_after = nullptr) {
    const std::string authorization = token.empty() ? "" : "Bearer " + token;
    Visitor visitor;
    visitor.door = door;
    visitor.host = "localhost";
    visitor.duty = Duty::run;
    visitor.authorization = authorization;
    visitor.wait_s = guesses.wait_s(peer, now);
    const auto judged = judge_visitor(visitor, rules);
    const auto* denial = std::get_if<Denial>(&judged);
    if (denial == nullptr) return 200;
    if (denial->wrong_token) guesses.count(peer, now);
    for (const auto& [name, value] : denial->response.headers) {
      if (retry_after != nullptr && name == "Retry-After") *retry_after = value;
    }
    return denial->response.status;
  }
};

}  // namespace

TEST_CASE("five wrong tokens are free, and then each costs twice the wait of the one before") {
  Guesses guesses;
  Guesses::TimePoint now;
  for (int i = 0; i < 4; ++i) {
    guesses.count("10.0.0.1", now);
    CHECK(guesses.wait_s("10.0.0.1", now) == 0);
  }
  for (const std::uint32_t wait : {1U, 2U, 4U, 8U, 16U, 32U, 60U, 60U}) {
    guesses.count("10.0.0.1", now);
    CHECK(guesses.wait_s("10.0.0.1", now) == wait);
    CHECK(guesses.wait_s("10.0.0.2", now) == 0);
    now += seconds(wait) - std::chrono::milliseconds(1);
    CHECK(guesses.wait_s("10.0.0.1", now) == 1);
    now += std::chrono::milliseconds(1);
    CHECK(guesses.wait_s("10.0.0.1", now) == 0);
  }
  now += minutes(15);
  guesses.count("10.0.0.1", now);  // all is forgotten: the first of five
  CHECK(guesses.wait_s("10.0.0.1", now) == 0);
}

TEST_CASE("from another machine nothing is looked at before the wait is over") {
  Gate gate;
  for (int i = 0; i < 5; ++i) CHECK(gate.ask("10.0.0.1", "wrong") == 401);
  std::string retry_after;
  CHECK(gate.ask("10.0.0.1", "wrong", Door::beyond, &retry_after) == 429);
  CHECK(retry_after == "1");
  CHECK(gate.ask("10.0.0.1", secret) == 429);
  CHECK(gate.ask("10.0.0.1", "") == 401);  // no guess
  CHECK(gate.ask("10.0.0.2", secret) == 200);
  CHECK(gate.ask("10.0.0.2", "wrong") == 401);
  gate.now += seconds(1);
  CHECK(gate.ask("10.0.0.1", secret) == 200);
}

TEST_CASE("who is told to wait and doesn't, waits no longer for that") {
  Gate gate;
  for (int i = 0; i < 5; ++i) CHECK(gate.ask("10.0.0.1", "wrong") == 401);
  for (int i = 0; i < 1000; ++i) CHECK(gate.ask("10.0.0.1", "wrong") == 429);
  gate.now += seconds(1);
  CHECK(gate.ask("10.0.0.1", "wrong") == 401);
  CHECK(gate.guesses.wait_s("10.0.0.1", gate.now) == 2);
}

TEST_CASE("on loopback nobody can lock the others out: a right token passes") {
  Gate gate;
  for (int i = 0; i < 5; ++i) CHECK(gate.ask("127.0.0.1", "wrong", Door::loopback) == 401);
  CHECK(gate.ask("127.0.0.1", "wrong", Door::loopback) == 429);
  CHECK(gate.ask("127.0.0.1", secret, Door::loopback) == 200);
}

TEST_CASE("an IPv6 guesser is its /64, and the table stays small") {
  Guesses guesses;
  Guesses::TimePoint now;
  for (int i = 0; i < 6; ++i) guesses.count("[2001:db8::" + std::to_string(i + 1) + "]", now);
  CHECK(guesses.addresses() == 1);
  CHECK(guesses.wait_s("[2001:db8::ffff]", now) == 2);
  CHECK(guesses.wait_s("[2001:db8:0:1::1]", now) == 0);
  for (int i = 0; i < 5000; ++i) {
    now += std::chrono::milliseconds(1);
    guesses.count("10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256), now);
  }
  CHECK(guesses.addresses() == Guesses::addresses_most);
}
