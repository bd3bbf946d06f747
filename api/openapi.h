// openapi.json, embedded at build. Immutable data.
#pragma once

#include <string_view>

namespace iobenchd::api {

// Defined by the file that api/embed_text.cmake generates.
[[nodiscard]] std::string_view openapi_json() noexcept;

}  // namespace iobenchd::api
