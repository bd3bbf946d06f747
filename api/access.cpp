#include "api/access.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/head.h"
#include "api/respond.h"
#include "daemon/model/error.h"
#include "daemon/scheduler/plan_target.h"

namespace iobenchd::api {
namespace {

// "[::1]:8464" -> "[::1]", "localhost:8464" -> "localhost". Empty where it is no authority.
std::string_view host_name(std::string_view authority) {
  const bool bracketed = !authority.empty() && authority.front() == '[';
  const std::size_t from = bracketed ? authority.find(']') : 0;
  if (from == std::string_view::npos) return {};
  const std::size_t colon = authority.find(':', from);
  const std::string_view port =
      colon == std::string_view::npos ? std::string_view{} : authority.substr(colon + 1);
  const bool digits =
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || port.size() > 5) return {};
  const std::string_view name = authority.substr(0, colon);
  if (bracketed && name.back() != ']') return {};
  return name;
}

// 127.0.0.0/8 as four plain numbers: "127.1", "0x7f.1" and their like are somebody's trick.
bool is_loopback_v4(std::string_view name) {
  int parts = 0;
  bool first_is_127 = false;
  while (true) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view part = name.substr(0, dot);
    int value = 0;
    for (const char c : part) {
      if (c < '0' || c > '9' || part.size() > 3) return false;
      value = value * 10 + (c - '0');
    }
    if (part.empty() || value > 255 || (part.size() > 1 && part.front() == '0')) return false;
    if (parts == 0) first_is_127 = value == 127;
    ++parts;
    if (dot == name.size()) return parts == 4 && first_is_127;
    name.remove_prefix(dot + 1);
  }
}

bool is_loopback_name(std::string_view host) {
  const std::string authority = lower(host);
  const std::string_view name = host_name(authority);
  return name == "localhost" || name == "[::1]" || is_loopback_v4(name);
}

// A page from elsewhere can make a browser call us under a name of its own (DNS rebinding); it
// can't make it send one of these.
bool knows_host(const Visitor& visitor, const HouseRules& rules) {
  if (is_loopback_name(visitor.host)) return true;
  const std::string authority = lower(visitor.host);
  const std::string name(host_name(authority));
  return !name.empty() && std::any_of(rules.allowed_hosts.begin(), rules.allowed_hosts.end(),
                                      [&](const std::string& allowed) {
                                        return allowed == name || allowed == authority;
                                      });
}

// Browsers send Origin and Sec-Fetch-Site with what a page makes them do; curl sends neither.
bool is_foreign_page(const Visitor& visitor) {
  if (!visitor.sec_fetch_site.empty()) {
    const std::string site = lower(visitor.sec_fetch_site);
    if (site != "same-origin" && site != "none") return true;
  }
  if (visitor.origin.empty()) return false;
  const std::string origin = lower(visitor.origin);
  const std::string host = lower(visitor.host);
  return origin != "http://" + host && origin != "https://" + host;
}

bool changes(const Visitor& visitor) {
  return visitor.duty != Duty::read;
}

// Who calls us by a name of allowed_hosts comes from elsewhere, through a proxy on this machine if
// not by himself: what holds beyond loopback holds for him at every door.
bool needs_token(const Visitor& visitor, const HouseRules& rules) {
  if (!is_loopback_name(visitor.host)) return !visitor.open_to_all;
  switch (visitor.door) {
    case Door::unix_socket:
      return false;
    case Door::loopback:
      return rules.started_as_root && changes(visitor);
    case Door::beyond:
      return !visitor.open_to_all;
  }
  return true;
}

// Looks at every byte whatever the first ones are: time tells the length alone.
bool is_same(std::string_view given, std::string_view wanted) {
  std::size_t difference = given.size() ^ wanted.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto a = static_cast<unsigned char>(given[i]);
    const auto b = static_cast<unsigned char>(wanted.empty() ? '\0' : wanted[i % wanted.size()]);
    difference |= static_cast<std::size_t>(a ^ b);
  }
  return difference == 0;
}

// The token that was shown; null: none of ours. All are compared, so that time doesn't tell which.
const Token* find_token(std::string_view authorization, const std::vector<Token>& tokens) {
  static constexpr std::string_view scheme = "bearer ";
  if (lower(authorization.substr(0, scheme.size())) != scheme) return nullptr;
  const std::string_view given = trimmed(authorization.substr(scheme.size()));
  const Token* found = nullptr;
  for (const Token& token : tokens) {
    if (is_same(given, token.secret)) found = &token;
  }
  return found;
}

// What the table looks at.
struct Case {
  const Visitor& visitor;
  const HouseRules& rules;
  const Token* token;  // null: none was shown, or a wrong one
  bool needs_token;

  [[nodiscard]] bool guesses() const {
    return needs_token && token == nullptr && !visitor.authorization.empty();
  }
};

Denial denial(int status, std::string why) {
  Denial result;
  result.response = problem(status, why);
  result.why = std::move(why);
  return result;
}

Denial host_denial(const Case& at) {
  return denial(421, "this daemon isn't known as \"" + std::string(at.visitor.host) +
                         "\": call it 127.0.0.1 or localhost, or add the name to allowed_hosts "
                         "in its configuration");
}

Denial origin_denial(const Case& /*at*/) {
  return denial(403, "a page from another origin may not change anything here");
}

// From an address of its own not even the right token is looked at before the wait is over. On
// loopback, where every user of this machine and everybody behind a proxy has the same address, a
// right one always passes: otherwise anybody could lock all the others out.
bool must_wait(const Case& at) {
  if (at.visitor.wait_s == 0 || !at.needs_token || at.visitor.authorization.empty()) return false;
  return at.visitor.door == Door::beyond || at.token == nullptr;
}

