// One measurement over time: GET /history.
#include "daemon/analysis/history.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "api/answers.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/render_history.h"
#include "api/server.h"

namespace iobenchd::api {

namespace {

constexpr std::int64_t from_the_first = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t size_class_most = 63;
// Series at a time where all are streamed: what is held is theirs.
constexpr std::uint32_t streamed_at_once = 5;

std::optional<std::uint32_t> narrow(std::optional<std::uint64_t> value) {
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::optional<bool> parse_yes_no(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

storage::HistoryFilter wanted_series(QueryReader& query) {
  storage::HistoryFilter filter;
  filter.serial = query.text("serial");
  filter.target = query.text("target");
  filter.host = query.text("host");
  filter.rw = query.choice("rw", parse_rw, "read, write, randread, randwrite, rw or randrw");
  filter.ioengine =
      query.choice("ioengine", parse_ioengine, "io_uring, psync, threads, mmap or null");
  filter.direct = query.choice("direct", parse_yes_no, "true or false");
  filter.block_bytes = query.size("bs");
  filter.iodepth = narrow(query.whole("iodepth", 1, max_iodepth));
  filter.numjobs = narrow(query.whole("numjobs", 1, max_numjobs));
  filter.size_class = narrow(query.whole("size_class", 0, size_class_most));
  filter.since_ns = query.time_ns("since");
  filter.until_ns = query.time_ns("until");
  return filter;
}

// limit counts series, whatever the format.
PageWish wanted_series_page(QueryReader& query) {
  constexpr std::uint64_t cursor_most = std::uint64_t{1} << 62;
  PageWish wish;
  wish.limit = narrow(query.whole("limit", 1, storage::history_page_most));
  wish.before = static_cast<std::int64_t>(query.whole("cursor", 1, cursor_most).value_or(0));
  return wish;
}

FetchPage json_pages(const Context& context, const storage::HistoryFilter& filter) {
  return [context, filter](std::int64_t before, std::uint32_t limit) {
    const auto render = [&](const Series& series) {
      return render_series(series, analysis::history_of(series),
                           filter.since_ns.value_or(from_the_first));
    };
    return json_page(context.store.history().list(filter, before, limit), render);
  };
}

// A line a point; ends after `most` series.
FetchPage line_pages(const Context& context, const storage::HistoryFilter& filter,
                     std::optional<std::uint32_t> most) {
  const auto left = std::make_shared<std::optional<std::uint32_t>>(most);
  return [context, filter, left](std::int64_t before, std::uint32_t /*limit*/) {
    const std::uint32_t wanted = std::min(streamed_at_once, left->value_or(streamed_at_once));
    const auto page = context.store.history().list(filter, before, wanted);
    JsonPage shown;
    shown.next_before = page.next_before;
    for (const Series& series : page.items) {
      for (Json& line : render_series_lines(series, analysis::history_of(series),
                                            filter.since_ns.value_or(from_the_first)))
        shown.items.push_back(std::move(line));
    }
    if (*left) **left -= static_cast<std::uint32_t>(page.items.size());
    if (*left && **left == 0) shown.next_before = 0;
    return shown;
  };
}

Response series_as_text(const Context& context, const storage::HistoryFilter& filter,
                        const PageWish& wish) {
  const auto page = context.store.history().list(filter, wish.before,
                                                 wish.limit.value_or(storage::history_page_most));
  std::string text;
  for (const Series& series : page.items) {
    text +=
        (text.empty() ? "" : "\n") + render_series_text(series, analysis::history_of(series),
                                                        filter.since_ns.value_or(from_the_first));
  }
  if (page.items.empty()) text = "Nothing was measured that fits.\n";
  if (page.next_before != 0)
    text += "\nThere is more: cursor=" + std::to_string(page.next_before) + "\n";
  return text_answer(200, std::move(text));
}

}  // namespace

Response get_history(const Context& context, const Request& request) {
  QueryReader query(request,
                    {"serial", "rw", "bs", "iodepth", "numjobs", "ioengine", "direct", "size_class",
                     "target", "host", "since", "until", "limit", "cursor", "format"});
  const storage::HistoryFilter filter = wanted_series(query);
  PageWish wish = wanted_series_page(query);
  const Format format =
      wanted_format(query, request, {Format::json, Format::text, Format::csv, Format::ndjson});
  query.finish();
  if (format == Format::text) return series_as_text(context, filter, wish);
  if (format == Format::json)
    return list_answer(request, format, wish, {}, json_pages(context, filter));
  const FetchPage fetch = line_pages(context, filter, wish.limit);
  wish.limit.reset();  // counted there: a series has many lines
  return list_answer(request, format, wish, series_columns(), fetch);
}

}  // namespace iobenchd::api
