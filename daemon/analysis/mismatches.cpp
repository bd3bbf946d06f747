#include "daemon/analysis/mismatches.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "daemon/analysis/wording.h"
#include "daemon/model/quantity.h"

namespace iobenchd::analysis {
namespace {

constexpr std::size_t listed_most = 8;
constexpr double size_tolerance = 0.01;  // sizes are cut to whole blocks
constexpr double runtime_factor = 2;     // what a cache makes of it, a little more time doesn't
constexpr const char* unknown = "unknown";

std::string listed(const std::vector<std::string>& values) {
  if (values.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), listed_most); ++i) {
    if (i > 0) text += ", ";
    text += values[i];
  }
  if (values.size() > listed_most) text += " and more up to " + values.back();
  return text;
}

// The values that the measured points of a sweep have of something, each once, ascending.
template <typename Member>
auto values_of(const ComparedSweep& sweep, Member member) {
  std::set<decltype(member(sweep.result.points.front()))> values;
  for (const Point& point : sweep.result.points) {
    if (!point.failed && point.repeats > 0) values.insert(member(point));
  }
  return values;
}

// A published table says what it measured and no more.
bool settings_known(const ComparedSweep& sweep) {
  return std::any_of(sweep.result.points.begin(), sweep.result.points.end(),
                     [](const Point& point) { return point.has_percentiles; });
}

std::string engine_words(IoEngine engine) {
  return engine == IoEngine::automatic ? unknown : std::string(to_string(engine));
}

std::string yes(bool value) {
  return value ? "yes" : "no";
}

std::string verdict_sentence(const std::string& who, const std::string& name) {
  return "Only " + who + " has the verdict " + name + ": its numbers can't be trusted.";
}

class Finder {
 public:
  Finder(const ComparedSweep& base, const ComparedSweep& with, const SweepComparison& found)
      : base_(base), with_(with), found_(found) {}

  [[nodiscard]] std::vector<Mismatch> result() && {
    compare_axis(
        "rw", [](const Point& p) { return p.setting.rw; },
        [](Rw rw) { return std::string(to_string(rw)); });
    compare_axis(
        "bs", [](const Point& p) { return p.setting.block_bytes; }, block_size);
    const auto number = [](std::uint32_t n) { return std::to_string(n); };
    compare_axis(
        "iodepth", [](const Point& p) { return p.setting.iodepth; }, number);
    compare_axis(
        "numjobs", [](const Point& p) { return p.setting.numjobs; }, number);
    compare_way();
    compare_sizes();
    if (settings_known(base_) && settings_known(with_)) compare_workloads();
    compare_verdicts();
    return std::move(mismatches_);
  }

 private:
  void add(std::string_view field, std::string base, std::string with, std::string sentence) {
    mismatches_.push_back(
        {std::string(field), std::move(base), std::move(with), std::move(sentence)});
  }

  [[nodiscard]] std::string both(std::string_view what, const std::string& base,
                                 const std::string& with) const {
    return base_.name + " has " + std::string(what) + " " + base + ", " + with_.name + " " + with;
  }

  template <typename Member, typename Words>
  void compare_axis(std::string_view field, Member member, Words words) {
    const auto base = values_of(base_, member);
    const auto with = values_of(with_, member);
    if (base == with || base.empty() || with.empty()) return;
    std::vector<std::string> base_words, with_words;
    for (const auto& value : base) base_words.push_back(words(value));
    for (const auto& value : with) with_words.push_back(words(value));
    const bool shared = std::any_of(base.begin(), base.end(),
                                    [&](const auto& value) { return with.contains(value); });
    std::string advice = shared ? "only what both have is compared." : "they share none.";
    if (found_.nearest_along == field) {
      advice = "the nearest are compared.";
      if (field == "bs") advice += " Larger blocks mean fewer IOPS of a disk that is no slower.";
      if (field == "iodepth") advice += " More depth means more IOPS and more latency.";
    }
    add(field, listed(base_words), listed(with_words),
        capitalised(both(field, listed(base_words), listed(with_words))) + ": " + advice);
  }

