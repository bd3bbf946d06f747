// Who may ask: one decision, in one file, as a table. Pure functions; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/http.h"
#include "api/token_file.h"
#include "daemon/model/settings.h"
#include "daemon/model/sweep.h"

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
  std::vector<Token> tokens;               // empty: none was configured
  bool started_as_root = false;
};

// What is known of a request before its body is read.
struct Visitor {
  Door door = Door::loopback;
  std::string_view host, origin, sec_fetch_site, authorization;
  Duty duty = Duty::read;
  bool open_to_all = false;
  std::uint32_t wait_s = 0;  // for too many wrong tokens (api/guesses)
};

// What a call does: the route's duty, or the method's where there is no route.
[[nodiscard]] Duty duty_of(Method method, const Route* route) noexcept;

// The whole answer to somebody who may not, and why in one sentence.
struct Denial {
  Response response;
  std::string why;
  std::string token;         // whose, as in Caller
  bool wrong_token = false;  // a guess, which counts against its sender
};

// A caller: may pass. Else 401, 403, 421 or 429, with the cure.
[[nodiscard]] std::variant<Caller, Denial> judge_visitor(const Visitor& visitor,
                                                         const HouseRules& rules);

// Of a sweep that would overwrite a device, which only its body tells. Throws Error{forbidden}.
void require_destroy(const Caller& caller, const SweepSpec& spec);

// The body's type against what the route takes; 415 whose text shows the curl call that works.
[[nodiscard]] std::optional<Response> refuse_content_type(const Route& route,
                                                          std::string_view content_type,
                                                          std::string_view host,
                                                          std::string_view path);

// Reads token_file. Throws Error{invalid} naming it and every line that is wrong.
[[nodiscard]] HouseRules read_house_rules(const Settings& settings);

}  // namespace iobenchd::api
