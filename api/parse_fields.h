// The members of one JSON object, read strictly: a number is never cut or wrapped, true is no
// number, and a member nobody asked for is an error. Wrong members are collected, not thrown. One
// owner on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/error.h"

namespace iobenchd::api {

// Bounds of a number, both included. `need` completes "got 3.7, but ... is needed".
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string need;
};
[[nodiscard]] Range whole_range(std::uint64_t least, std::uint64_t most);
[[nodiscard]] Range size_range(std::uint64_t least, std::uint64_t most);
[[nodiscard]] Range time_range(std::uint64_t least_ns, std::uint64_t most_ns);

// "got 3.7, but a whole number from 1 to 16 is needed"
[[nodiscard]] std::string refusal(const nlohmann::ordered_json& value, std::string_view need);

// None where the value is of another kind or out of range.
[[nodiscard]] std::optional<std::uint64_t> whole_of(const nlohmann::ordered_json& value,
                                                    const Range& range);
[[nodiscard]] std::optional<std::uint64_t> size_of(const nlohmann::ordered_json& value,
                                                   const Range& range);
[[nodiscard]] std::optional<std::uint64_t> time_of(const nlohmann::ordered_json& value,
                                                   const Range& range);

// Digits and at most one point, 18 digits at most: 473, 26.41. None for signs, exponents, blanks.
[[nodiscard]] std::optional<double> parse_decimal(std::string_view text);

class FieldReader {
 public:
  // `prefix` stands before every field's name in errors ("latency_limit.").
  FieldReader(const nlohmann::ordered_json& object, std::string prefix,
              std::vector<FieldError>& errors);

  // The member, or null where it is absent. It counts as known from now on.
  [[nodiscard]] const nlohmann::ordered_json* find(std::string_view name);
  void refuse(std::string_view name, const std::string& message);
  void refuse(std::string_view name, const nlohmann::ordered_json& value, std::string_view need);

  // Each leaves `value` as it is where the member is absent or wrong.
  void text(std::string_view name, std::size_t most_bytes, std::string& value);
  void boolean(std::string_view name, bool& value);
  void whole(std::string_view name, const Range& range, std::uint32_t& value);
  void whole(std::string_view name, const Range& range, std::optional<std::uint64_t>& value);
  void size(std::string_view name, const Range& range, std::uint64_t& value);
  void time(std::string_view name, const Range& range, std::uint64_t& value);

  template <typename T, typename Parse>
  void choice(std::string_view name, Parse parse, std::string_view need, T& value) {
    const nlohmann::ordered_json* found = find(name);
    if (found == nullptr) return;
    if (found->is_string()) {
      if (const auto parsed = parse(found->template get_ref<const std::string&>())) {
        value = *parsed;
        return;
      }
    }
    refuse(name, *found, need);
  }

  // Where what is wrong is collected, for readers of members of members.
  [[nodiscard]] std::vector<FieldError>& errors() noexcept { return errors_; }

  void refuse_unknown();  // every member that was never looked for

 private:
  [[nodiscard]] std::string unknown_advice(std::string_view name) const;

  const nlohmann::ordered_json& object_;
  std::string prefix_;
  std::vector<FieldError>& errors_;
  std::vector<std::string_view> known_;
};

// "iodpeth" -> "iodepth": the name that is two typing mistakes away at most; empty when none is.
[[nodiscard]] std::string_view nearest(std::string_view name,
                                       std::span<const std::string_view> names);
// Text from outside, fit for a message: at most 60 bytes, invalid UTF-8 replaced.
[[nodiscard]] std::string shown(const nlohmann::ordered_json& value);
// Valid UTF-8 without control characters other than newline and tab.
[[nodiscard]] bool is_plain_text(std::string_view text) noexcept;
// Throws Error{invalid} with every field and all of them in its text. Does nothing without errors.
void throw_if_wrong(std::vector<FieldError> errors);

}  // namespace iobenchd::api
