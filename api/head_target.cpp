#include <algorithm>
#include <utility>

#include "api/head.h"

namespace iobenchd::api {
namespace {

constexpr std::size_t query_most_keys = 64;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// None: a broken escape or a control character behind one.
std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      const int byte = high * 16 + low;
      if (byte < 0x20 || byte == 0x7F) return std::nullopt;
      result += static_cast<char>(byte);
      i += 2;
    }
  }
  return result;
}

bool has_escaped_slash(std::string_view path) {
  return path.find("%2F") != std::string_view::npos || path.find("%2f") != std::string_view::npos;
}

}  // namespace

std::variant<Target, Refusal> parse_target(std::string_view target) {
  Target result;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  std::optional<std::string> text = decoded(path, false);
  if (!text || has_escaped_slash(path)) {
    return Refusal{400, "the path has a broken or forbidden % escape"};
  }
  result.path = *std::move(text);

  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> key = decoded(pair.substr(0, equals), true);
    std::optional<std::string> value =
        decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!key || !value || key->empty()) {
      return Refusal{400, "the query has a broken or forbidden % escape, or a value without key"};
    }
    if (!result.query.emplace(*key, *std::move(value)).second) {
      return Refusal{400, "the query names " + *key + " twice"};
    }
    if (result.query.size() > query_most_keys) {
      return Refusal{400, "the query has more than 64 keys"};
    }
  }
  return result;
}

}  // namespace iobenchd::api
