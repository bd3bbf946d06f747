#include "api/access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/head.h"
#include "api/respond.h"
#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

constexpr std::size_t token_least_bytes = 16;
constexpr std::size_t token_most_bytes = 1024;

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

// A page from elsewhere can make a browser call us under a name of its own (DNS rebinding); it
// can't make it send one of these.
bool knows_host(const Visitor& visitor, const HouseRules& rules) {
  const std::string authority = lower(visitor.host);
  const std::string name(host_name(authority));
  if (name.empty()) return false;
  if (name == "localhost" || name == "[::1]" || is_loopback_v4(name)) return true;
  return std::any_of(
      rules.allowed_hosts.begin(), rules.allowed_hosts.end(),
      [&](const std::string& allowed) { return allowed == name || allowed == authority; });
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

bool needs_token(const Visitor& visitor, const HouseRules& rules) {
  switch (visitor.door) {
    case Door::unix_socket:
      return false;
    case Door::loopback:
      return rules.started_as_root && visitor.changes;
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

bool has_token(const Visitor& visitor, const HouseRules& rules) {
  static constexpr std::string_view scheme = "bearer ";
  if (rules.token.empty()) return false;
  if (lower(visitor.authorization.substr(0, scheme.size())) != scheme) return false;
  return is_same(trimmed(visitor.authorization.substr(scheme.size())), rules.token);
}

Response host_refusal(const Visitor& visitor, const HouseRules& /*rules*/) {
  return problem(421, "this daemon isn't known as \"" + std::string(visitor.host) +
                          "\": call it 127.0.0.1 or localhost, or add the name to allowed_hosts "
                          "in its configuration");
}

Response origin_refusal(const Visitor& /*visitor*/, const HouseRules& /*rules*/) {
  return problem(403, "a page from another origin may not change anything here");
}

Response token_refusal(const Visitor& visitor, const HouseRules& rules) {
  const std::string_view cure =
      rules.token.empty()
          ? "no token_file is configured, so only the Unix socket may change things: "
            "curl --unix-socket PATH ..., or set token_file and reload"
          : "send the token of token_file: curl --oauth2-bearer TOKEN ..., or use the Unix socket";
  Response response = problem(401, cure);
  const bool is_wrong = !visitor.authorization.empty();
  response.headers.emplace_back("WWW-Authenticate",
                                is_wrong ? "Bearer realm=\"iobenchd\", error=\"invalid_token\""
                                         : "Bearer realm=\"iobenchd\"");
  return response;
}

// The table: the first row whose condition holds answers.
struct Row {
  bool (*holds)(const Visitor&, const HouseRules&);
  Response (*answer)(const Visitor&, const HouseRules&);
};
constexpr std::array<Row, 3> table{{
    {[](const Visitor& v, const HouseRules& r) { return !knows_host(v, r); }, host_refusal},
    {[](const Visitor& v, const HouseRules&) { return v.changes && is_foreign_page(v); },
     origin_refusal},
    {[](const Visitor& v, const HouseRules& r) { return needs_token(v, r) && !has_token(v, r); },
     token_refusal},
}};

std::string read_token(const std::string& path) {
  const auto fail = [&](const std::string& why) -> Error {
    return {ErrorCode::invalid, "token_file", path + " " + why};
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) throw fail(std::string("can't be read: ") + std::strerror(errno));
  struct stat facts {};
  const bool known = ::fstat(fd, &facts) == 0;
  std::array<char, token_most_bytes + 1> bytes{};
  const ssize_t size = known && S_ISREG(facts.st_mode) ? ::read(fd, bytes.data(), bytes.size()) : 0;
  ::close(fd);
  if (!known || !S_ISREG(facts.st_mode)) throw fail("is not a plain file");
  if ((facts.st_mode & 077U) != 0) {
    throw fail("may be read by others than its owner: chmod 600 it");
  }
  std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  text = trimmed(text.substr(0, text.find_first_of("\r\n")));
  if (text.size() < token_least_bytes || text.size() > token_most_bytes) {
    throw fail("must hold a token of 16 to 1024 bytes in its first line");
  }
  return std::string(text);
}

}  // namespace

std::optional<Response> refuse_visitor(const Visitor& visitor, const HouseRules& rules) {
  for (const Row& row : table) {
    if (row.holds(visitor, rules)) return row.answer(visitor, rules);
  }
  return std::nullopt;
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
  if (!path.empty()) rules.token = read_token(path);
  return rules;
}

}  // namespace iobenchd::api
