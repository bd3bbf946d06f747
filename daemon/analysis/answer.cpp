#include "daemon/analysis/answer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "daemon/analysis/confidence.h"
#include "daemon/analysis/wording.h"

namespace iobenchd::analysis {
namespace {

constexpr std::size_t most_named = 4;  // curves that a sentence can bear
constexpr double little_change = 0.5;

std::string latency_words(double factor) {
  if (factor >= 0.95 && factor < 1.05) return "latency stays the same";
  if (factor < 0.95) return "latency falls by " + percent(1 - factor);
  if (factor < 1.75) return "latency rises by " + percent(factor - 1);
  if (factor < 2.25) return "latency doubles";
  if (factor >= 2.75 && factor < 3.25) return "latency triples";
  const bool whole = factor >= 9.95 || std::abs(factor - std::round(factor)) < 0.05;
  return "latency grows " + decimal(factor, whole ? 0 : 1) + "-fold";
}

std::string throughput_words(double change, double noise, std::string_view axis) {
  const bool many = axis != "bs";  // IOPS rise, bandwidth rises
  const std::string what = throughput(axis);
  // Twice the jobs and a quarter more is little; a curve that noise has bent may give any more.
  const std::string_view little = change < little_change ? "only " : "";
  if (change > noise) {
    return what + (many ? " rise by " : " rises by ") + std::string(little) + percent(change);
  }
  if (change < -noise) return what + (many ? " fall by " : " falls by ") + percent(-change);
  return what + (many ? " don't rise" : " doesn't rise");
}

std::string changes(const Curve& curve, const Beyond& after) {
  std::string work = throughput_words(after.throughput_change, curve.noise, curve.axis);
  if (!after.latency_factor) return work;
  return latency_words(*after.latency_factor) + " and " + work;
}

// "8 jobs × depth 32 = 256 in flight", where jobs hold more than one; else empty.
std::string in_flight(const Curve& curve, bool one_per_job) {
  if (curve.axis != "numjobs" || !curve.sweet_spot || curve.setting.iodepth <= 1) return "";
  const std::uint32_t jobs = curve.sweet_spot->at;
  if (one_per_job) {
    return plural(jobs, "job") + " with one I/O each = " + std::to_string(jobs) + " in flight";
  }
  return plural(jobs, "job") + " × depth " + std::to_string(curve.setting.iodepth) + " = " +
         std::to_string(std::uint64_t{jobs} * curve.setting.iodepth) + " in flight";
}

// A band that reaches to the most measured may be all that can be said, however unsure.
bool is_sure(const SweetSpot& spot) {
  return spot.likely_in_band >= sure_share ||
         (spot.likely_low == spot.low && spot.likely_high == spot.high);
}

// What is told: the band, or where the runs don't bear it, all that they could have said.
Band told(const SweetSpot& spot) {
  return is_sure(spot) ? Band{spot.low, spot.high} : Band{spot.likely_low, spot.likely_high};
}

// Without its noun: "6 to 8".
std::string band_range(const Curve& curve) {
  const Band range = told(*curve.sweet_spot);
  const std::string low = place(curve.axis, range.low);
  const std::string high = place(curve.axis, range.high);
  return low == high ? low : low + " to " + high;
}

// What tells these curves apart: "reads" and "writes" where the direction is enough, else the parts
// of their settings that differ.
std::vector<std::string> labels_of(std::span<const CurveAnswer> curves) {
  const Setting& first = curves.front().curve->setting;
  const auto differ = [&](auto member) {
    return std::any_of(curves.begin(), curves.end(), [&](const CurveAnswer& c) {
      return c.curve->setting.*member != first.*member;
    });
  };
  std::vector<std::string> directions;
  for (const CurveAnswer& c : curves) directions.push_back(direction(c.curve->setting.rw));
  std::vector<std::string> labels;
  for (const CurveAnswer& c : curves) {
    const Setting& setting = c.curve->setting;
    // "reads" is no name where sequential and random reads are both there.
    const bool plain = std::none_of(curves.begin(), curves.end(), [&](const CurveAnswer& other) {
      return other.curve->setting.rw != setting.rw &&
             direction(other.curve->setting.rw) == direction(setting.rw);
    });
    std::string label = plain ? direction(setting.rw) : std::string(to_string(setting.rw));
    if (differ(&Setting::block_bytes)) label += " " + block_size(setting.block_bytes);
    if (differ(&Setting::iodepth)) label += " at depth " + std::to_string(setting.iodepth);
    if (differ(&Setting::numjobs)) label += " with " + plural(setting.numjobs, "job");
    labels.push_back(label);
  }
  return labels;
}

struct Union {
  std::uint32_t low = 0, high = 0;
  bool alike = true;  // all bands are the same
  bool near = true;   // all share an n, or the whole spans no more than a doubling
};

Union united(std::span<const CurveAnswer> curves) {
  const Band first = told(*curves.front().curve->sweet_spot);
  Union result{first.low, first.high};
  std::uint32_t shared_low = first.low;
  std::uint32_t shared_high = first.high;
  for (const CurveAnswer& c : curves) {
    const Band spot = told(*c.curve->sweet_spot);
    result.alike = result.alike && spot.low == first.low && spot.high == first.high;
    result.low = std::min(result.low, spot.low);
    result.high = std::max(result.high, spot.high);
    shared_low = std::max(shared_low, spot.low);
    shared_high = std::min(shared_high, spot.high);
  }
  result.near = shared_low <= shared_high || result.high / 2 <= result.low;
  return result;
}

// Each text under its label; said once where all say the same.
std::string joined(std::span<const std::string> texts, std::span<const std::string> labels,
                   std::string_view between, std::string_view behind_label) {
  const bool same = std::all_of(texts.begin(), texts.end(),
                                [&](const std::string& text) { return text == texts.front(); });
  if (same) return texts.front();
  std::string result;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) result += between;
    result += labels[i] + std::string(behind_label) + texts[i];
  }
  return result;
}

