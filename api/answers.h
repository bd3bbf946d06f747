// How handlers answer: JSON, text, lists in pages and as streams, and "you have it already" (304).
// Pure but for the pages a list fetches; safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "api/parse_query.h"

namespace iobenchd::api {

[[nodiscard]] Response json_answer(int status, const nlohmann::ordered_json& body);
[[nodiscard]] Response text_answer(int status, std::string body);
// Marks what won't change any more with an ETag of its bytes; 304 where the client has them.
[[nodiscard]] Response with_etag(const Request& request, Response response);

enum class Format : std::uint8_t { json, text, csv, ndjson };
// By ?format=, else by the first type in Accept that `offered` has, else JSON.
[[nodiscard]] Format wanted_format(QueryReader& query, const Request& request,
                                   std::initializer_list<Format> offered);

struct JsonPage {
  std::vector<nlohmann::ordered_json> items;
  std::int64_t next_before = 0;  // 0 at the end
};
// A page of the store, item by item.
template <typename Page, typename Render>
[[nodiscard]] JsonPage json_page(const Page& page, Render render) {
  JsonPage shown;
  shown.next_before = page.next_before;
  for (const auto& item : page.items) shown.items.push_back(render(item));
  return shown;
}
using FetchPage = std::function<JsonPage(std::int64_t before, std::uint32_t limit)>;

// limit and cursor of a list.
struct PageWish {
  std::optional<std::uint32_t> limit;
  std::int64_t before = 0;
};
[[nodiscard]] PageWish wanted_page(QueryReader& query);

// JSON: one page with next_cursor and Link. CSV and NDJSON: everything (or `limit` items), page by
// page, in constant memory. `columns`: an item with every column, for the CSV's first line.
[[nodiscard]] Response list_answer(const Request& request, Format format, const PageWish& wish,
                                   const nlohmann::ordered_json& columns, FetchPage fetch);

// One CSV line (RFC 4180): lists are joined with spaces, null is empty.
[[nodiscard]] std::string csv_line(const nlohmann::ordered_json& item);

}  // namespace iobenchd::api
