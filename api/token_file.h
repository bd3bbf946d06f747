// token_file: who holds which token, and what for. A line each:
//
//   TOKEN [scope=read,run,destroy] [name=WORD]
//
// Without scope= a token may do everything, so that a file with nothing but a token is one. Empty
// lines and what follows a "#" at the start of a word are comments. Pure but for read_tokens; safe
// from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"

namespace iobenchd::api {

inline constexpr std::size_t token_least_bytes = 16;
inline constexpr std::size_t token_most_bytes = 1024;

struct Token {
  std::string secret;
  Duties scopes = Duties::all();
  std::string name;      // empty: it has none
  std::size_t line = 0;  // of its file
};

// "token \"grafana\"", "the token of line 3": how answers and logs speak of it.
[[nodiscard]] std::string said_of(const Token& token);

// "read,run"; none: a word that is no scope, or no word at all.
[[nodiscard]] std::optional<Duties> parse_scopes(std::string_view list);
[[nodiscard]] std::string scopes_text(const Duties& scopes);
[[nodiscard]] bool is_token_name(std::string_view name);

// Throws Error{invalid} naming token_file with every wrong line and its number. Never says what
// stands there: the lines are secrets.
[[nodiscard]] std::vector<Token> parse_tokens(std::string_view text, const std::string& path);
// The same of a file. Throws Error{invalid} as well where it can't be read, is no plain file or
// may be read by others than its owner.
[[nodiscard]] std::vector<Token> read_tokens(const std::string& path);
// The line that parse_tokens reads back, without its end.
[[nodiscard]] std::string token_line(const Token& token);

}  // namespace iobenchd::api