  // How the points were really measured.
  void compare_way() {
    const auto engines = [](const ComparedSweep& sweep) {
      std::vector<std::string> words;
      for (const IoEngine engine : values_of(sweep, [](const Point& p) { return p.ioengine; }))
        words.push_back(engine_words(engine));
      return listed(words);
    };
    const std::string base_engine = engines(base_), with_engine = engines(with_);
    if (base_engine != with_engine) {
      add("ioengine", base_engine, with_engine,
          capitalised(both("engine", base_engine, with_engine)) +
              ": engines differ in what an I/O costs and in how many they hold in flight.");
    }
    const auto direct = [](const ComparedSweep& sweep) {
      std::vector<std::string> words;
      for (const auto& value : values_of(sweep, [](const Point& p) { return p.direct; }))
        words.push_back(value ? yes(*value) : unknown);
      return listed(words);
    };
    const std::string base_direct = direct(base_), with_direct = direct(with_);
    if (base_direct != with_direct) {
      add("direct", base_direct, with_direct,
          capitalised(both("direct I/O", base_direct, with_direct)) +
              ": without it memory may answer in place of the disk.");
    }
  }

  void compare_sizes() {
    const auto base = static_cast<double>(base_.size_bytes);
    const auto with = static_cast<double>(with_.size_bytes);
    const bool known = base > 0 && with > 0;
    if (known && (with > base * (1 + size_tolerance) || base > with * (1 + size_tolerance))) {
      const std::string base_text = size_text(base_.size_bytes);
      const std::string with_text = size_text(with_.size_bytes);
      add("size", base_text, with_text,
          capitalised(both("a working set of", base_text, with_text)) +
              ": of the smaller one caches hold more, in memory and in the disk.");
    }
    const auto base_ns = static_cast<double>(base_.spec.runtime_ns);
    const auto with_ns = static_cast<double>(with_.spec.runtime_ns);
    if (base_ns <= 0 || with_ns <= 0) return;
    if (with_ns < base_ns * runtime_factor && base_ns < with_ns * runtime_factor) return;
    const std::string base_text = time_text(base_ns / 1e9), with_text = time_text(with_ns / 1e9);
    add("runtime", base_text, with_text,
        capitalised(both("runs of", base_text, with_text)) +
            ": a cache in the disk lasts for short ones.");
  }

  void compare_value(std::string_view field, const std::string& base, const std::string& with) {
    if (base == with) return;
    add(field, base, with, capitalised(both(field, base, with)) + ".");
  }

  void compare_workloads() {
    const Workload& base = base_.spec.workload;
    const Workload& with = with_.spec.workload;
    const auto any = [this](auto of) {
      return std::any_of(found_.points.begin(), found_.points.end(), [&](const PointPair& pair) {
        return of(base_.result.points[pair.base].setting.rw);
      });
    };
    const auto number = [](std::uint64_t n) { return std::to_string(n); };
    compare_value("rate_iops", number(base.rate_iops), number(with.rate_iops));
    if (any(mixed)) compare_value("rwmixread", number(base.rwmixread), number(with.rwmixread));
    if (any(random)) {
      compare_value("random_distribution", to_string(base.random_distribution),
                    to_string(with.random_distribution));
      compare_value("norandommap", yes(base.norandommap == 1), yes(with.norandommap == 1));
    }
    if (any(writes)) {
      compare_value("fsync", number(base.fsync), number(with.fsync));
      compare_value("sync", std::string(to_string(base.sync)), std::string(to_string(with.sync)));
      compare_value("buffer_compress_percentage", number(base.buffer_compress_percentage),
                    number(with.buffer_compress_percentage));
      compare_value("precondition", yes(base_.spec.precondition), yes(with_.spec.precondition));
    }
    compare_value("hipri", yes(base.hipri == 1), yes(with.hipri == 1));
    compare_value("verify", yes(base.verify == 1), yes(with.verify == 1));
  }

  // A number that one side can't be trusted with ("cached").
  void compare_verdicts() {
    const auto names = [](const ComparedSweep& sweep) {
      std::set<std::string> found;
      for (const Verdict& warning : sweep.result.warnings) {
        if (warning.severity == Severity::invalid) found.insert(warning.name);
      }
      return found;
    };
    const std::set<std::string> base = names(base_), with = names(with_);
    std::set<std::string> all = base;
    all.insert(with.begin(), with.end());
    for (const std::string& name : all) {
      if (base.contains(name) == with.contains(name)) continue;
      const std::string& who = base.contains(name) ? base_.name : with_.name;
      add(name, yes(base.contains(name)), yes(with.contains(name)), verdict_sentence(who, name));
    }
  }

  const ComparedSweep& base_;
  const ComparedSweep& with_;
  const SweepComparison& found_;
  std::vector<Mismatch> mismatches_;
};

}  // namespace

std::vector<Mismatch> mismatches(const ComparedSweep& base, const ComparedSweep& with,
                                 const SweepComparison& found) {
  return Finder(base, with, found).result();
}

}  // namespace iobenchd::analysis