// " The runs of reads differ too much to say it closer; this time it was 12 jobs." Empty where all
// are sure.
std::string unsureness(std::span<const CurveAnswer> curves, std::span<const std::string> labels) {
  std::string names;
  std::size_t unsure = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (is_sure(*curves[i].curve->sweet_spot)) continue;
    names += (unsure++ > 0 ? " and " : "") + labels[i];
  }
  if (unsure == 0) return "";
  const std::string whose = unsure < curves.size() ? " of " + names : "";
  std::string sentence = " The runs" + whose + " differ too much to say it closer";
  if (curves.size() == 1) {
    const Curve& curve = *curves.front().curve;
    sentence +=
        "; this time it was " + amount(curve.axis, curve.sweet_spot->at, curve.sweet_spot->at);
  }
  return sentence + ".";
}

std::string common_advice(std::span<const CurveAnswer> curves,
                          std::span<const std::string> labels) {
  const Union all = united(curves);
  const std::string_view axis = curves.front().curve->axis;
  std::vector<std::string> ranges;
  std::vector<std::string> flights;
  std::vector<std::string> effects;
  std::uint32_t last = 0;
  bool deep = false;
  for (const CurveAnswer& c : curves) {
    ranges.push_back(band_range(*c.curve));
    flights.push_back(in_flight(*c.curve, c.one_per_job));
    effects.push_back(c.after ? changes(*c.curve, *c.after) : "nothing was measured");
    if (c.after) last = std::max(last, c.after->last);
    deep = deep || !flights.back().empty();
  }
  std::string sentence = capitalised(amount(axis, all.low, all.high));
  if (!all.alike || deep) {
    sentence += " (";
    if (!all.alike) sentence += joined(ranges, labels, ", ", " ");
    if (!all.alike && deep) sentence += "; ";
    if (deep) sentence += joined(flights, labels, ", ", ": ");
    sentence += ")";
  }
  sentence += "." + unsureness(curves, labels);
  if (last != 0) {
    // Nothing is beyond a band that reaches to the end; then the end is held against the answer.
    const std::string where =
        last > all.high ? "Beyond, up to " + place(axis, last) : "At " + amount(axis, last, last);
    sentence += " " + where + ", " + joined(effects, labels, "; ", ": ") + ".";
  }
  return sentence;
}

std::string own_sentence(const Curve& curve) {
  return curve.sweet_spot ? curve.sweet_spot->sentence : curve.no_sweet_spot->sentence;
}