Denial wait_denial(const Case& at) {
  const std::string wait = std::to_string(at.visitor.wait_s);
  Denial result = denial(
      429,
      "too many wrong tokens came from this address; try again in " + wait + " s" +
          (at.visitor.door == Door::beyond ? "" : ", or use the Unix socket, which needs none"));
  for (auto& [name, value] : result.response.headers) {
    if (name == "Retry-After") value = wait;
  }
  return result;
}

Denial token_denial(const Case& at) {
  Denial result =
      denial(401, at.rules.tokens.empty()
                      ? "no token_file is configured, so that only the Unix socket, called "
                        "localhost, may do this: curl --unix-socket PATH http://localhost/..., or "
                        "set token_file and reload"
                      : "send a token of token_file: curl --oauth2-bearer TOKEN ..., or use the "
                        "Unix socket");
  result.wrong_token = at.guesses() && !at.rules.tokens.empty();
  result.response.headers.emplace_back("WWW-Authenticate",
                                       at.visitor.authorization.empty()
                                           ? "Bearer realm=\"iobenchd\""
                                           : "Bearer realm=\"iobenchd\", error=\"invalid_token\"");
  return result;
}

std::string scope_text(const std::string& token, const Duties& scopes, Duty wanted) {
  return token + " has the scope " + scopes_text(scopes) + ", and this needs " +
         std::string(to_string(wanted)) + "; see token_file in iobenchd.conf(5)";
}

Denial scope_denial(const Case& at) {
  Denial result = denial(403, scope_text(said_of(*at.token), at.token->scopes, at.visitor.duty));
  result.response.headers.emplace_back(
      "WWW-Authenticate", "Bearer realm=\"iobenchd\", error=\"insufficient_scope\", scope=\"" +
                              std::string(to_string(at.visitor.duty)) + "\"");
  return result;
}

// The table: the first row whose condition holds answers.
struct Row {
  bool (*holds)(const Case&);
  Denial (*answer)(const Case&);
};
constexpr std::array<Row, 5> table{{
    {[](const Case& at) { return !knows_host(at.visitor, at.rules); }, host_denial},
    {[](const Case& at) { return changes(at.visitor) && is_foreign_page(at.visitor); },
     origin_denial},
    {must_wait, wait_denial},
    {[](const Case& at) { return at.needs_token && at.token == nullptr; }, token_denial},
    {[](const Case& at) { return at.needs_token && !at.token->scopes.has(at.visitor.duty); },
     scope_denial},
}};

std::string short_name(const Token* token) {
  if (token == nullptr) return {};
  return token->name.empty() ? "line " + std::to_string(token->line) : token->name;
}

}  // namespace

std::string_view to_string(Duty duty) noexcept {
  switch (duty) {
    case Duty::read:
    case Duty::copy:
      return "read";
    case Duty::run:
      return "run";
    case Duty::destroy:
      return "destroy";
  }
  return "destroy";
}

Duty duty_of(Method method, const Route* route) noexcept {
  if (route != nullptr) return route->duty;
  if (method == Method::get || method == Method::head || method == Method::options) {
    return Duty::read;
  }
  return method == Method::del ? Duty::destroy : Duty::run;
}

std::variant<Caller, Denial> judge_visitor(const Visitor& visitor, const HouseRules& rules) {
  const Case at{visitor, rules, find_token(visitor.authorization, rules.tokens),
                needs_token(visitor, rules)};
  for (const Row& row : table) {
    if (!row.holds(at)) continue;
    Denial result = row.answer(at);
    result.token = short_name(at.token);
    return result;
  }
  Caller caller;
  caller.token = short_name(at.token);
  if (at.needs_token) caller.duties = at.token->scopes;
  return caller;
}

void require_destroy(const Caller& caller, const SweepSpec& spec) {
  if (caller.duties.has(Duty::destroy)) return;
  if (spec.target.empty() || !scheduler::writes_any(spec)) return;
  throw Error(ErrorCode::forbidden, scope_text("your token", caller.duties, Duty::destroy) +
                                        ": writing to " + spec.target + " destroys what is on it");
}

std::optional<Response> refuse_content_type(const Route& route, std::string_view content_type,
                                            std::string_view host, std::string_view path) {
  const std::string given = media_type(content_type);
  std::string_view rest = route.content_types;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (!given.empty() && given == trimmed(rest.substr(0, comma))) return std::nullopt;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const std::string url = "http://" + std::string(host) + std::string(path);
  const std::string first(route.content_types.substr(0, route.content_types.find(',')));
  const std::string call = first == "application/json"
                               ? "curl --json '{...}' " + url
                               : "curl -H 'Content-Type: " + first + "' --data-binary @FILE " + url;
  return problem(415,
                 (given.empty() ? "the body has no Content-Type" : given + " isn't taken here") +
                     std::string(" (taken: ") + std::string(route.content_types) +
                     "). This works: " + call);
}

HouseRules read_house_rules(const Settings& settings) {
  HouseRules rules;
  rules.started_as_root = settings.started_as_root != 0;
  for (std::uint32_t i = 0; i < std::min(settings.host_count, max_allowed_hosts); ++i) {
    rules.allowed_hosts.push_back(lower(settings.allowed_hosts[i].data()));
  }
  const std::string path = settings.token_file.data();
  if (!path.empty()) rules.tokens = read_tokens(path);
  return rules;
}

}  // namespace iobenchd::api
