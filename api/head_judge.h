// From a sound head to a decision, before a byte of the body is read: which route, may it, does
// the body fit? Pure functions; safe from any thread.
#pragma once

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

// An exchange to go on with, or the whole answer (404, 405, 413, 415, whatever refuse_visitor says,
// and what OPTIONS asks for).
[[nodiscard]] std::variant<Exchange, Response> judge(const Head& head, Door door,
                                                     const std::string& peer,
                                                     const HouseRules& rules,
                                                     std::span<const Route> routes);

}  // namespace iobenchd::api
