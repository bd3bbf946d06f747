#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "daemon/analysis/confidence.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/opinions.h"
#include "daemon/analysis/sweet_spot.h"
#include "tests/published.h"

using namespace iobenchd;
using namespace iobenchd::analysis;

namespace {

constexpr double noise = assumed_noise;

Decision decided(std::vector<std::uint32_t> n, std::vector<double> x) {
  return decide(clean(published::rates(n, x)), noise);
}

std::uint32_t at(const std::optional<Opinion>& opinion) {
  return opinion.value().at;
}

const std::vector<std::uint32_t> doublings{1, 2, 4, 8, 16, 32, 64, 128};

}  // namespace

TEST_CASE("published reads: 8 jobs, and 6 to 8 are worth nearly the same") {
  const std::vector<Figure> reads = published::figures(published::randread);
  CHECK(decide(reads, noise) == Decision{Outcome::balance, 8});
  CHECK(band(reads, 8) == Band{6, 8});
}

TEST_CASE("published writes: 8 jobs and no others") {
  const std::vector<Figure> writes = published::figures(published::randwrite);
  CHECK(decide(writes, noise) == Decision{Outcome::balance, 8});
  CHECK(band(writes, 8) == Band{8, 8});
}

TEST_CASE("the balance X^3/n of the published points is what the article's advice rests on") {
  const auto relative = [](const published::Row& row, const published::Row& best) {
    return std::pow(row.iops / best.iops, 3) * best.numjobs / row.numjobs;
  };
  CHECK(relative(published::randread[2], published::randread[3]) ==
        doctest::Approx(.878).epsilon(.001));
  CHECK(relative(published::randread[4], published::randread[3]) ==
        doctest::Approx(.444).epsilon(.001));
  CHECK(relative(published::randwrite[2], published::randwrite[3]) ==
        doctest::Approx(.568).epsilon(.001));
  CHECK(relative(published::randwrite[4], published::randwrite[3]) ==
        doctest::Approx(.648).epsilon(.001));
}

TEST_CASE("the 2017 mail: 10 threads, whether 20 and 40 bring nothing or a fifth more") {
  CHECK(decided({1, 10, 20, 40}, {45, 196, 198, 198}) == Decision{Outcome::balance, 10});
  CHECK(decided({1, 10, 20, 40}, {132, 480, 496, 578}) == Decision{Outcome::balance, 10});
}

TEST_CASE("a curve that still pays at its end has no sweet spot") {
  CHECK(decided({1, 2, 4, 8}, {100, 190, 340, 560}) == Decision{Outcome::not_saturated, 0});
  std::vector<double> linear;
  std::vector<double> root;
  for (const std::uint32_t n : doublings) {
    linear.push_back(n);
    root.push_back(std::sqrt(n));
  }
  CHECK(decided(doublings, linear) == Decision{Outcome::not_saturated, 0});
  CHECK(decided(doublings, root) == Decision{Outcome::not_saturated, 0});
}

TEST_CASE("each doubling must buy 26 % more: 27 % is worth it, 25 % is not") {
  // From 4 to 8 jobs 27 % are gained, from 8 to 16 25 %.
  CHECK(decided({2, 4, 8, 16}, {50, 100, 127, 127 * 1.25}) == Decision{Outcome::balance, 8});
  CHECK(decided({2, 4, 8, 16}, {50, 100, 125, 125 * 1.25}) == Decision{Outcome::balance, 4});
}

TEST_CASE("flat and falling curves are answered with the first n") {
  CHECK(decided({1, 2, 4, 8}, {100, 100, 100, 100}) == Decision{Outcome::first, 1});
  CHECK(decided({1, 2, 4, 8}, {100, 80, 60, 40}) == Decision{Outcome::first, 1});
  CHECK(decided({1, 2, 4, 8}, {95, 98, 100, 99}) == Decision{Outcome::first, 1});
  const std::vector<Figure> flat = published::rates(doublings, std::vector<double>(8, 100.0));
  CHECK(band(flat, 1) == Band{1, 1});
}

