// A doubt about a number: what was seen, in numbers, and what to do about it. Plain values.
#pragma once

#include <string>
#include <string_view>

namespace iobenchd {

enum class Severity { invalid, caution, info };  // invalid: don't use the number
[[nodiscard]] std::string_view to_string(Severity value) noexcept;

struct Verdict {
  std::string name;  // "depth_not_attained"
  Severity severity = Severity::info;
  std::string sentence;

  bool operator==(const Verdict&) const = default;
};

}  // namespace iobenchd
