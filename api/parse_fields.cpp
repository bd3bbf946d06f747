#include "api/parse_fields.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "daemon/model/quantity.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t shown_bytes_most = 60;
constexpr double nanoseconds = 1e9;
constexpr double exact_double_most = 9007199254740992.0;  // 2^53: beyond, doubles skip integers

std::optional<std::uint64_t> within(std::optional<std::uint64_t> value, const Range& range) {
  return value && *value >= range.least && *value <= range.most ? value : std::nullopt;
}

// 4.0 and 1e3 are whole numbers, as JSON Schema has it; 3.7 is none and is never cut.
std::optional<std::uint64_t> whole_number(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return number < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(number));
  }
  if (!value.is_number_float()) return std::nullopt;
  const auto number = value.get<double>();
  if (!(number >= 0) || number > exact_double_most || std::floor(number) != number) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

// Cut between characters, never inside one.
std::string cut(const std::string& text) {
  if (text.size() <= shown_bytes_most) return text;
  std::size_t end = shown_bytes_most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

}  // namespace

Range whole_range(std::uint64_t least, std::uint64_t most) {
  return {least, most,
          "a whole number from " + std::to_string(least) + " to " + std::to_string(most)};
}

Range size_range(std::uint64_t least, std::uint64_t most) {
  return {least, most,
          "bytes or a size such as \"4k\" or \"64g\", from " + size_text(least) + " to " +
              size_text(most) + ","};
}

Range time_range(std::uint64_t least_ns, std::uint64_t most_ns) {
  const auto seconds = [](std::uint64_t ns) {
    return time_text(static_cast<double>(ns) / nanoseconds);
  };
  return {least_ns, most_ns,
          "seconds or a time such as \"30s\" or \"500us\", from " + seconds(least_ns) + " to " +
              seconds(most_ns) + ","};
}

std::string shown(const Json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return cut(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string refusal(const Json& value, std::string_view need) {
  return "got " + shown(value) + ", but " + std::string(need) + " is needed";
}

std::optional<std::uint64_t> whole_of(const Json& value, const Range& range) {
  return within(whole_number(value), range);
}

std::optional<std::uint64_t> size_of(const Json& value, const Range& range) {
  if (value.is_string()) {
    return within(parse_size_bytes(value.get_ref<const std::string&>()), range);
  }
  return within(whole_number(value), range);
}

std::optional<std::uint64_t> time_of(const Json& value, const Range& range) {
  if (value.is_string()) return within(parse_time_ns(value.get_ref<const std::string&>()), range);
  if (!value.is_number()) return std::nullopt;
  const double ns = value.get<double>() * nanoseconds;
  // The bounds first: llround of what no 64 bits hold is undefined.
  if (!(ns >= 0) || ns > static_cast<double>(range.most) * 1.001) return std::nullopt;
  return within(static_cast<std::uint64_t>(std::llround(ns)), range);
}

// std::from_chars for doubles is missing in OpenBSD's libc++, and strtod reads the locale: digits
// and one point are all that a table needs.
std::optional<double> parse_decimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto digits = [](std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::string_view whole = text.substr(0, point);
  const std::string_view rest = point < text.size() ? text.substr(point + 1) : "";
  if (whole.empty() || whole.size() + rest.size() > 18 || !digits(whole) || !digits(rest)) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : std::string(whole) + std::string(rest)) value = value * 10 + (c - '0');
  return static_cast<double>(value) / std::pow(10.0, static_cast<double>(rest.size()));
}

FieldReader::FieldReader(const Json& object, std::string prefix, std::vector<FieldError>& errors)
    : object_(object), prefix_(std::move(prefix)), errors_(errors) {}

const Json* FieldReader::find(std::string_view name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void FieldReader::refuse(std::string_view name, const std::string& message) {
  errors_.push_back({prefix_ + std::string(name), message});
}

void FieldReader::refuse(std::string_view name, const Json& value, std::string_view need) {
  refuse(name, refusal(value, need));
}

void FieldReader::text(std::string_view name, std::size_t most_bytes, std::string& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (found->is_string()) {
    const auto& text = found->get_ref<const std::string&>();
    if (text.size() <= most_bytes && is_plain_text(text)) {
      value = text;
      return;
    }
  }
  refuse(name, *found,
         "text of at most " + std::to_string(most_bytes) + " bytes without control characters");
}

void FieldReader::boolean(std::string_view name, bool& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (found->is_boolean()) {
    value = found->get<bool>();
  } else {
    refuse(name, *found, "true or false, without quotes,");
  }
}

void FieldReader::whole(std::string_view name, const Range& range, std::uint32_t& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (const auto number = whole_of(*found, range)) {
    value = static_cast<std::uint32_t>(*number);
  } else {
    refuse(name, *found, range.need);
  }
}

void FieldReader::whole(std::string_view name, const Range& range,
                        std::optional<std::uint64_t>& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (found->is_null()) {
    value.reset();
  } else if (const auto number = whole_of(*found, range)) {
    value = number;
  } else {
    refuse(name, *found, range.need);
  }
}

void FieldReader::size(std::string_view name, const Range& range, std::uint64_t& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (const auto bytes = size_of(*found, range)) {
    value = *bytes;
  } else {
    refuse(name, *found, range.need);
  }
}

void FieldReader::time(std::string_view name, const Range& range, std::uint64_t& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (const auto ns = time_of(*found, range)) {
    value = *ns;
  } else {
    refuse(name, *found, range.need);
  }
}

void FieldReader::refuse_unknown() {
  // A megabyte of invented names must not come back as thirty megabytes of advice.
  constexpr std::size_t named_most = 20;
  std::size_t named = 0;
  for (const auto& [name, unused] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    if (++named > named_most) {
      refuse("",
             "more unknown fields; only the first " + std::to_string(named_most) + " are named");
      return;
    }
    refuse(cut(name), unknown_advice(name));
  }
}

std::string FieldReader::unknown_advice(std::string_view name) const {
  const std::string_view meant = nearest(name, known_);
  if (!meant.empty()) return "unknown field; did you mean \"" + std::string(meant) + "\"?";
  std::string all;
  for (const std::string_view known : known_) all += (all.empty() ? "" : ", ") + std::string(known);
  return "unknown field; known are " + all;
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> names) {
  constexpr std::size_t mistakes_most = 2, longest = 64;
  std::string_view best;
  std::size_t least = mistakes_most + 1;
  if (name.size() > longest) return best;
  for (const std::string_view candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    // Two mistakes in a word of three letters are another word.
    if (distance < least && distance * 2 < candidate.size()) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

bool is_plain_text(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  });
}

void throw_if_wrong(std::vector<FieldError> errors) {
  if (errors.empty()) return;
  std::string all;
  for (const FieldError& error : errors) {
    all += (all.empty() ? "" : "; ") + error.field + ": " + error.message;
  }
  throw Error(all, std::move(errors));
}

}  // namespace iobenchd::api
