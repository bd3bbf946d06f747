#include "api/answers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "api/strict_json.h"
#include "storage/store.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

struct FormatName {
  Format format;
  std::string_view name;  // in ?format=
  std::string_view type;  // in Accept
};
constexpr std::array<FormatName, 4> formats{{{Format::json, "json", "application/json"},
                                             {Format::text, "text", "text/plain"},
                                             {Format::csv, "csv", "text/csv"},
                                             {Format::ndjson, "ndjson", "application/x-ndjson"}}};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Calls `see` with each element of a comma-separated header until it says true.
template <typename See>
bool any_element(std::string_view list, See see) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (see(trimmed(list.substr(0, comma)))) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

// FNV-1a: tells versions of one page apart; nobody's safety hangs on it.
std::string etag_of(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
  return "\"" + std::string(digits.data(), end) + "\"";
}

std::string encoded(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  static constexpr std::string_view plain = "-._~/:";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (letter || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return out;
}

std::string next_link(const Request& request, const std::string& cursor) {
  std::string url = encoded(request.path) + "?";
  for (const auto& [name, value] : request.query) {
    if (name != "cursor") url += encoded(name) + "=" + encoded(value) + "&";
  }
  return "<" + url + "cursor=" + cursor + ">; rel=\"next\"";
}

Response page_answer(const Request& request, const PageWish& wish, const FetchPage& fetch) {
  JsonPage page = fetch(wish.before, wish.limit.value_or(storage::page_limit_default));
  Json body;
  body["items"] = Json::array();
  for (Json& item : page.items) body["items"].push_back(std::move(item));
  body["next_cursor"] = nullptr;
  const std::string cursor = std::to_string(page.next_before);
  if (page.next_before != 0) body["next_cursor"] = cursor;
  Response response = json_answer(200, body);
  if (page.next_before != 0) response.headers.emplace_back("Link", next_link(request, cursor));
  return response;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  std::string text;
  if (value.is_array()) {
    for (const Json& entry : value) text += (text.empty() ? "" : " ") + csv_cell(entry);
    return text;
  }
  text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_header(const Json& columns) {
  std::string line;
  for (const auto& [name, unused] : columns.items()) line += (line.empty() ? "" : ",") + name;
  return line + "\n";
}

// Where a streamed list stands: page by page until the end, or until `left` items are out.
struct ListStream {
  Format format;
  FetchPage fetch;
  std::int64_t before;
  std::optional<std::uint32_t> left;
  std::string header;

  bool next(std::string& chunk) {
    chunk += std::exchange(header, {});
    const std::uint32_t limit =
        std::min(left.value_or(storage::page_limit_most), storage::page_limit_most);
    const JsonPage page = fetch(before, limit);
    for (const Json& item : page.items) {
      chunk += format == Format::csv ? csv_line(item) : to_text(item);
    }
    if (left) *left -= std::min(*left, static_cast<std::uint32_t>(page.items.size()));
    before = page.next_before;
    return before != 0 && left != 0U;
  }
};

}  // namespace

Response json_answer(int status, const Json& body) {
  Response response;
  response.status = status;
  response.body = to_text(body);
  return response;
}

Response text_answer(int status, std::string body) {
  Response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

Response with_etag(const Request& request, Response response) {
  const std::string etag = etag_of(response.body);
  response.headers.emplace_back("ETag", etag);
  response.headers.emplace_back("Cache-Control", "no-cache");  // keep it, but ask each time
  const bool known = any_element(request.header("if-none-match"), [&](std::string_view element) {
    if (element.starts_with("W/")) element.remove_prefix(2);
    return element == "*" || element == etag;
  });
  if (known) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

Format wanted_format(QueryReader& query, const Request& request,
                     std::initializer_list<Format> offered) {
  const auto is_offered = [&](Format format) {
    return std::find(offered.begin(), offered.end(), format) != offered.end();
  };
  const auto given = query.text("format");
  std::string names;
  for (const FormatName& entry : formats) {
    if (!is_offered(entry.format)) continue;
    if (given == entry.name) return entry.format;
    names += (names.empty() ? "" : " or ") + std::string(entry.name);
  }
  if (given) {
    query.refuse("format", names);
    return Format::json;
  }
  Format chosen = Format::json;
  any_element(request.header("accept"), [&](std::string_view element) {
    const std::string_view type = trimmed(element.substr(0, element.find(';')));
    return std::any_of(formats.begin(), formats.end(), [&](const FormatName& entry) {
      if (entry.type != type || !is_offered(entry.format)) return false;
      chosen = entry.format;
      return true;
    });
  });
  return chosen;
}

PageWish wanted_page(QueryReader& query) {
  constexpr std::uint64_t cursor_most = std::uint64_t{1} << 62;
  PageWish wish;
  if (const auto limit = query.whole("limit", 1, storage::page_limit_most)) {
    wish.limit = static_cast<std::uint32_t>(*limit);
  }
  wish.before = static_cast<std::int64_t>(query.whole("cursor", 1, cursor_most).value_or(0));
  return wish;
}

Response list_answer(const Request& request, Format format, const PageWish& wish,
                     const Json& columns, FetchPage fetch) {
  if (format == Format::json) return page_answer(request, wish, fetch);
  Response response;
  const bool csv = format == Format::csv;
  response.content_type = csv ? "text/csv; charset=utf-8" : "application/x-ndjson";
  ListStream stream{format, std::move(fetch), wish.before, wish.limit,
                    csv ? csv_header(columns) : ""};
  response.stream = [stream = std::move(stream)](std::string& chunk) mutable {
    return stream.next(chunk);
  };
  return response;
}

std::string csv_line(const Json& item) {
  std::string line;
  for (const auto& [name, value] : item.items()) {
    if (&value != &item.front()) line += ',';
    line += csv_cell(value);
  }
  return line + "\n";
}

}  // namespace iobenchd::api
