// From a sound head to a decision, before a byte of the body is read: which route, may it, does
// the body fit? Pure functions; safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/access.h"
#include "api/connection.h"
#include "api/head.h"
#include "api/http.h"

namespace iobenchd::api {

struct Match {
  const Route* route = nullptr;         // null: the path is unknown, or not with this method
  std::vector<std::string> parameters;  // what the {} matched
  std::string allow;                    // the methods the path knows; empty: it knows none
};

// The first row that matches. HEAD is GET's.
[[nodiscard]] Match find_route(std::span<const Route> routes, Method method, std::string_view path);

// Who stands at which door.
struct Guest {
  Door door = Door::loopback;
  std::string peer;
  std::uint32_t wait_s = 0;  // as in Visitor
};

// An exchange to go on with, or the whole answer (404, 405, 413, 415, whatever judge_visitor says,
// and what OPTIONS asks for).
[[nodiscard]] std::variant<Exchange, Denial> judge(const Head& head, const Guest& guest,
                                                   const HouseRules& rules,
                                                   std::span<const Route> routes);

}  // namespace iobenchd::api
