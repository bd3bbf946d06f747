// People's text in HTML and SVG. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace iobenchd::api {

// Fit for element content and for attributes in double quotes: valid UTF-8, no control characters,
// nothing that could be markup.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace iobenchd::api
