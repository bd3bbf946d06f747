// The strict reader of a request's head: the bytes up to the empty line, judged before anything
// else sees them. What is ambiguous is refused, never repaired: two parsers that disagree about a
// request are how one is smuggled. Pure functions; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/http.h"

namespace iobenchd::api {

inline constexpr std::size_t head_most_bytes = std::size_t{16} * 1024;
inline constexpr std::size_t head_most_lines = 64;
inline constexpr std::size_t target_most_bytes = 1024;

struct Refusal {
  int status = 400;
  std::string detail;
};

struct Head {
  Method method = Method::get;
  bool http_1_0 = false;
  std::string target;  // origin-form, as sent
  // Lower-case names; only those that somebody here reads. Lists that came in pieces are joined.
  std::map<std::string, std::string> headers;
  std::uint64_t content_length = 0;  // 0 when absent
  bool close = false;                // the client wants the connection closed, or speaks 1.0
  bool expects_continue = false;

  [[nodiscard]] std::string_view header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view{} : std::string_view(found->second);
  }
};

// Looks for the end of a head in what has arrived so far. Keeps its place, so that a head that
// comes byte by byte is looked at once.
class HeadScan {
 public:
  // The head's size with its empty line; none while it is incomplete; a refusal as soon as it is
  // certain that no good head can come of it.
  [[nodiscard]] std::variant<std::monostate, std::size_t, Refusal> look(std::string_view input);
  void restart() { *this = HeadScan{}; }

 private:
  std::size_t seen_ = 0;
  std::size_t line_start_ = 0;
  std::size_t lines_ = 0;
};

// `text`: a whole head, its empty line included.
[[nodiscard]] std::variant<Head, Refusal> parse_head(std::string_view text);

struct Target {
  std::string path;  // decoded
  std::map<std::string, std::string> query;
};

// Decodes an origin-form target. Broken escapes, control characters, an escaped slash and a
// repeated key are 400.
[[nodiscard]] std::variant<Target, Refusal> parse_target(std::string_view target);

// "text/csv; charset=utf-8" -> "text/csv", in lower case.
[[nodiscard]] std::string media_type(std::string_view content_type);
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);  // spaces and tabs at both ends

[[nodiscard]] std::string_view to_string(Method method) noexcept;

}  // namespace iobenchd::api