TEST_CASE("fewer jobs that are as fast within the noise are preferred to the greatest balance") {
  // B is greatest at 5, but 4 is within 5 % of the fastest.
  const std::vector<Figure> close = published::rates(std::vector<std::uint32_t>{1, 4, 5, 64},
                                                     std::vector<double>{40, 92, 100, 96.5});
  CHECK(decide(close, 0.02) == Decision{Outcome::balance, 5});
  CHECK(decide(close, 0.08) == Decision{Outcome::balance, 4});
}

TEST_CASE("the answer does not move when the sweep goes further to the right") {
  const auto saturating = [](std::uint32_t last) {
    std::vector<Figure> figures;
    for (std::uint32_t n = 1; n <= last; ++n)
      figures.push_back({n, 1000 * (1 - std::exp(n / -8.0)), 0});
    return figures;
  };
  const Decision short_sweep = decide(saturating(32), noise);
  CHECK(short_sweep == decide(saturating(64), noise));
  CHECK(short_sweep == decide(saturating(128), noise));
  CHECK(at(kneedle_opinion(saturating(32))) < at(kneedle_opinion(saturating(128))));
}

TEST_CASE("the band holds every integer of at least 95 % of the greatest balance, and no other") {
  // Against the definition, integer by integer, on curves with peaks in odd places.
  for (const double peak : {3.0, 7.0, 11.0, 23.0, 45.0}) {
    std::vector<Figure> figures;
    for (const std::uint32_t n : doublings) {
      figures.push_back({n, n / (1 + (n - 1) / (2 * peak) + n * (n - 1.0) / (peak * peak * 4)), 0});
    }
    const Decision decision = decide(figures, noise);
    REQUIRE(decision.outcome == Outcome::balance);
    double greatest = 0;
    for (const Figure& f : figures) greatest = std::max(greatest, f.x * f.x * f.x / f.n);
    Band expected{decision.at, decision.at};
    for (std::size_t i = 0; i + 1 < figures.size(); ++i) {
      for (std::uint32_t n = figures[i].n; n <= figures[i + 1].n; ++n) {
        const double t =
            std::log(double(n) / figures[i].n) / std::log(double(figures[i + 1].n) / figures[i].n);
        const double x = figures[i].x + t * (figures[i + 1].x - figures[i].x);
        if (x * x * x / n < 0.95 * greatest) continue;
        expected.low = std::min(expected.low, n);
        expected.high = std::max(expected.high, n);
      }
    }
    CAPTURE(peak);
    CHECK(band(figures, decision.at) == expected);
  }
}

TEST_CASE("along block sizes the band holds measured sizes only") {
  const std::vector<Figure> sizes =
      published::rates(std::vector<std::uint32_t>{4096, 8192, 16384, 65536, 131072},
                       std::vector<double>{100, 190, 240, 250, 250});
  const Decision decision = decide(sizes, noise);
  REQUIRE(decision.at == 16384);
  CHECK(band(sizes, decision.at, Between::measured_only) == Band{8192, 16384});
}

TEST_CASE("three points are too few, duplicates count once") {
  CHECK(decided({}, {}).outcome == Outcome::too_few_points);
  CHECK(decided({1}, {100}).outcome == Outcome::too_few_points);
  CHECK(decided({1, 2, 4}, {1, 2, 2}).outcome == Outcome::too_few_points);
  CHECK(decided({1, 2, 4, 4, 4, 4}, {1, 2, 2, 2, 2, 2}).outcome == Outcome::too_few_points);
}

TEST_CASE("NaN, infinity, zero and negative figures are left out") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(decided({1, 2, 4, 8}, {nan, 1, 2, 3}).outcome == Outcome::too_few_points);
  CHECK(decided({1, 2, 4, 8}, {infinity, -1, 0, 3}).outcome == Outcome::too_few_points);
  CHECK(decided({0, 1, 10, 20, 40, 80}, {9e9, 45, 196, 198, 198, nan}).at == 10);
  CHECK(decided({1, 10, 20, 40}, {45e300, 196e300, 198e300, 198e300}).at == 10);
  CHECK(decided({1, 10, 20, 40}, {45e-300, 196e-300, 198e-300, 198e-300}).at == 10);
  const std::vector<Figure> odd = clean(std::vector<Figure>{{2, 5, nan}, {1, 4, -1}, {3, 6, 0.5}});
  REQUIRE(odd.size() == 3);
  CHECK(odd[0].n == 1);
  CHECK(odd[0].r == 0);
  CHECK(odd[1].r == 0);
  CHECK(odd[2].r == 0.5);
}

