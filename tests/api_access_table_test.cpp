// Who may ask, as one table over everything a request can be: method x Host x Origin x
// Sec-Fetch-Site x content type x token x door x wait -> answer. The rows below are the contract;
// every combination is asked, and its answer is that of the first row that fits.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/access.h"
#include "api/head_judge.h"

using namespace iobenchd::api;

namespace {

// One letter for each value of an axis; a row names the letters that it is about, "" all of them.
struct Axis {
  const char* letters;
  std::vector<std::string> values;
};

const Axis calls{"ghpdxuo",
                 {"GET /list", "HEAD /list", "POST /list", "DELETE /one", "PUT /list", "GET /open",
                  "OPTIONS /list"}};
const Axis hosts{"lae", {"localhost:8464", "bench.example.org", "evil.example"}};
const Axis origins{"-of", {"", "own", "http://evil.example"}};
const Axis sites{"-x", {"", "cross-site"}};
const Axis types{"-jt", {"", "application/json", "text/plain"}};
const Axis tokens{"-wrna",
                  {"", "Bearer wrong-wrong-wrong-wrong", "Bearer read-read-read-read-",
                   "Bearer runs-runs-runs-runs-", "Bearer alls-alls-alls-alls-"}};
const Axis doors{"ulsb", {"unix", "loopback", "loopback of a service", "beyond"}};
const Axis waits{"-9", {"", "9"}};

constexpr std::size_t axes_count = 8;
const std::array<const Axis*, axes_count> axes{&calls, &hosts,  &origins, &sites,
                                               &types, &tokens, &doors,   &waits};
using Case = std::array<std::size_t, axes_count>;

struct Row {
  std::array<const char*, axes_count> about;
  int answer;
  const char* why;
};

// g GET, h HEAD, o OPTIONS read; p POST runs; d DELETE destroys; x PUT is no route's; u is for all.
const std::vector<Row> table{
    // calls host origin site type token door wait
    {{"", "e", "", "", "", "", "", ""}, 421, "an unknown name: DNS rebinding"},
    {{"pdx", "", "f", "", "", "", "", ""}, 403, "a foreign page changes something"},
    {{"pdx", "", "", "x", "", "", "", ""}, 403, "a foreign page, as the browser says"},
    {{"ghpdxo", "", "", "", "", "wrna", "b", "9"}, 429, "too many guesses from that machine"},
    {{"pdx", "", "", "", "", "w", "s", "9"}, 429, "on loopback a right token passes"},
    {{"ghpdxo", "a", "", "", "", "w", "uls", "9"}, 429, "through a proxy a right one passes, too"},
    {{"ghpdxo", "", "", "", "", "-w", "b", ""}, 401, "beyond loopback all need a token"},
    {{"pdx", "", "", "", "", "-w", "s", ""}, 401, "changes of a service need a token"},
    {{"ghpdxo", "a", "", "", "", "-w", "", ""}, 401, "so does all that comes through a proxy"},
    {{"gho", "", "", "", "", "n", "b", ""}, 403, "a token that may only run"},
    {{"gho", "a", "", "", "", "n", "", ""}, 403, "a token that may only run, through a proxy"},
    {{"px", "", "", "", "", "r", "sb", ""}, 403, "a token that may only read"},
    {{"px", "a", "", "", "", "r", "", ""}, 403, "a token that may only read, through a proxy"},
    {{"d", "", "", "", "", "rn", "sb", ""}, 403, "a token that may not destroy"},
    {{"d", "a", "", "", "", "rn", "", ""}, 403, "a token that may not destroy, through a proxy"},
    {{"o", "", "", "", "", "", "", ""}, 204, "what there is"},
    {{"x", "", "", "", "", "", "", ""}, 405, "no such method here"},
    {{"ghdu", "", "", "", "jt", "", "", ""}, 413, "a call without a body"},
    {{"p", "", "", "", "t", "", "", ""}, 415, "a body of another type"},
    {{"", "", "", "", "", "", "", ""}, 200, "may pass"},
};

const std::vector<Route> routes{
    {.method = Method::get, .pattern = "/list", .handler = nullptr},
    {.method = Method::post,
     .pattern = "/list",
     .handler = nullptr,
     .duty = Duty::run,
     .body_limit_bytes = 1024,
     .content_types = "application/json"},
    {.method = Method::del, .pattern = "/one", .handler = nullptr, .duty = Duty::destroy},
    {.method = Method::get, .pattern = "/open", .handler = nullptr, .open_to_all = true},
};

Duties only(Duty duty) {
  Duties duties;
  duties.add(duty);
  return duties;
}

HouseRules rules_of(bool started_as_root) {
  return {{"bench.example.org"},
          {{"read-read-read-read-", only(Duty::read), "", 1},
           {"runs-runs-runs-runs-", only(Duty::run), "", 2},
           {"alls-alls-alls-alls-", Duties::all(), "", 3}},
          started_as_root};
}

Method method_of(const std::string& name) {
  for (const Method method :
       {Method::get, Method::head, Method::post, Method::put, Method::del, Method::options}) {
    if (to_string(method) == name) return method;
  }
  return Method::patch;
}

const std::string& value(const Case& at, std::size_t axis) {
  return axes[axis]->values[at[axis]];
}

int answer_of(const Case& at) {
  static const HouseRules users = rules_of(false), services = rules_of(true);
  const std::string call = value(at, 0);
  const std::size_t blank = call.find(' ');
  Head head;
  head.method = method_of(call.substr(0, blank));
  head.target = call.substr(blank + 1);
  head.headers["host"] = value(at, 1);
  std::string origin = value(at, 2);
  if (origin == "own") origin = "http://" + value(at, 1);
  if (!origin.empty()) head.headers["origin"] = origin;
  if (!value(at, 3).empty()) head.headers["sec-fetch-site"] = value(at, 3);
  if (!value(at, 4).empty()) {
    head.headers["content-type"] = value(at, 4);
    head.content_length = 2;
  }
  if (!value(at, 5).empty()) head.headers["authorization"] = value(at, 5);
  Guest guest{Door::loopback, "10.0.0.1", value(at, 7).empty() ? 0U : 9U};
  if (value(at, 6) == "unix") guest.door = Door::unix_socket;
  if (value(at, 6) == "beyond") guest.door = Door::beyond;
  const HouseRules& rules = value(at, 6) == "loopback" ? users : services;
  const auto judged = judge(head, guest, rules, routes);
  const auto* denial = std::get_if<Denial>(&judged);
  return denial != nullptr ? denial->response.status : 200;
}

bool fits(const Row& row, const Case& at) {
  for (std::size_t axis = 0; axis < axes_count; ++axis) {
    const std::string wanted = row.about[axis];
    if (!wanted.empty() && wanted.find(axes[axis]->letters[at[axis]]) == std::string::npos) {
      return false;
    }
  }
  return true;
}

std::string words(const Case& at) {
  std::string text;
  for (std::size_t axis = 0; axis < axes_count; ++axis) text += value(at, axis) + " | ";
  return text;
}

// The next combination; false after the last one.
bool advance(Case& at) {
  for (std::size_t axis = 0; axis < axes_count; ++axis) {
    if (++at[axis] < axes[axis]->values.size()) return true;
    at[axis] = 0;
  }
  return false;
}

}  // namespace

TEST_CASE("every combination of method, names, page, type, token and door has the table's answer") {
  std::vector<std::uint32_t> used(table.size());
  std::uint32_t combinations = 0, wrong = 0;
  Case at{};
  do {
    std::size_t row = 0;
    while (!fits(table[row], at)) ++row;
    ++used[row];
    ++combinations;
    const int answer = answer_of(at);
    if (answer == table[row].answer) continue;
    if (++wrong <= 10) {
      FAIL_CHECK(words(at), answer, " instead of ", table[row].answer, ": ", table[row].why);
    }
  } while (advance(at));
  CHECK(wrong == 0);
  CHECK(combinations == 7 * 3 * 3 * 2 * 3 * 5 * 4 * 2);
  for (std::size_t row = 0; row < table.size(); ++row) {
    CHECK_MESSAGE(used[row] > 0, table[row].why);
  }
}
