// Many doubts of one name into one sentence: where, how many, the worst. Pure; safe from any
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "daemon/analysis/verdicts.h"

namespace iobenchd::analysis {

struct LocatedDoubt {
  std::string where;  // "randread 4k, 8 jobs"
  Doubt doubt;
};

// Expects at least one, all of one name, at most one for each of the `total` places. `noun` names
// such a place: "point", "curve".
[[nodiscard]] Verdict fold(std::span<const LocatedDoubt> doubts, std::size_t total,
                           std::string_view noun);

// Of doubts with one name the worst; in the order in which the names first came.
[[nodiscard]] std::vector<Doubt> worst_of_each(std::span<const Doubt> doubts);

// Most serious first, otherwise as they came.
void sort_by_severity(std::vector<Verdict>& verdicts);

}  // namespace iobenchd::analysis
