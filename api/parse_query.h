// The part behind the "?", read strictly: a parameter nobody knows is an error that names those
// that are known. Wrong ones are collected, then thrown as one Error{invalid} (400). One owner on
// one thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"

namespace iobenchd::api {

class QueryReader {
 public:
  QueryReader(const Request& request, std::initializer_list<std::string_view> known);

  [[nodiscard]] std::optional<std::string> text(const std::string& name);
  // "?wait", "?wait=true" and "?wait=1" are yes, "false" and "0" no.
  [[nodiscard]] bool flag(const std::string& name);
  [[nodiscard]] std::optional<std::uint64_t> whole(const std::string& name, std::uint64_t least,
                                                   std::uint64_t most);
  [[nodiscard]] std::optional<std::uint32_t> size(const std::string& name);
  // "2026-11-30T09:13:50Z", with fractions or an offset, or "2026-11-30": the start of that day.
  [[nodiscard]] std::optional<std::int64_t> time_ns(const std::string& name);

  template <typename Parse>
  [[nodiscard]] auto choice(const std::string& name, Parse parse, std::string_view need)
      -> decltype(parse(std::string_view{})) {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto parsed = parse(std::string_view(*given));
    if (!parsed) refuse(name, need);
    return parsed;
  }

  void refuse(const std::string& name, std::string_view need);
  // Throws what was collected. Call it before anything is done.
  void finish() const;

 private:
  const Request& request_;
  std::vector<std::string> wrong_;
};

[[nodiscard]] std::optional<std::int64_t> parse_moment_ns(std::string_view text) noexcept;

}  // namespace iobenchd::api