TEST_CASE("unsorted and repeated figures are sorted and merged by their medians") {
  const std::vector<Figure> merged =
      clean(std::vector<Figure>{{8, 30, 3}, {1, 10, 1}, {8, 10, 1}, {8, 20, 2}});
  REQUIRE(merged.size() == 2);
  CHECK(merged[0].n == 1);
  CHECK(merged[1].n == 8);
  CHECK(merged[1].x == 20);
  CHECK(merged[1].r == 2);
}

TEST_CASE("a million points are answered, a huge range too") {
  std::vector<Figure> many;
  for (std::uint32_t n = 1'000'000; n > 0; --n) many.push_back({n, n < 100 ? n : 100.0, 0});
  const std::vector<Figure> figures = clean(many);
  const Decision decision = decide(figures, noise);
  CHECK(decision == Decision{Outcome::balance, 98});  // within 2 % of the fastest
  CHECK(band(figures, decision.at).high == 105);      // 100 / 105 is 95.2 %
  CHECK(confidence(figures, {}, {1, 1'000'000}, noise).share == 1);

  const std::vector<Figure> wide =
      published::rates(std::vector<std::uint32_t>{1, 10, 100'000'000, 4'294'967'295},
                       std::vector<double>{45, 196, 198, 198});
  CHECK(decide(wide, noise).at == 10);
  CHECK(band(wide, 10).high == 10);
}

TEST_CASE("confidence: the published advice holds under 2 % noise, which is said to be assumed") {
  const std::vector<Figure> reads = published::figures(published::randread);
  const Confidence sure = confidence(reads, {}, {6, 8}, noise);
  CHECK(sure.share > 0.99);
  CHECK(sure.basis == "assumed 2 % noise");
  CHECK(confidence(reads, {}, {6, 8}, noise).share == sure.share);  // seeded
}

TEST_CASE("confidence: a band of one measured n reaches to its neighbours, of two it doesn't") {
  // 8 and 10 jobs are a coin toss; neither is the 6 that the first band asks for.
  const std::vector<Figure> toss =
      published::rates(std::vector<std::uint32_t>{1, 4, 6, 8, 10, 32},
                       std::vector<double>{100, 230, 300, 400, 430.9, 440});
  CHECK(confidence(toss, {}, {6, 6}, noise).share > 0.4);  // widened to 4..8
  CHECK(confidence(toss, {}, {6, 6}, noise).share < 0.6);
  CHECK(confidence(toss, {}, {4, 6}, noise).share == 0);
  CHECK(confidence(toss, {}, {8, 10}, noise).share == 1);
}

TEST_CASE("confidence resamples repeats where there are any, and says so") {
  const std::vector<Figure> reads = published::figures(published::randread);
  std::vector<std::vector<double>> repeats;
  for (const Figure& figure : reads) repeats.push_back({figure.x, figure.x, figure.x});
  const Confidence still = confidence(reads, repeats, {8, 8}, noise);
  CHECK(still.share == 1);
  CHECK(still.basis == "repeats");
  repeats[0].resize(1);
  CHECK(confidence(reads, repeats, {6, 8}, noise).basis ==
        "repeats, and assumed 2 % noise where there is one run");

  // 4 jobs gave 40 once and 100 once: a median of 40 or 70, three draws in four, says 2 instead.
  const std::vector<Figure> swing = published::rates(std::vector<std::uint32_t>{1, 2, 4, 8, 16},
                                                     std::vector<double>{50, 75, 100, 110, 110});
  std::vector<std::vector<double>> swings{{50, 50}, {75, 75}, {40, 100}, {110, 110}, {110, 110}};
  const double share = confidence(swing, swings, {4, 8}, noise).share;
  CHECK(share > 0.2);
  CHECK(share < 0.3);
}

TEST_CASE("likely answers: a run as far off as the answers lie apart may give any of them") {
  // 8 jobs have B = 400³/8, 10 jobs with 430.9 the same; 6 jobs 56 % of it, 16 jobs 67 %.
  const std::vector<Figure> toss =
      published::rates(std::vector<std::uint32_t>{1, 6, 8, 10, 16, 32},
                       std::vector<double>{100, 300, 400, 430.9, 441, 445});
  CHECK(likely_answers(toss, {}, {8, 8}, noise, 0.001).range == Band{8, 10});
  // A run off by 1 % puts B off by 3 %: far from the 33 % that 16 jobs lack.
  CHECK(likely_answers(toss, {}, {8, 10}, noise, 0.01).range == Band{8, 10});
  CHECK(likely_answers(toss, {}, {8, 10}, noise, 0.01).in_band == 1);
  // By 10 %, 30 % of B: 16 jobs may win.
  CHECK(likely_answers(toss, {}, {8, 10}, noise, 0.10).range == Band{8, 16});
  CHECK(likely_answers(toss, {}, {8, 8}, noise, 0.10).in_band < 0.8);
  // Sixteen runs each: 0.10 * 1.2 / 4 is 3 %, B 9 %; they are out of it again.
  const std::vector<std::vector<double>> repeats(6, std::vector<double>(16, 1.0));
  CHECK(likely_answers(toss, repeats, {8, 10}, noise, 0.10).range == Band{8, 10});
  CHECK(likely_answers(toss, repeats, {6, 12}, noise, 0.001).range ==
        Band{6, 12});  // holds the band
  CHECK(likely_answers({}, {}, {8, 10}, noise, 0.10).range == Band{8, 10});
}

TEST_CASE("likely answers: a draw that ends without an answer says the most measured") {
  const std::vector<Figure> rising = published::rates(std::vector<std::uint32_t>{1, 2, 4, 8},
                                                      std::vector<double>{100, 160, 260, 327});
  // B at 4 is 4.39, at 8 it is 4.37 million: half of the draws rise to the end.
  CHECK(decide(rising, noise).at == 4);
  CHECK(likely_answers(rising, {}, {4, 4}, noise, 0.02).range == Band{4, 8});
}

TEST_CASE("the normal deviates are near normal and the same on every machine") {
  Random random(42);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
  }
  CHECK(sum / 1e5 == doctest::Approx(0).epsilon(0.01));
  CHECK(squares / 1e5 == doctest::Approx(1).epsilon(0.02));
  CHECK(Random(42).next() == 6255019084209693600ULL);
}

