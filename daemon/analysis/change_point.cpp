#include "daemon/analysis/change_point.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "daemon/analysis/comparison.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/wording.h"

namespace iobenchd::analysis {
namespace {

// The median of everything seen so far: the smaller half, and the larger.
class RunningMedian {
 public:
  void add(double value) {
    low_.push(value);
    high_.push(low_.top());
    low_.pop();
    if (high_.size() > low_.size()) {
      low_.push(high_.top());
      high_.pop();
    }
  }
  [[nodiscard]] double value() const {
    return low_.size() > high_.size() ? low_.top() : (low_.top() + high_.top()) / 2;
  }

 private:
  std::priority_queue<double> low_;
  std::priority_queue<double, std::vector<double>, std::greater<>> high_;
};

// Mean and deviation of a growing sample (B. P. Welford, Technometrics 4, 1962).
struct RunningSpread {
  double n = 0, mean = 0, squares = 0;
  void add(double value) {
    n += 1;
    const double off = value - mean;
    mean += off / n;
    squares += off * (value - mean);
  }
  // Deviation squared over the sample's size.
  [[nodiscard]] double share() const {
    const double least = least_log_stddev * least_log_stddev;
    return std::max(squares / (n - 1), least) / n;
  }
};

// Of the first or the last values of a segment, one more each time.
struct Part {
  double mean = 0, share = 0, n = 0, median = 0;
};

class Series {
 public:
  explicit Series(std::vector<double> values) : values_(std::move(values)) {
    logs_.reserve(values_.size());
    for (const double value : values_) logs_.push_back(std::log(value));
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::span<const double> values(std::size_t begin, std::size_t end) const {
    return std::span(values_).subspan(begin, end - begin);
  }

  // Parts [begin, i) for i = begin .. end, or [i, end): index i - begin.
  [[nodiscard]] std::vector<Part> parts(std::size_t begin, std::size_t end, bool from_left) const {
    const std::size_t n = end - begin;
    std::vector<Part> parts(n + 1);
    RunningSpread spread;
    RunningMedian median;
    for (std::size_t count = 1; count <= n; ++count) {
      const std::size_t i = from_left ? begin + count - 1 : end - count;
      spread.add(logs_[i]);
      median.add(values_[i]);
      Part& part = parts[from_left ? count : n - count];
      part = {spread.mean, count > 1 ? spread.share() : 0, spread.n, median.value()};
    }
    return parts;
  }

 private:
  std::vector<double> values_, logs_;
};

bool apart(double before, double after) {
  return std::abs(after / before - 1) > change_threshold;
}

std::size_t splits_of(std::size_t values) {
  return values < 2 * least_segment ? 0 : values - 2 * least_segment + 1;
}

// Student's t as the normal deviate that is as rare (D. L. Wallace, "Bounds on normal
// approximations to Student's and the chi-square distributions", Annals of Mathematical Statistics
// 30, 1959). Ranks splits as their p does, costs a logarithm, and doesn't end at 0 as p does.
double as_normal(double t, double degrees) {
  return (8 * degrees + 1) / (8 * degrees + 3) * std::sqrt(degrees * std::log1p(t * t / degrees));
}

double rarity(const Part& left, const Part& right) {
  const double variance = left.share + right.share;
  const double degrees =
      variance * variance /
      (left.share * left.share / (left.n - 1) + right.share * right.share / (right.n - 1));
  return as_normal((right.mean - left.mean) / std::sqrt(variance), degrees);
}

struct Split {
  std::size_t begin = 0, at = 0, end = 0;
  double rarity = 0;
};

// p between two neighbouring stretches, for all the splits their union offered.
double corrected_p(const Series& series, const Split& split) {
  const auto welch = welch_log(series.values(split.begin, split.at),
                               series.values(split.at, split.end), least_log_stddev);
  const auto tried = static_cast<double>(splits_of(split.end - split.begin));
  return welch ? std::min(1.0, welch->p * tried) : 1.0;
}

std::optional<Split> best_split(const Series& series, std::size_t begin, std::size_t end) {
  if (splits_of(end - begin) == 0) return std::nullopt;
  const std::vector<Part> left = series.parts(begin, end, true);
  const std::vector<Part> right = series.parts(begin, end, false);
  Split best{begin, begin, end, 0};
  for (std::size_t at = begin + least_segment; at + least_segment <= end; ++at) {
    const Part& before = left[at - begin];
    const Part& after = right[at - begin];
    if (!apart(before.median, after.median)) continue;
    const double found = rarity(before, after);
    if (found <= best.rarity) continue;
    best.at = at;
    best.rarity = found;
  }
  if (best.at == begin || corrected_p(series, best) > significance) return std::nullopt;
  return best;
}

// The clearest first, so that a limit on their number leaves out the faintest.
std::vector<std::size_t> cuts_of(const Series& series) {
  const auto fainter = [](const Split& a, const Split& b) {
    return a.rarity != b.rarity ? a.rarity < b.rarity : a.at > b.at;
  };
  std::priority_queue<Split, std::vector<Split>, decltype(fainter)> waiting(fainter);
  const auto consider = [&](std::size_t begin, std::size_t end) {
    if (const auto split = best_split(series, begin, end)) waiting.push(*split);
  };
  std::vector<std::size_t> cuts;
  consider(0, series.size());
  while (!waiting.empty() && cuts.size() < most_change_points) {
    const Split split = waiting.top();
    waiting.pop();
    cuts.push_back(split.at);
    consider(split.begin, split.at);
    consider(split.at, split.end);
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

Split split_at(const Series& series, const std::vector<std::size_t>& cuts, std::size_t i) {
  return {i == 0 ? 0 : cuts[i - 1], cuts[i], i + 1 < cuts.size() ? cuts[i + 1] : series.size(), 0};
}

ChangePoint described(const Series& series, const Split& split) {
  ChangePoint point;
  point.at = split.at;
  point.before = median(series.values(split.begin, split.at));
  point.after = median(series.values(split.at, split.end));
  point.values_before = split.at - split.begin;
  point.values_after = split.end - split.at;
  point.ratio = point.after / point.before;
  point.p = corrected_p(series, split);
  return point;
}

// A cut was found while its sides held what was cut later: it must hold between the stretches that
// are left. The faintest that doesn't goes, then its neighbours are looked at again.
std::vector<ChangePoint> confirmed(const Series& series, std::vector<std::size_t> cuts) {
  while (true) {
    std::vector<ChangePoint> points;
    for (std::size_t i = 0; i < cuts.size(); ++i)
      points.push_back(described(series, split_at(series, cuts, i)));
    const ChangePoint* worst = nullptr;
    for (const ChangePoint& point : points) {
      if (point.p <= significance && apart(point.before, point.after)) continue;
      if (worst == nullptr || point.p > worst->p) worst = &point;
    }
    if (worst == nullptr) return points;
    cuts.erase(std::find(cuts.begin(), cuts.end(), worst->at));
  }
}

std::string why_unusable(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return "infinite";
  return value == 0 ? "zero" : "negative";
}

}  // namespace

ChangePoints change_points(std::span<const double> values) {
  ChangePoints result;
  std::vector<double> usable;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0 && std::isfinite(values[i])) {
      usable.push_back(values[i]);
      places.push_back(i);
    } else {
      result.left_out.push_back({i, why_unusable(values[i])});
    }
  }
  if (usable.size() < least_series) {
    result.none =
        Named{"too_few_points", "Changes are looked for from " + std::to_string(least_series) +
                                    " values on; there " + (usable.size() == 1 ? "is " : "are ") +
                                    std::to_string(usable.size()) + "."};
    return result;
  }
  const Series series(std::move(usable));
  result.found = confirmed(series, cuts_of(series));
  for (ChangePoint& point : result.found) point.at = places[point.at];
  if (result.found.empty()) {
    result.none =
        Named{"no_change", "No two stretches of at least " + std::to_string(least_segment) +
                               " values differ by more than " + percent(change_threshold) +
                               " beyond their spread."};
  }
  return result;
}

}  // namespace iobenchd::analysis
