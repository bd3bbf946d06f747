// The list fields of a sweep: one value or a list of them, sorted and each once. Pure; safe from
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/parse_fields.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

inline constexpr std::size_t list_entries_most = 256;

// rw: in the order given, each once. Wrong entries are named by index: "rw[1]".
void read_rw(FieldReader& fields, std::vector<Rw>& values);
// Numbers, texts, or a list of both. In text commas join, "1-4" is a range, "1-32*2" doubles from
// its beginning; a range of sizes needs its factor: "4k-64k*2".
void read_wholes(FieldReader& fields, std::string_view name, const Range& range,
                 std::vector<std::uint32_t>& values);
void read_sizes(FieldReader& fields, std::string_view name, const Range& range,
                std::vector<std::uint32_t>& values);
// The same, or "auto".
void read_numjobs(FieldReader& fields, bool& automatic, std::vector<std::uint32_t>& values);

// "1-4" is 1 2 3 4; "1-32*2" is 1 2 4 8 16 32, and "1-20*2" ends with 20 as a measured end should;
// commas join. None for anything else, and for numbers outside 1..max_numjobs.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> parse_numjobs_text(std::string_view text);

}  // namespace iobenchd::api
