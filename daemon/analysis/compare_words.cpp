#include "daemon/analysis/compare_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "daemon/analysis/curves.h"
#include "daemon/analysis/wording.h"
#include "daemon/model/quantity.h"

namespace iobenchd::analysis {
namespace {

constexpr std::size_t sentences_most = 8;  // of one kind
// Between them people say "12 % more", beyond "4.0 ×".
constexpr double times_from = 1.5;
constexpr double times_below = 2.0 / 3;

struct Sides {
  const ComparedSweep& base;
  const ComparedSweep& with;
  const SweepComparison& found;

  [[nodiscard]] const Point& base_point(const PointPair& pair) const {
    return base.result.points[pair.base];
  }
};

// Pairs that differ along one axis alone.
using Line = std::vector<const PointPair*>;

bool is_equal(const Comparison& comparison) {
  return comparison.change == Change::same || std::abs(comparison.ratio - 1) < change_threshold;
}

// "4.0", "12", "0.25": as many digits as a person would keep.
std::string times(double ratio) {
  if (ratio >= 9.95) return count(ratio) + " ×";
  if (ratio >= 0.995) return decimal(ratio, 1) + " ×";
  return decimal(ratio, ratio < 0.1 ? 3 : 2) + " ×";
}

// Of one run on each side nothing is sure, and the summary ends with that. Where there are repeats
// an undecided ratio is noise, and no number to be quoted.
bool settled(const Comparison& comparison) {
  return !comparison.ci95 || comparison.change != Change::undecided;
}

bool is_factor(double ratio) {
  return ratio >= times_from || ratio <= times_below;
}

std::string more_or_fewer(double ratio) {
  return percent(std::abs(ratio - 1)) + (ratio > 1 ? " more" : " fewer");
}

// "4.0 ×", "12 % more", "equal".
std::string short_words(const Comparison& comparison) {
  if (is_equal(comparison)) return "equal";
  return is_factor(comparison.ratio) ? times(comparison.ratio) : more_or_fewer(comparison.ratio);
}

// The same with both names, as a clause.
std::string long_words(const Sides& sides, const Comparison& comparison) {
  const std::string& with = sides.with.name;
  const std::string& base = sides.base.name;
  if (is_equal(comparison)) return with + " and " + base + " are equal";
  if (is_factor(comparison.ratio))
    return with + " does " + times(comparison.ratio) + " the IOPS of " + base;
  return with + " does " + more_or_fewer(comparison.ratio) + " IOPS than " + base;
}

// "at 4 KiB", "at depth 4", "with 8 jobs".
std::string place_words(std::string_view axis, const Setting& setting) {
  if (axis == "bs") return "at " + size_text(setting.block_bytes);
  if (axis == "iodepth") return "at depth " + std::to_string(setting.iodepth);
  return "with " + plural(setting.numjobs, "job");
}

// "Random reads of 4 KiB at depth 32": everything but the axis.
std::string setting_words(std::string_view axis, const Setting& setting) {
  std::string text = workload_words(setting.rw);
  if (axis != "bs") text += " of " + size_text(setting.block_bytes);
  if (axis != "iodepth" && setting.iodepth > 1) text += " " + place_words("iodepth", setting);
  if (axis != "numjobs") text += " " + place_words("numjobs", setting);
  return text;
}

// What varies where nothing else does: jobs where they do, else depth, else block size.
std::string_view main_axis(const Sides& sides) {
  for (const std::string_view axis : {"numjobs", "iodepth", "bs"}) {
    std::set<Setting> rest;
    for (const PointPair& pair : sides.found.points) {
      if (!rest.insert(without_axis(sides.base_point(pair).setting, axis)).second) return axis;
    }
  }
  return "numjobs";
}

// The pairs with the smallest and the largest ratio, in the line's order; one where they would say
// the same.
Line extremes(const Line& line) {
  const auto by_ratio = [](const PointPair* a, const PointPair* b) {
    return a->iops->comparison.ratio < b->iops->comparison.ratio;
  };
  const auto [low, high] = std::minmax_element(line.begin(), line.end(), by_ratio);
  if (short_words((*low)->iops->comparison) == short_words((*high)->iops->comparison))
    return {*low};
  return low < high ? Line{*low, *high} : Line{*high, *low};
}

std::string line_sentence(const Sides& sides, std::string_view axis, const Line& line) {
  const auto setting_of = [&](const PointPair* pair) { return sides.base_point(*pair).setting; };
  std::string text = setting_words(axis, setting_of(line.front())) + ": ";
  Line sure = line;
  std::erase_if(sure, [](const PointPair* pair) { return !settled(pair->iops->comparison); });
  if (sure.empty()) {
    return text + "the repeats vary too much to tell " + sides.with.name + " from " +
           sides.base.name + ".";
  }
  const Line told = extremes(sure);
  text += long_words(sides, told.front()->iops->comparison);
  if (told.size() == 1 && line.size() > 1 && sure.size() == line.size()) {
    return text + " throughout (" +
           amount(axis, along(setting_of(line.front()), axis),
                  along(setting_of(line.back()), axis)) +
           ").";
  }
  text += " " + place_words(axis, setting_of(told.front()));
  if (told.size() > 1) {
    text += ", " + short_words(told.back()->iops->comparison) + " " +
            place_words(axis, setting_of(told.back()));
  }
  return text + ".";
}

// How much the line has changed at its worst: what is said first where there is too much to say.
double greatest_change(const Line& line) {
  double most = 0;
  for (const PointPair* pair : line)
    most = std::max(most, std::abs(std::log(pair->iops->comparison.ratio)));
  return most;
}

void add_lines(const Sides& sides, std::vector<std::string>& sentences) {
  const std::string_view axis = main_axis(sides);
  std::map<Setting, Line> by_rest;
  for (const PointPair& pair : sides.found.points) {
    if (pair.iops) by_rest[without_axis(sides.base_point(pair).setting, axis)].push_back(&pair);
  }
  std::vector<const Line*> lines;
  lines.reserve(by_rest.size());
  for (const auto& [rest, line] : by_rest) lines.push_back(&line);
  const std::size_t all = lines.size();
  if (all > sentences_most) {
    std::stable_sort(lines.begin(), lines.end(), [](const Line* a, const Line* b) {
      return greatest_change(*a) > greatest_change(*b);
    });
    lines.resize(sentences_most);
  }
  for (const Line* line : lines) sentences.push_back(line_sentence(sides, axis, *line));
  if (all > lines.size()) {
    const std::size_t rest = all - lines.size();
    sentences.push_back(plural(rest, "more workload") + (rest == 1 ? " differs" : " differ") +
                        " by less.");
  }
}

// "Of 7 points 5 are likely better, 2 undecided."
std::string count_sentence(const SweepComparison& found) {
  static constexpr std::array order{Change::better,    Change::likely_better, Change::same,
                                    Change::undecided, Change::likely_worse,  Change::worse};
  static constexpr std::array<std::string_view, 6> words{"better",    "likely better", "the same",
                                                         "undecided", "likely worse",  "worse"};
  std::string text;
  const std::size_t all = found.points.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto times_seen = static_cast<std::uint64_t>(
        std::count_if(found.points.begin(), found.points.end(), [&](const PointPair& pair) {
          return pair.iops && pair.iops->comparison.change == order[i];
        }));
    if (times_seen == 0) continue;
    if (times_seen == all)
      return "By IOPS, all " + plural(all, "point") + " are " + std::string(words[i]) + ".";
    if (!text.empty()) text += ", ";
    const std::string_view verb = times_seen == 1 ? " is " : " are ";
    text +=
        count_text(times_seen) + (text.empty() ? std::string(verb) : " ") + std::string(words[i]);
  }
  return "By IOPS, of " + plural(all, "point") + " " + text + ".";
}

// The 99th percentile where it has changed most.
std::string latency_sentence(const Sides& sides) {
  const PointPair* most = nullptr;
  bool all_settled = true;
  const auto size = [](const PointPair& pair) {
    return std::abs(std::log(pair.latency_p99_ns->comparison.ratio));
  };
  for (const PointPair& pair : sides.found.points) {
    if (!pair.latency_p99_ns || !settled(pair.latency_p99_ns->comparison)) {
      all_settled = false;
      continue;
    }
    if (most == nullptr || size(pair) > size(*most)) most = &pair;
  }
  if (most == nullptr) return "";
  const FigurePair& p99 = *most->latency_p99_ns;
  if (std::abs(p99.comparison.ratio - 1) < likely_threshold)
    return all_settled ? "The p99 of latency is within 10 % at every point." : "";
  const std::string where =
      sides.found.points.size() > 1
          ? " differs most at " + setting_label(sides.base_point(*most).setting)
          : " differs";
  return "The p99 of latency" + where + ": " + latency_text(p99.with) + " against " +
         latency_text(p99.base) + " (" + sides.base.name + ").";
}

std::string spot_words(const Curve& curve) {
  if (!curve.sweet_spot) {
    std::string reason = curve.no_sweet_spot->name;  // "too_few_points"
    std::replace(reason.begin(), reason.end(), '_', ' ');
    return "none (" + reason + ")";
  }
  return amount(curve.axis, curve.sweet_spot->at, curve.sweet_spot->at);
}

// "Sweet spot of random reads of 4 KiB: 8 jobs for sweep 2, 6 jobs for sweep 1."
std::string spot_sentence(const Sides& sides, const Curve& base, const Curve& with) {
  const std::string one = spot_words(base), other = spot_words(with);
  const std::string what =
      "Sweet spot of " + lowered(setting_words(base.axis, base.setting)) + ": ";
  if (one == other) return what + one + " for both.";
  return what + other + " for " + sides.with.name + ", " + one + " for " + sides.base.name + ".";
}

void add_spots(const Sides& sides, std::vector<std::string>& sentences) {
  std::size_t said = 0;
  for (const CurvePair& pair : sides.found.curves) {
    const Curve& base = sides.base.result.curves[pair.base];
    const Curve& with = sides.with.result.curves[pair.with];
    if ((!base.sweet_spot && !with.sweet_spot) || ++said > sentences_most) continue;
    sentences.push_back(spot_sentence(sides, base, with));
  }
}

std::string measured_words(const ComparedSweep& sweep) {
  std::set<std::string> seen;
  for (const Point& point : sweep.result.points) {
    if (point.failed || point.repeats == 0) continue;
    seen.insert(std::string(to_string(point.setting.rw)) + " " +
                block_size(point.setting.block_bytes));
  }
  std::string text;
  std::size_t told = 0;
  for (const std::string& words : seen) {
    if (++told > sentences_most) return text + " and more";
    text += (text.empty() ? "" : ", ") + words;
  }
  return text.empty() ? "nothing yet" : text;
}

std::string nothing_sentence(const Sides& sides) {
  return "There is no setting that both measured, so no point can be compared: " + sides.base.name +
         " has " + measured_words(sides.base) + "; " + sides.with.name + " has " +
         measured_words(sides.with) + ".";
}

// "depth 32 (sweep 1) and depth 4"
std::string beside_words(const Sides& sides, std::uint32_t base, std::uint32_t with) {
  const std::string_view axis = sides.found.nearest_along;
  return amount(axis, base, base) + " (" + sides.base.name + ") and " + amount(axis, with, with);
}

// Which values stand side by side where none is the same.
std::string nearest_sentence(const Sides& sides) {
  const std::string_view axis = sides.found.nearest_along;
  std::set<std::pair<std::uint32_t, std::uint32_t>> values;
  for (const PointPair& pair : sides.found.points) {
    values.emplace(along(sides.base_point(pair).setting, axis),
                   along(sides.with.result.points[pair.with].setting, axis));
  }
  std::string text;
  std::size_t told = 0;
  for (const auto& [base, with] : values) {
    if (++told > sentences_most) break;
    text += text.empty() ? " " : ", ";
    text += beside_words(sides, base, with);
  }
  return "No setting is in both, so the nearest stand side by side:" + text +
         (values.size() > sentences_most ? " and more." : ".");
}

}  // namespace

