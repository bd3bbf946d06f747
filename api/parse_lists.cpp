#include "api/parse_lists.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "daemon/model/quantity.h"

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

// What a number of one field is in text, and whether a range may count by one.
struct Grammar {
  std::optional<std::uint64_t> (*number)(std::string_view);
  Range range;
  bool counts;
};

std::optional<std::uint64_t> count_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_of(std::string_view text, const Grammar& grammar) {
  const auto value = grammar.number(text);
  const Range& range = grammar.range;
  return value && *value >= range.least && *value <= range.most ? value : std::nullopt;
}

Grammar counts(const Range& range) {
  return {count_of, range, true};
}

// Bytes aren't counted one by one, and what fio's bsrange=4k-64k means is another thing.
Grammar sizes(const Range& range) {
  const auto size = [](std::string_view text) { return parse_size_bytes(text); };
  return {size, range, false};
}

// One part between commas.
bool append_range(std::string_view text, const Grammar& grammar,
                  std::vector<std::uint32_t>& values) {
  const std::size_t dash = text.find('-');
  const auto first = number_of(text.substr(0, dash), grammar);
  if (!first) return false;
  if (dash == std::string_view::npos) {
    values.push_back(static_cast<std::uint32_t>(*first));
    return true;
  }
  text.remove_prefix(dash + 1);
  const std::size_t star = text.find('*');
  const auto last = number_of(text.substr(0, star), grammar);
  if (!last || *last < *first) return false;
  std::uint64_t factor = 1;
  if (star != std::string_view::npos) factor = count_of(text.substr(star + 1)).value_or(0);
  const bool possible =
      star == std::string_view::npos ? grammar.counts : factor >= 2 && factor <= max_numjobs;
  if (!possible) return false;
  for (std::uint64_t n = *first; n < *last; n = factor == 1 ? n + 1 : n * factor) {
    values.push_back(static_cast<std::uint32_t>(n));
  }
  values.push_back(static_cast<std::uint32_t>(*last));
  return true;
}

// All parts; false at the first that is none, and for more than anyone would list.
bool append_text(std::string_view text, const Grammar& grammar,
                 std::vector<std::uint32_t>& values) {
  constexpr std::size_t values_most = 2 * std::size_t{max_numjobs};
  const std::size_t before = values.size();
  while (true) {
    const std::size_t comma = text.find(',');
    if (!append_range(text.substr(0, comma), grammar, values)) return false;
    if (values.size() - before > values_most) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool append_entry(const Json& entry, const Grammar& grammar, std::vector<std::uint32_t>& values) {
  if (entry.is_string()) return append_text(entry.get_ref<const std::string&>(), grammar, values);
  const auto number = whole_of(entry, grammar.range);
  if (number) values.push_back(static_cast<std::uint32_t>(*number));
  return number.has_value();
}

// False where the member is absent or nothing of it could be read.
bool read_numbers(FieldReader& fields, std::string_view name, std::string_view need,
                  const Grammar& grammar, std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> read;
  const bool present =
      for_each_entry(fields, name, need, [&](const Json& entry, const std::string& field) {
        if (!append_entry(entry, grammar, read)) fields.refuse(field, entry, need);
      });
  if (!present || read.empty()) return false;
  sort_distinct(read);
  values = std::move(read);
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
  const std::string need = range.need + R"(, a list of them, "1-32" or "1-32*2")";
  read_numbers(fields, name, need, counts(range), values);
}

void read_sizes(FieldReader& fields, std::string_view name, const Range& range,
                std::vector<std::uint32_t>& values) {
  const std::string need = range.need + R"( a list of them or "4k-64k*2")";
  read_numbers(fields, name, need, sizes(range), values);
}

void read_numjobs(FieldReader& fields, bool& automatic, std::vector<std::uint32_t>& values) {
  const Json* found = fields.find("numjobs");
  if (found == nullptr) return;
  if (*found == "auto") {
    automatic = true;
    values.clear();
  } else if (read_numbers(fields, "numjobs", numjobs_need, counts({1, max_numjobs, ""}), values)) {
    automatic = false;
  }
}

std::optional<std::vector<std::uint32_t>> parse_numjobs_text(std::string_view text) {
  std::vector<std::uint32_t> values;
  if (!append_text(text, counts({1, max_numjobs, ""}), values)) return std::nullopt;
  sort_distinct(values);
  return values;
}

}  // namespace iobenchd::api
