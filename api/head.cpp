#include "api/head.h"

#include <algorithm>
#include <array>
#include <utility>

namespace iobenchd::api {
namespace {

constexpr std::array<std::pair<std::string_view, Method>, 7> methods{
    {{"GET", Method::get},
     {"HEAD", Method::head},
     {"POST", Method::post},
     {"PUT", Method::put},
     {"PATCH", Method::patch},
     {"DELETE", Method::del},
     {"OPTIONS", Method::options}}};

enum class Kind : std::uint8_t {
  single,  // twice is a refusal
  list     // pieces are joined
};

// Every header that somebody here reads. All others are looked at for their form and forgotten:
// Range, Transfer-Encoding's helpers, X-anything, cookies never reach a handler.
constexpr std::array<std::pair<std::string_view, Kind>, 15> known_headers{{
    {"accept", Kind::list},
    {"accept-encoding", Kind::list},
    {"authorization", Kind::single},
    {"connection", Kind::list},
    {"content-encoding", Kind::single},
    {"content-length", Kind::single},
    {"content-type", Kind::single},
    {"expect", Kind::single},
    {"host", Kind::single},
    {"idempotency-key", Kind::single},
    {"if-none-match", Kind::list},
    {"last-event-id", Kind::single},
    {"origin", Kind::single},
    {"sec-fetch-site", Kind::single},
    {"transfer-encoding", Kind::list},
}};

bool is_token(std::string_view text) {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

std::optional<Refusal> read_request_line(std::string_view line, Head& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refusal{400, "the first line must read: METHOD /path HTTP/1.1"};
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method)) return Refusal{400, "the method is not a token"};
  if (target.size() > target_most_bytes) {
    return Refusal{414, "the path and query may be 1024 bytes long at most"};
  }
  if (target.empty() || target.front() != '/') {
    return Refusal{400, "the target must be a path that begins with /"};
  }
  const bool printable = std::all_of(target.begin(), target.end(),
                                     [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
  if (!printable) return Refusal{400, "the target must be printable ASCII without spaces and #"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    const bool http = version.substr(0, 5) == "HTTP/";
    return http ? Refusal{505, "HTTP/1.1 is spoken here"}
                : Refusal{400, "the first line must end in HTTP/1.1"};
  }
  head.http_1_0 = version == "HTTP/1.0";
  head.target = target;
  const auto* const found = std::find_if(methods.begin(), methods.end(),
                                         [&](const auto& row) { return row.first == method; });
  if (found == methods.end()) {
    return Refusal{501, "the method is unknown here (GET HEAD POST PUT PATCH DELETE OPTIONS)"};
  }
  head.method = found->second;
  return std::nullopt;
}

std::optional<Refusal> read_header_line(std::string_view line, Head& head) {
  if (line.front() == ' ' || line.front() == '\t') {
    return Refusal{400, "a header may not be folded over two lines"};
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return Refusal{400, "a header line must read: Name: value"};
  }
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_field_value(value)) return Refusal{400, "the value of " + name + " has control bytes"};
  const auto* const known = std::find_if(known_headers.begin(), known_headers.end(),
                                         [&](const auto& row) { return row.first == name; });
  if (known == known_headers.end()) return std::nullopt;
  const auto [place, is_new] = head.headers.emplace(name, value);
  if (is_new) return std::nullopt;
  if (known->second == Kind::single) return Refusal{400, name + " is there twice"};
  place->second += ", ";
  place->second += value;
  return std::nullopt;
}

std::optional<Refusal> read_framing(Head& head) {
  if (head.headers.count("transfer-encoding") != 0) {
    return Refusal{411, "send a Content-Length: chunked bodies are not taken"};
  }
  if (head.headers.count("content-encoding") != 0 &&
      lower(head.header("content-encoding")) != "identity") {
    return Refusal{415, "send the body as it is: compressed bodies are not taken"};
  }
  if (const auto found = head.headers.find("content-length"); found != head.headers.end()) {
    const std::string& digits = found->second;
    const bool number =
        !digits.empty() && digits.size() <= 15 &&
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!number) return Refusal{400, "Content-Length must be a number, in digits alone"};
    for (const char c : digits) {
      head.content_length = head.content_length * 10 + static_cast<std::uint64_t>(c - '0');
    }
  }
  const bool takes_body =
      head.method == Method::post || head.method == Method::put || head.method == Method::patch;
  if (head.content_length > 0 && !takes_body) {
    return Refusal{400, "a " + std::string(to_string(head.method)) + " takes no body"};
  }
  return std::nullopt;
}

std::optional<Refusal> read_connection(Head& head) {
  if (head.headers.count("host") == 0) return Refusal{400, "there must be one Host header"};
  head.close = head.http_1_0;
  std::string_view rest = head.header("connection");
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (lower(trimmed(rest.substr(0, comma))) == "close") head.close = true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (const auto found = head.headers.find("expect"); found != head.headers.end()) {
    if (lower(found->second) != "100-continue") {
      return Refusal{417, "the only expectation known here is 100-continue"};
    }
    head.expects_continue = !head.http_1_0 && head.content_length > 0;
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::monostate, std::size_t, Refusal> HeadScan::look(std::string_view input) {
  if (seen_ == 0 && !input.empty() && input.front() == '\x16') {
    return Refusal{400, "this port speaks HTTP, not HTTPS: use http://"};
  }
  const std::size_t end = std::min(input.size(), head_most_bytes);
  for (; seen_ < end; ++seen_) {
    if (input[seen_] != '\n') continue;
    if (seen_ == 0 || input[seen_ - 1] != '\r') {
      return Refusal{400, "lines must end in CR LF"};
    }
    const bool is_empty = seen_ - line_start_ == 1;
    if (is_empty && lines_ == 0) return Refusal{400, "the first line is empty"};
    if (is_empty) return seen_ + 1;
    if (++lines_ > head_most_lines) {
      return Refusal{431, "a head may have 64 lines at most"};
    }
    line_start_ = seen_ + 1;
  }
  if (lines_ == 0 && seen_ > target_most_bytes + 64) {
    return Refusal{414, "the path and query may be 1024 bytes long at most"};
  }
  if (input.size() >= head_most_bytes) {
    return Refusal{431, "a head may be 16384 bytes long at most"};
  }
  return std::monostate{};
}

std::variant<Head, Refusal> parse_head(std::string_view text) {
  Head head;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n");
    if (end == std::string_view::npos) return Refusal{400, "lines must end in CR LF"};
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty() && !is_first) break;
    if (line.find('\r') != std::string_view::npos || line.find('\n') != std::string_view::npos) {
      return Refusal{400, "lines must end in CR LF"};
    }
    std::optional<Refusal> refusal =
        is_first ? read_request_line(line, head) : read_header_line(line, head);
    if (refusal) return *std::move(refusal);
    is_first = false;
  }
  if (std::optional<Refusal> refusal = read_framing(head)) return *std::move(refusal);
  if (std::optional<Refusal> refusal = read_connection(head)) return *std::move(refusal);
  return head;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string media_type(std::string_view content_type) {
  return lower(trimmed(content_type.substr(0, content_type.find(';'))));
}

std::string_view to_string(Method method) noexcept {
  for (const auto& [name, value] : methods) {
    if (value == method) return name;
  }
  return "";
}

}  // namespace iobenchd::api
