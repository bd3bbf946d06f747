#include "api/parse_lists.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view rw_need =
    "\"read\", \"write\", \"randread\", \"randwrite\", \"rw\" or \"randrw\", or a list of them,";
constexpr std::string_view numjobs_need =
    "a whole number from 1 to 1024, a list of them, \"1-32\", \"1-32*2\" or \"auto\"";
static_assert(max_numjobs == 1024, "the sentence above names it");

// Calls `take(entry, field)` for the one value or for every entry of the list; false where the
// member is absent or no list of a sane length.
template <typename Take>
bool for_each_entry(FieldReader& fields, std::string_view name, std::string_view need, Take take) {
  const Json* found = fields.find(name);
  if (found == nullptr) return false;
  if (!found->is_array()) {
    take(*found, std::string(name));
    return true;
  }
  if (found->empty() || found->size() > list_entries_most) {
    fields.refuse(name, found->empty() ? "an empty list measures nothing; leave the field out"
                                       : "at most " + std::to_string(list_entries_most) +
                                             " entries are possible: " + std::string(need));
    return false;
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    take((*found)[i], std::string(name) + "[" + std::to_string(i) + "]");
  }
  return true;
}

void sort_distinct(std::vector<std::uint32_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

template <typename Parse>
void read_numbers(FieldReader& fields, std::string_view name, std::string_view need, Parse parse,
                  std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> read;
  const bool present =
      for_each_entry(fields, name, need, [&](const Json& entry, const std::string& field) {
        if (const std::optional<std::uint64_t> number = parse(entry)) {
          read.push_back(static_cast<std::uint32_t>(*number));
        } else {
          fields.refuse(field, entry, need);
        }
      });
  if (!present || read.empty()) return;
  sort_distinct(read);
  values = std::move(read);
}

std::optional<std::uint32_t> parse_count(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value >= 1 && value <= max_numjobs ? std::optional(value) : std::nullopt;
}

// One part between commas.
bool append_range(std::string_view text, std::vector<std::uint32_t>& values) {
  const std::size_t dash = text.find('-');
  const auto first = parse_count(text.substr(0, dash));
  if (!first) return false;
  if (dash == std::string_view::npos) {
    values.push_back(*first);
    return true;
  }
  text.remove_prefix(dash + 1);
  const std::size_t star = text.find('*');
  const auto last = parse_count(text.substr(0, star));
  if (!last || *last < *first) return false;
  std::uint32_t factor = 1;
  if (star != std::string_view::npos) {
    const auto parsed = parse_count(text.substr(star + 1));
    if (!parsed || *parsed < 2) return false;
    factor = *parsed;
  }
  for (std::uint32_t n = *first; n < *last; n = factor == 1 ? n + 1 : n * factor) {
    values.push_back(n);
  }
  values.push_back(*last);
  return true;
}

}  // namespace

void read_rw(FieldReader& fields, std::vector<Rw>& values) {
  std::vector<Rw> read;
  for_each_entry(fields, "rw", rw_need, [&](const Json& entry, const std::string& field) {
    const auto rw =
        entry.is_string() ? parse_rw(entry.get_ref<const std::string&>()) : std::nullopt;
    if (!rw) {
      fields.refuse(field, entry, rw_need);
    } else if (std::find(read.begin(), read.end(), *rw) == read.end()) {
      read.push_back(*rw);
    }
  });
  if (!read.empty()) values = std::move(read);
}

void read_wholes(FieldReader& fields, std::string_view name, const Range& range,
                 std::vector<std::uint32_t>& values) {
  const auto parse = [&](const Json& entry) { return whole_of(entry, range); };
  read_numbers(fields, name, range.need + ", or a list of them,", parse, values);
}

void read_sizes(FieldReader& fields, std::string_view name, const Range& range,
                std::vector<std::uint32_t>& values) {
  const auto parse = [&](const Json& entry) { return size_of(entry, range); };
  read_numbers(fields, name, range.need + " or a list of them,", parse, values);
}

void read_numjobs(FieldReader& fields, bool& automatic, std::vector<std::uint32_t>& values) {
  const Json* found = fields.find("numjobs");
  if (found == nullptr) return;
  if (!found->is_string()) {
    const Range range{1, max_numjobs, ""};
    const auto parse = [&](const Json& entry) { return whole_of(entry, range); };
    std::vector<std::uint32_t> read;
    read_numbers(fields, "numjobs", numjobs_need, parse, read);
    if (read.empty()) return;
    values = std::move(read);
    automatic = false;
    return;
  }
  const auto& text = found->get_ref<const std::string&>();
  if (text == "auto") {
    automatic = true;
    values.clear();
  } else if (auto parsed = parse_numjobs_text(text)) {
    automatic = false;
    values = std::move(*parsed);
  } else {
    fields.refuse("numjobs", *found, numjobs_need);
  }
}

std::optional<std::vector<std::uint32_t>> parse_numjobs_text(std::string_view text) {
  std::vector<std::uint32_t> values;
  while (true) {
    const std::size_t comma = text.find(',');
    if (!append_range(text.substr(0, comma), values)) return std::nullopt;
    if (values.size() > 2 * std::size_t{max_numjobs}) return std::nullopt;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  sort_distinct(values);
  return values;
}

}  // namespace iobenchd::api