// Too many curves to name each: the span, and who wants least and most.
std::string spread_advice(std::span<const CurveAnswer> curves,
                          std::span<const std::string> labels) {
  std::size_t least = 0;
  std::size_t most = 0;
  for (std::size_t i = 1; i < curves.size(); ++i) {
    const Band here = told(*curves[i].curve->sweet_spot);
    if (here.low < told(*curves[least].curve->sweet_spot).low) least = i;
    if (here.high > told(*curves[most].curve->sweet_spot).high) most = i;
  }
  const Union all = united(curves);
  return capitalised(amount(curves.front().curve->axis, all.low, all.high)) +
         ", depending on the workload: fewest for " + labels[least] + " (" +
         band_range(*curves[least].curve) + "), most for " + labels[most] + " (" +
         band_range(*curves[most].curve) + ").";
}

std::string joined_sentences(std::span<const CurveAnswer> curves,
                             std::span<const std::string> labels) {
  std::vector<std::string> own;
  for (const CurveAnswer& c : curves) own.push_back(own_sentence(*c.curve));
  if (std::all_of(own.begin(), own.end(), [&](const auto& s) { return s == own.front(); })) {
    return own.front();
  }
  std::string sentence;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (i > 0) sentence += " ";
    sentence += capitalised(labels[i]) + ": " + lowered(own[i]);
  }
  return sentence;
}

}  // namespace

std::optional<Beyond> beyond(std::span<const Figure> figures, std::uint32_t at) {
  const auto from = std::find_if(figures.begin(), figures.end(),
                                 [at](const Figure& figure) { return figure.n == at; });
  if (from == figures.end() || from->n == figures.back().n) return std::nullopt;
  const Figure& last = figures.back();
  Beyond result{last.n, last.x / from->x - 1, std::nullopt};
  if (from->r > 0 && last.r > 0) result.latency_factor = last.r / from->r;
  return result;
}

std::string sweet_spot_sentence(const Curve& curve, const SweetSpot& spot,
                                const std::optional<Beyond>& after, bool one_per_job) {
  Curve settled = curve;
  settled.sweet_spot = spot;
  const CurveAnswer alone{&settled, after, one_per_job};
  const std::string label;
  return common_advice({&alone, 1}, {&label, 1});
}

Named no_sweet_spot(Outcome outcome, std::string_view axis, std::size_t figures,
                    std::uint32_t largest) {
  if (outcome == Outcome::not_saturated) {
    return {"not_saturated", more(axis) +
                                 (axis == "iodepth" ? " still pays at " : " still pay at ") +
                                 place(axis, largest) + ", the most measured: measure more."};
  }
  const std::string noun = axis == "iodepth" ? "depths"
                           : axis == "bs"    ? "block sizes"
                                             : "numbers of jobs";
  return {"too_few_points", "At least 4 different " + noun + " are needed for an answer, and " +
                                std::to_string(figures) +
                                (figures == 1 ? " was measured" : " were measured") +
                                ": measure more of them."};
}

std::string answer(std::span<const CurveAnswer> curves) {
  if (curves.empty()) return "";
  if (curves.size() == 1) return own_sentence(*curves.front().curve);
  const std::vector<std::string> labels = labels_of(curves);
  std::vector<CurveAnswer> settled;
  std::vector<std::string> settled_labels;
  std::vector<CurveAnswer> open;
  std::vector<std::string> open_labels;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const bool has_spot = curves[i].curve->sweet_spot.has_value();
    (has_spot ? settled : open).push_back(curves[i]);
    (has_spot ? settled_labels : open_labels).push_back(labels[i]);
  }
  const bool few = curves.size() <= most_named;
  if (few && (settled.empty() || !open.empty() || !united(settled).near)) {
    return joined_sentences(curves, labels);
  }
  if (settled.empty()) {
    return "None of " + std::to_string(curves.size()) + " workloads has an answer yet. " +
           capitalised(open_labels.front()) + ": " + lowered(own_sentence(*open.front().curve));
  }
  std::string sentence =
      few ? common_advice(settled, settled_labels) : spread_advice(settled, settled_labels);
  if (!open.empty()) {
    sentence += " No answer yet for " + std::to_string(open.size()) + " of " +
                std::to_string(curves.size()) + " workloads, such as " + open_labels.front() +
                ": " + lowered(own_sentence(*open.front().curve));
  }
  return sentence;
}

}  // namespace iobenchd::analysis
