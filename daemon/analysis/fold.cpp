#include "daemon/analysis/fold.h"

#include <algorithm>

#include "daemon/analysis/wording.h"

namespace iobenchd::analysis {

Verdict fold(std::span<const LocatedDoubt> doubts, std::size_t total, std::string_view noun) {
  const LocatedDoubt& worst = *std::max_element(
      doubts.begin(), doubts.end(),
      [](const LocatedDoubt& a, const LocatedDoubt& b) { return a.doubt.weight < b.doubt.weight; });
  const bool everywhere = doubts.size() >= total;
  const bool alike = std::all_of(doubts.begin(), doubts.end(), [&](const LocatedDoubt& other) {
    return other.doubt.seen == worst.doubt.seen;
  });
  if (everywhere && alike) return verdict_of(worst.doubt);
  Doubt folded = worst.doubt;
  if (doubts.size() == 1) {
    folded.seen = "at " + worst.where + ": " + worst.doubt.seen;
    return verdict_of(folded);
  }
  std::string places = std::to_string(doubts.size()) + " of " + plural(total, noun);
  if (everywhere) places = "all " + plural(total, noun);
  if (everywhere && total == 2) places = "both " + std::string(noun) + "s";
  folded.seen =
      "at " + places + (alike ? ": " : ", most at " + worst.where + ": ") + worst.doubt.seen;
  return verdict_of(folded);
}

std::vector<Doubt> worst_of_each(std::span<const Doubt> doubts) {
  std::vector<Doubt> result;
  for (const Doubt& doubt : doubts) {
    const auto same = std::find_if(result.begin(), result.end(),
                                   [&](const Doubt& other) { return other.name == doubt.name; });
    if (same == result.end()) {
      result.push_back(doubt);
    } else if (doubt.weight > same->weight) {
      *same = doubt;
    }
  }
  return result;
}

void sort_by_severity(std::vector<Verdict>& verdicts) {
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const Verdict& a, const Verdict& b) { return a.severity < b.severity; });
}

}  // namespace iobenchd::analysis
