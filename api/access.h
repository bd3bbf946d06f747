// Who may ask: one decision, in one file, as a table. Pure functions; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "daemon/model/settings.h"

namespace iobenchd::api {

// Where a request came in.
enum class Door : std::uint8_t {
  unix_socket,  // guarded by its permissions
  loopback,     // anybody on this machine, and every page its browsers show
  beyond        // anybody
};

// What the house goes by; swapped as a whole at reload.
struct HouseRules {
  std::vector<std::string> allowed_hosts;  // lower case
  std::string token;                       // empty: none was configured
  bool started_as_root = false;
};

// What is known of a request before its body is read.
struct Visitor {
  Door door = Door::loopback;
  Method method = Method::get;
  std::string_view host, origin, sec_fetch_site, authorization;
  bool changes = false;  // the route's duty, or the method where there is no route
  bool open_to_all = false;
};

// None: may pass. Else the whole answer: 401, 403 or 421, with the cure.
[[nodiscard]] std::optional<Response> refuse_visitor(const Visitor& visitor,
                                                     const HouseRules& rules);

// The body's type against what the route takes; 415 whose text shows the curl call that works.
[[nodiscard]] std::optional<Response> refuse_content_type(const Route& route,
                                                          std::string_view content_type,
                                                          std::string_view host,
                                                          std::string_view path);

// Reads token_file. Throws Error{invalid} naming token_file: unreadable, open to others, too short.
[[nodiscard]] HouseRules read_house_rules(const Settings& settings);

}  // namespace iobenchd::api
