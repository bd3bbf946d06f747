#include "api/head_judge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/respond.h"
#include "api/static_files.h"

namespace iobenchd::api {
namespace {

// What handlers may see of a request's headers.
constexpr std::array<const char*, 7> shown_headers{
    "accept",          "accept-encoding", "content-type", "host",
    "idempotency-key", "if-none-match",   "last-event-id"};

std::string_view take_segment(std::string_view& path) {
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& found) {
  found.clear();
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view given = take_segment(path);
    const bool is_hole = !wanted.empty() && wanted.front() == '{';
    if (is_hole && given.empty()) return false;
    if (!is_hole && wanted != given) return false;
    if (is_hole) found.emplace_back(given);
  }
  return pattern.empty() && path.empty();
}

void append_method(std::string& allow, std::string_view method) {
  if (allow.find(method) != std::string::npos) return;
  if (!allow.empty()) allow += ", ";
  allow += method;
}

Response with_allow(Response response, const std::string& allow) {
  response.headers.emplace_back("Allow", allow);
  return response;
}

std::optional<Response> refuse_route(const Head& head, const Match& match,
                                     const std::string& path) {
  if (match.allow.empty()) {
    return problem(404, "nothing is at " + path + "; GET /api/v1/openapi.json lists what there is");
  }
  if (head.method == Method::options) {
    Response response;
    response.status = 204;
    return with_allow(std::move(response), match.allow);
  }
  if (match.route != nullptr) return std::nullopt;
  return with_allow(problem(405, path + " knows " + match.allow), match.allow);
}

std::optional<Response> refuse_body(const Head& head, const Route& route, std::string_view path) {
  if (head.content_length == 0) return std::nullopt;
  if (route.body_limit_bytes == 0) {
    return problem(413, "this call takes no body");
  }
  if (head.content_length > route.body_limit_bytes) {
    return problem(
        413, "the body may have " + std::to_string(route.body_limit_bytes) + " bytes at most");
  }
  return refuse_content_type(route, head.header("content-type"), head.header("host"), path);
}

std::string escaped(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain) {
      result += c;
    } else {
      result += {'%', digits[byte >> 4U], digits[byte & 0xFU]};
    }
  }
  return result;
}

Denial plain(Response response) {
  Denial result;
  result.response = std::move(response);
  return result;
}

Exchange admit(const Head& head, const Guest& guest, Caller caller, Match match, Target target) {
  Exchange exchange;
  exchange.route = match.route;
  exchange.length = head.content_length;
  exchange.close = head.close;
  exchange.http_1_0 = head.http_1_0;
  exchange.wants_nudge = head.expects_continue;
  exchange.request.method = head.method;
  exchange.request.path = std::move(target.path);
  exchange.request.parameters = std::move(match.parameters);
  exchange.request.over_unix_socket = guest.door == Door::unix_socket;
  exchange.request.peer = guest.peer;
  exchange.request.caller = std::move(caller);
  for (const char* name : shown_headers) {
    if (const auto found = head.headers.find(name); found != head.headers.end()) {
      exchange.request.headers.insert(*found);
    }
  }
  for (const auto& [key, value] : target.query) {
    if (!exchange.query.empty()) exchange.query += '&';
    exchange.query += escaped(key) + "=" + escaped(value);
  }
  return exchange;
}

}  // namespace

Match find_route(std::span<const Route> routes, Method method, std::string_view path) {
  Match match;
  std::vector<std::string> found;
  const Method wanted = method == Method::head ? Method::get : method;
  for (const Route& route : routes) {
    if (!matches(route.pattern, path, found)) continue;
    append_method(match.allow, to_string(route.method));
    if (route.method == Method::get) append_method(match.allow, "HEAD");
    if (match.route == nullptr && route.method == wanted) {
      match.route = &route;
      match.parameters = std::move(found);
    }
  }
  if (!match.allow.empty()) append_method(match.allow, "OPTIONS");
  return match;
}

std::variant<Exchange, Denial> judge(const Head& head, const Guest& guest, const HouseRules& rules,
                                     std::span<const Route> routes) {
  std::variant<Target, Refusal> parsed = parse_target(head.target);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
    return plain(problem(refusal->status, refusal->detail));
  }
  Target target = std::get<Target>(std::move(parsed));
  Match match = find_route(routes, head.method, target.path);
  const bool reads = head.method == Method::get || head.method == Method::head;
  if (const Route* file = match.allow.empty() ? static_route(target.path) : nullptr) {
    match.allow = "GET, HEAD, OPTIONS";
    if (reads) match.route = file;
  }

  Visitor visitor;
  visitor.door = guest.door;
  visitor.host = head.header("host");
  visitor.origin = head.header("origin");
  visitor.sec_fetch_site = head.header("sec-fetch-site");
  visitor.authorization = head.header("authorization");
  visitor.duty = duty_of(head.method, match.route);
  visitor.open_to_all = match.route != nullptr && match.route->open_to_all;
  visitor.wait_s = guest.wait_s;
  std::variant<Caller, Denial> judged = judge_visitor(visitor, rules);
  if (auto* denial = std::get_if<Denial>(&judged)) return std::move(*denial);
  if (std::optional<Response> refusal = refuse_route(head, match, target.path)) {
    return plain(*std::move(refusal));
  }
  if (std::optional<Response> refusal = refuse_body(head, *match.route, target.path)) {
    return plain(*std::move(refusal));
  }
  return admit(head, guest, std::get<Caller>(std::move(judged)), std::move(match),
               std::move(target));
}

}  // namespace iobenchd::api
