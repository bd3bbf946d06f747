// The one strict reader for everything JSON that comes from outside (requests, imports, the
// configuration): duplicate keys, depth over 32, trailing bytes (a NUL too), invalid UTF-8 and
// numbers that no double holds are errors with line and column. Safe from any thread.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace iobenchd::api {

// Throws Error{invalid} with "line 3, column 7: ..." . `comments`: // comments are allowed (the
// configuration).
// More than `values_most` values are refused: 64 MiB of "[],[],..." would become 1 GiB of memory;
// the largest honest import has a tenth of this.
// `repeating`: names of objects in which a key may come again, a hundred times at most; the last
// one counts.
[[nodiscard]] nlohmann::ordered_json parse_strict(std::string_view text, bool comments = false,
                                                  std::size_t values_most = 4'000'000,
                                                  std::span<const std::string_view> repeating = {});
// dump() that replaces bytes that aren't UTF-8 (disk models!) and ends with a newline.
[[nodiscard]] std::string to_text(const nlohmann::ordered_json& value);

}  // namespace iobenchd::api
