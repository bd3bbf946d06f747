// The doors of the house: what comes by HTTP before a handler sees it.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "api/access.h"
#include "api/answers.h"
#include "api/head.h"
#include "api/head_judge.h"
#include "api/http.h"
#include "api/parse_query.h"
#include "api/token_file.h"
#include "daemon/model/error.h"
#include "tests/fuzz/targets.h"

namespace iobenchd::fuzz {
namespace {

using api::Head;
using api::HeadScan;
using api::Refusal;
using Look = std::variant<std::monostate, std::size_t, Refusal>;

// Pieces as a network brings them: their lengths are made from the input, so that a finding
// repeats.
Look look_in_pieces(std::string_view input) {
  HeadScan scan;
  std::size_t end = 0;
  Look found;
  while (end < input.size() && std::holds_alternative<std::monostate>(found)) {
    end = std::min(input.size(), end + 1 + static_cast<unsigned char>(input[end]) % 7);
    found = scan.look(input.substr(0, end));
  }
  return found;
}

// Lines of the input, one after the other; "" when there are no more.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  std::string_view next() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return line;
  }

 private:
  std::string_view text_;
};

bool is_error_status(int status) {
  return status >= 400 && status < 600;
}

}  // namespace

void front(std::string_view input) {
  HeadScan whole;
  const Look at_once = whole.look(input);
  const Look in_pieces = look_in_pieces(input);
  const auto* size = std::get_if<std::size_t>(&at_once);
  const auto* piecewise = std::get_if<std::size_t>(&in_pieces);
  promise((size != nullptr) == (piecewise != nullptr) || std::holds_alternative<Refusal>(in_pieces),
          "a head is the same in pieces");
  if (size == nullptr) return;
  promise(*size <= input.size() && *size <= api::head_most_bytes, "a head lies in what has come");
  const auto parsed = api::parse_head(input.substr(0, *size));
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
    promise(is_error_status(refusal->status), "a refusal has a status of its own");
    return;
  }
  const auto& head = std::get<Head>(parsed);
  promise(!head.target.empty() && head.target.front() == '/', "a target is a path");
  promise(head.target.size() <= api::target_most_bytes, "a target is short");
  for (const auto& [name, value] : head.headers) {
    promise(value.find_first_of("\r\n") == std::string::npos, "no line break in a value");
  }
  api::HouseRules rules;
  const api::Guest guest{api::Door::beyond, "192.0.2.1", 0};
  const auto judged = api::judge(head, guest, rules, api::routes());
  if (const auto* exchange = std::get_if<api::Exchange>(&judged)) {
    promise(exchange->route != nullptr, "what is let through has a route");
    promise(exchange->route->open_to_all, "without a token only /healthz is open to all");
    promise(exchange->length <= exchange->route->body_limit_bytes, "a body keeps its limit");
  }
}

void query(std::string_view input) {
  const auto parsed = api::parse_target("/api/v1/runs?" + std::string(input));
  const auto* target = std::get_if<api::Target>(&parsed);
  if (target == nullptr) return;
  api::Request request;
  request.path = target->path;
  request.query = target->query;
  try {
    api::QueryReader reader(request, {"limit", "cursor", "since", "bs", "wait"});
    const api::PageWish wish = api::wanted_page(reader);
    (void)reader.time_ns("since");
    (void)reader.size("bs");
    (void)reader.flag("wait");
    reader.finish();
    promise(wish.before >= 0, "a cursor is no negative number");
    promise(!wish.limit || (*wish.limit >= 1 && *wish.limit <= 500), "a page is 500 items at most");
  } catch (const Error& error) {
    promise(error.code() == ErrorCode::invalid, "a wrong query is invalid, nothing else");
  }
}

void access(std::string_view input) {
  Lines lines(input);
  api::Visitor visitor;
  visitor.host = lines.next();
  visitor.origin = lines.next();
  visitor.sec_fetch_site = lines.next();
  visitor.authorization = lines.next();
  const bool changes = !input.empty() && (static_cast<unsigned char>(input.back()) & 1U) != 0;
  visitor.duty = changes ? api::Duty::destroy : api::Duty::read;
  api::Duties reads;
  reads.add(api::Duty::read);
  api::HouseRules rules;
  rules.allowed_hosts = {"disks.example.org"};
  rules.tokens = {{"correct horse battery staple", api::Duties::all(), "all", 1},
                  {"wrong horse battery staple", reads, "reads", 2}};
  for (const api::Door door : {api::Door::unix_socket, api::Door::loopback, api::Door::beyond}) {
    visitor.door = door;
    const auto judged = api::judge_visitor(visitor, rules);
    if (const auto* denial = std::get_if<api::Denial>(&judged)) {
      promise(is_error_status(denial->response.status), "a refusal has a status of its own");
      continue;
    }
    const api::Caller& caller = std::get<api::Caller>(judged);
    promise(caller.duties.has(visitor.duty), "who passes may do it");
    promise(door != api::Door::beyond || !caller.token.empty(), "beyond loopback only by a token");
    promise(door != api::Door::beyond || !changes || caller.token == "all",
            "a token that reads destroys nothing");
  }
  try {
    for (const api::Token& token : api::parse_tokens(input, "token_file")) {
      promise(token.secret.size() >= api::token_least_bytes, "a token is long");
    }
  } catch (const Error& error) {
    promise(error.code() == ErrorCode::invalid, "a wrong token_file is invalid, nothing else");
    promise(std::string_view(error.what()).find("horse") == std::string_view::npos,
            "an error tells no secret");
  }
}

}  // namespace iobenchd::fuzz
