// The dashboard's files, from memory: never from a directory. Pure functions; safe from any thread.
#pragma once

#include <string_view>

#include "api/http.h"

namespace iobenchd::api {

// The route that serves an embedded file; null when there is none at this path.
[[nodiscard]] const Route* static_route(std::string_view path) noexcept;

[[nodiscard]] Response get_static_file(const Context& context, const Request& request);

}  // namespace iobenchd::api