TEST_CASE("second opinions on the published points") {
  const std::vector<Figure> reads = published::figures(published::randread);
  const std::vector<Figure> writes = published::figures(published::randwrite);
  CHECK(at(latency_first_opinion(reads, noise)) == 4);
  CHECK(at(latency_first_opinion(writes, noise)) == 8);
  CHECK(at(throughput_first_opinion(reads, noise)) == 8);
  CHECK(at(throughput_first_opinion(writes, noise)) == 18);
  CHECK(at(kneedle_opinion(reads)) == 8);
  CHECK(at(kneedle_opinion(writes)) == 8);
  CHECK(latency_first_opinion(reads, noise).value().rule == "latency_first");
  CHECK(throughput_first_opinion(reads, noise).value().rule == "throughput_first");
  CHECK(kneedle_opinion(reads).value().rule == "kneedle");
}

TEST_CASE("latency first has no opinion where a latency is unknown") {
  std::vector<Figure> reads = published::figures(published::randread);
  reads[5].r = 0;
  CHECK_FALSE(latency_first_opinion(reads, noise));
  CHECK_FALSE(latency_first_opinion({}, noise));
  CHECK_FALSE(throughput_first_opinion({}, noise));
}

TEST_CASE("under a limit the fastest of the leading points that meet it is chosen") {
  const std::vector<Figure> reads = published::figures(published::randread);
  std::vector<double> mean_ns;
  for (const Figure& figure : reads) mean_ns.push_back(figure.r * 1e9);
  const auto limited = [&](std::uint64_t limit_ns) {
    const auto opinion = under_limit_opinion(reads, mean_ns, limit_ns, noise);
    return opinion ? opinion->at : 0;
  };
  CHECK(limited(20'000) == 0);      // nobody is that quick
  CHECK(limited(40'000) == 4);      // 37.97 us at 4 jobs, 58.22 at 8
  CHECK(limited(120'000) == 8);     // 18 jobs meet it too, and bring nothing
  CHECK(limited(10'000'000) == 8);  // no limit at all
  mean_ns[1] = 0;                   // unknown at 2 jobs: only the first leads
  CHECK(limited(120'000) == 1);
}