std::string workload_words(Rw rw) {
  switch (rw) {
    case Rw::read:
      return "Sequential reads";
    case Rw::write:
      return "Sequential writes";
    case Rw::randread:
      return "Random reads";
    case Rw::randwrite:
      return "Random writes";
    case Rw::rw:
      return "Sequential reads and writes";
    case Rw::randrw:
      return "Random reads and writes";
  }
  return "";
}

std::vector<std::string> comparison_summary(const ComparedSweep& base, const ComparedSweep& with,
                                            const SweepComparison& found) {
  const Sides sides{base, with, found};
  std::vector<std::string> sentences;
  if (found.points.empty()) {
    sentences.push_back(nothing_sentence(sides));
    add_spots(sides, sentences);
    return sentences;
  }
  if (!found.nearest_along.empty()) sentences.push_back(nearest_sentence(sides));
  add_lines(sides, sentences);
  if (found.points.size() > 1) sentences.push_back(count_sentence(found));
  const std::string latency = latency_sentence(sides);
  if (!latency.empty()) sentences.push_back(latency);
  add_spots(sides, sentences);
  const bool once = std::none_of(
      found.points.begin(), found.points.end(),
      [](const PointPair& pair) { return pair.iops && pair.iops->comparison.ci95.has_value(); });
  if (once) {
    sentences.push_back(
        "No point was measured twice on both sides: what differs by 10 % or less is undecided.");
  }
  return sentences;
}

}  // namespace iobenchd::analysis
