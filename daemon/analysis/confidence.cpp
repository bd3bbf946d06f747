#include "daemon/analysis/confidence.h"

#include <algorithm>
#include <cmath>

#include "daemon/analysis/noise.h"

namespace iobenchd::analysis {
namespace {

constexpr std::uint64_t seed = 0x10BE9C4D;
constexpr std::size_t most_resamples = 1000;
constexpr std::size_t most_draws = 4'096'000;

Band widened(std::span<const Figure> figures, const Band& around) {
  std::size_t inside = 0;
  Band result = around;
  std::uint32_t below = around.low;
  std::uint32_t above = around.high;
  for (const Figure& figure : figures) {
    if (figure.n < around.low) below = figure.n;
    if (figure.n >= around.low && figure.n <= around.high) ++inside;
    if (figure.n > around.high && above == around.high) above = figure.n;
  }
  if (inside <= 1) result = {below, above};
  return result;
}

double resampled(const Figure& figure, std::span<const double> repeats, Random& random,
                 std::vector<double>& scratch) {
  if (repeats.size() < 2) return figure.x * (1 + assumed_noise * random.normal());
  scratch.clear();
  const auto count = static_cast<std::uint32_t>(repeats.size());
  for (std::uint32_t i = 0; i < count; ++i) scratch.push_back(repeats[random.below(count)]);
  return median(scratch);
}

std::size_t resamples_of(std::size_t figures) {
  return std::clamp<std::size_t>(most_draws / figures, 10, most_resamples);
}

// Relative standard error of a median of so many runs.
double error_of(std::size_t runs, double run_noise) {
  if (runs < 2) return run_noise;
  return run_noise * (runs > 2 ? median_penalty : 1) / std::sqrt(static_cast<double>(runs));
}

std::string basis_of(std::span<const std::vector<double>> repeats, std::size_t points) {
  const auto repeated = static_cast<std::size_t>(
      std::count_if(repeats.begin(), repeats.end(), [](const auto& r) { return r.size() >= 2; }));
  if (repeated == 0) return "assumed 2 % noise";
  if (repeated == points) return "repeats";
  return "repeats, and assumed 2 % noise where there is one run";
}

}  // namespace

std::uint64_t Random::next() noexcept {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return state_ * 0x2545F4914F6CDD1DULL;
}

double Random::uniform() noexcept {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() noexcept {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return sum;
}

std::uint32_t Random::below(std::uint32_t bound) noexcept {
  return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
}

Confidence confidence(std::span<const Figure> figures, std::span<const std::vector<double>> repeats,
                      const Band& around, double noise) {
  Confidence result;
  result.basis = basis_of(repeats, figures.size());
  if (figures.empty()) return result;
  const Band accepted = widened(figures, around);
  const std::size_t resamples = resamples_of(figures.size());
  Random random(seed);
  std::vector<Figure> drawn(figures.begin(), figures.end());
  std::vector<double> scratch;
  std::size_t hits = 0;
  for (std::size_t round = 0; round < resamples; ++round) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const std::span<const double> runs =
          i < repeats.size() ? std::span<const double>(repeats[i]) : std::span<const double>();
      drawn[i].x = resampled(figures[i], runs, random, scratch);
    }
    const Decision decision = decide(drawn, noise);
    if (decision.at != 0 && decision.at >= accepted.low && decision.at <= accepted.high) ++hits;
  }
  result.share = static_cast<double>(hits) / static_cast<double>(resamples);
  return result;
}

LikelyAnswers likely_answers(std::span<const Figure> figures,
                             std::span<const std::vector<double>> repeats, const Band& around,
                             double noise, double run_noise) {
  if (figures.empty()) return {around, 1};
  const std::size_t resamples = resamples_of(figures.size());
  Random random(seed);
  std::vector<Figure> drawn(figures.begin(), figures.end());
  std::vector<std::uint32_t> answers;
  answers.reserve(resamples);
  for (std::size_t round = 0; round < resamples; ++round) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const std::size_t runs = i < repeats.size() ? repeats[i].size() : 1;
      const double off = error_of(runs, run_noise) * random.normal();
      drawn[i].x = figures[i].x * std::max(1 + off, 0.01);  // x stays positive
    }
    const Decision decision = decide(drawn, noise);
    answers.push_back(decision.at != 0 ? decision.at : figures.back().n);
  }
  std::sort(answers.begin(), answers.end());
  const std::size_t tail = resamples / 20;
  const auto inside = std::count_if(answers.begin(), answers.end(), [&around](std::uint32_t n) {
    return n >= around.low && n <= around.high;
  });
  return {
      {std::min(around.low, answers[tail]), std::max(around.high, answers[resamples - 1 - tail])},
      static_cast<double>(inside) / static_cast<double>(resamples)};
}

}  // namespace iobenchd::analysis
