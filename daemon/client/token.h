// `iobench token`: makes a token for token_file. One thread.
#pragma once

#include <string>
#include <vector>

#include "api/token_file.h"

namespace iobenchd::client {

struct TokenOptions {
  api::Token token;  // all but its secret
  std::string file;  // to append to; empty: the line is printed
};

// `arguments` begins with the command's name ("token"). Throws Error{invalid}.
[[nodiscard]] TokenOptions parse_token_options(const std::vector<std::string>& arguments);

// 64 hexadecimal digits from the system's random bytes. Throws Error{internal} where it has none.
[[nodiscard]] std::string random_secret();

// Adds the token's line to a file, which is made (0600) where it doesn't exist; in place, so that
// the file keeps its owner. Throws Error{invalid} where a line in it is wrong, the name is there
// already, or others may read it; then nothing has changed.
void append_token(const api::Token& token, const std::string& file);

// Prints, and returns the exit status.
int make_token(TokenOptions options);

}  // namespace iobenchd::client
