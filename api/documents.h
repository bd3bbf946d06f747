// A file of JSON documents, one behind the other, as programs append them, with lines of warnings
// before, between and behind them. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace iobenchd::api {

struct Document {
  std::string_view text;   // from its "{" to the "}" that closes it, or to the end without one
  std::size_t line = 1;    // of the file, where it begins
  std::size_t offset = 0;  // the same in bytes
  std::vector<std::string_view> keys;  // its own, as written between their quotes; the first 100

  [[nodiscard]] bool has(std::string_view key) const;
};

// A document begins with a line that begins with "{"; where no line does, with the first "{" there
// is. What stands inside isn't judged: that is the reader's. Throws Error{invalid} where there are
// more than 1000 (64 MiB of "{}" would become 2 GiB of memory).
[[nodiscard]] std::vector<Document> split_documents(std::string_view text);

}  // namespace iobenchd::api
