#include <doctest/doctest.h>

#include <cmath>

#include "daemon/analysis/kneedle.h"
#include "daemon/analysis/noise.h"
#include "daemon/analysis/notes.h"
#include "daemon/analysis/usl.h"
#include "tests/published.h"

using namespace iobenchd;
using namespace iobenchd::analysis;

namespace {

Usl fitted(std::span<const Figure> figures) {
  return std::get<Usl>(fit_usl(figures));
}
std::string refused(std::span<const Figure> figures) {
  const auto fit = fit_usl(figures);
  const Named* why = std::get_if<Named>(&fit);
  if (why == nullptr) return "fitted";
  CHECK(why->sentence.ends_with('.'));
  return why->name;
}

// X(n) of a law, exactly.
std::vector<Figure> law(double lambda, double sigma, double kappa,
                        std::span<const std::uint32_t> jobs) {
  Usl usl;
  usl.lambda = lambda;
  usl.sigma = sigma;
  usl.kappa = kappa;
  std::vector<Figure> figures;
  for (const std::uint32_t n : jobs) figures.push_back({n, usl_at(usl, n), 0});
  return figures;
}

const std::vector<std::uint32_t> doublings{1, 2, 4, 8, 16, 32};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("the scalability law is recovered from its own points") {
  const Usl usl = fitted(law(1000, .05, .001, doublings));
  CHECK(usl.lambda == doctest::Approx(1000).epsilon(1e-6));
  CHECK(std::abs(usl.sigma - .05) < 1e-6);
  CHECK(std::abs(usl.kappa - .001) < 1e-6);
  REQUIRE(usl.peak_numjobs.has_value());
  CHECK(*usl.peak_numjobs == doctest::Approx(30.822).epsilon(1e-4));
  CHECK(usl.r2 == doctest::Approx(1));
  CHECK(usl.worst_error < 1e-6);
}

TEST_CASE("lambda is fitted too where one job was not measured") {
  const std::vector<std::uint32_t> jobs{2, 4, 8, 16, 32};
  const Usl usl = fitted(law(1000, .05, .001, jobs));
  CHECK(usl.lambda == doctest::Approx(1000).epsilon(1e-6));
  CHECK(std::abs(usl.sigma - .05) < 1e-6);
  CHECK(std::abs(usl.kappa - .001) < 1e-6);
}

TEST_CASE("the law of the published reads and writes") {
  const Usl reads = fitted(published::figures(published::randread));
  CHECK(reads.lambda == doctest::Approx(121318));
  CHECK(reads.sigma == doctest::Approx(.147282).epsilon(1e-5));
  CHECK(reads.kappa == doctest::Approx(.0040678).epsilon(2e-5));
  CHECK(reads.peak_numjobs.value() == doctest::Approx(14.48).epsilon(5e-4));
  CHECK(reads.r2 == doctest::Approx(.9920).epsilon(1e-4));
  CHECK(reads.mean_error == doctest::Approx(.0225).epsilon(3e-3));
  CHECK(reads.worst_error == doctest::Approx(.0460).epsilon(2e-3));

  const Usl writes = fitted(published::figures(published::randwrite));
  CHECK(writes.sigma == doctest::Approx(.087466).epsilon(1e-5));
  CHECK(writes.kappa == doctest::Approx(.0024485).epsilon(2e-5));
  CHECK(writes.peak_numjobs.value() == doctest::Approx(19.31).epsilon(5e-4));
  CHECK(writes.r2 == doctest::Approx(.9959).epsilon(1e-4));
  CHECK(writes.mean_error == doctest::Approx(.0190).epsilon(3e-3));
  CHECK(writes.worst_error == doctest::Approx(.0354).epsilon(2e-3));
}

TEST_CASE("without retrograde scaling there is no peak, and never infinity") {
  const Usl amdahl = fitted(law(1000, .1, 0, doublings));
  CHECK(std::abs(amdahl.sigma - .1) < 1e-6);
  CHECK(amdahl.kappa < 1e-9);
  CHECK_FALSE(amdahl.peak_numjobs.has_value());
  const Usl linear = fitted(law(1000, 0, 0, doublings));
  CHECK(linear.sigma < 1e-9);
  CHECK_FALSE(linear.peak_numjobs.has_value());
}

TEST_CASE("a peak beyond the largest measured n is not foretold") {
  const std::vector<std::uint32_t> few{1, 2, 4, 8, 16};
  const Usl usl = fitted(law(1000, .05, .001, few));
  CHECK(std::abs(usl.kappa - .001) < 1e-6);
  CHECK_FALSE(usl.peak_numjobs.has_value());  // it would be 30.8
}

TEST_CASE("coefficients stay within their bounds") {
  // More than linear: the free fit would want sigma below 0.
  std::vector<Figure> better{{1, 100, 0}, {2, 210, 0}, {4, 440, 0}, {8, 900, 0}, {16, 1500, 0}};
  const Usl usl = fitted(better);
  CHECK(usl.sigma >= 0);
  CHECK(usl.sigma <= 1);
  CHECK(usl.kappa >= 0);
  // Saturating harder than any kappa >= 0 allows: the free fit would want kappa below 0.
  std::vector<Figure> steady{{1, 100, 0}, {2, 150, 0}, {4, 200, 0}, {8, 260, 0}, {16, 340, 0}};
  const Usl bound = fitted(steady);
  CHECK(bound.kappa == 0);
  CHECK(bound.sigma > 0);
  CHECK_FALSE(bound.peak_numjobs.has_value());
}

TEST_CASE("no fit: too few, flat, falling, and what the law doesn't explain") {
  CHECK(refused(std::vector<Figure>{}) == "too_few_points");
  CHECK(refused(std::vector<Figure>{{1, 1, 0}, {2, 2, 0}, {4, 3, 0}}) == "too_few_points");
  CHECK(refused(std::vector<Figure>{{1, 9, 0}, {2, 9, 0}, {4, 9, 0}, {8, 9, 0}}) == "flat");
  CHECK(refused(std::vector<Figure>{{1, 9, 0}, {2, 8, 0}, {4, 7, 0}, {8, 6, 0}}) == "falling");
  CHECK(refused(std::vector<Figure>{{1, 10, 0}, {2, 90, 0}, {4, 20, 0}, {8, 80, 0}, {16, 10, 0}}) ==
        "poor_fit");
}

TEST_CASE("absurd magnitudes fit as well as others") {
  for (const double scale : {1e-200, 1e200}) {
    const Usl usl = fitted(law(scale, .05, .001, doublings));
    CHECK(std::abs(usl.sigma - .05) < 1e-6);
    CHECK(usl.lambda / scale == doctest::Approx(1));
  }
}

TEST_CASE("the published column, in our words") {
  const Words expected{"baseline",  "strong_scaling", "strong_scaling",
                       "near_peak", "saturated",      "regression"};
  CHECK(notes(published::figures(published::randread), {}, Spot{8, {6, 8}}) == expected);
  CHECK(notes(published::figures(published::randwrite), {}, Spot{8, {8, 8}}) == expected);
}

TEST_CASE("scaling: each further job brings a tenth to a half of what the first brought") {
  const std::vector<Figure> figures{{1, 100, 0}, {2, 150, 0}, {3, 160, 0}, {4, 169, 0}};
  CHECK(notes(figures, {}, {}) == Words{"baseline", "strong_scaling", "scaling", "saturated"});
}

TEST_CASE("a loss within the interval of repeats, or below 1 %, is no regression") {
  const std::vector<Figure> figures{{1, 100, 0}, {2, 200, 0}, {4, 190, 0}, {8, 199, 0}};
  CHECK(notes(figures, {}, {})[2] == "regression");
  CHECK(notes(figures, {}, {})[3] == "saturated");
  const std::vector<double> wide{5, 5, 15, 5};
  CHECK(notes(figures, wide, {})[2] == "saturated");
  const std::vector<double> narrow{5, 5, 5, 5};
  CHECK(notes(figures, narrow, {})[2] == "regression");
}

TEST_CASE("without a sweet spot nothing is near a peak, and without points there are no notes") {
  const std::vector<Figure> figures{{1, 100, 0}, {2, 190, 0}, {4, 340, 0}, {8, 560, 0}};
  CHECK(notes(figures, {}, {}) ==
        Words{"baseline", "strong_scaling", "strong_scaling", "strong_scaling"});
  CHECK(notes({}, {}, {}).empty());
}

TEST_CASE("kneedle finds the knee of its own paper's curve at 0.222") {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 10; ++i) {
    x.push_back(i / 9.0);
    y.push_back(5 - 1 / (x.back() + 0.1));
  }
  const auto knee = kneedle(x, y);
  REQUIRE(knee.has_value());
  CHECK(x[*knee] == doctest::Approx(0.222).epsilon(0.002));
}

TEST_CASE("kneedle has no knee for lines, points and nonsense") {
  const std::vector<double> line{1, 2, 3, 4};
  const std::vector<double> flat{1, 1, 1, 1};
  const std::vector<double> bad{1, std::nan(""), 3, 4};
  CHECK_FALSE(kneedle(line, line));
  CHECK_FALSE(kneedle(line, flat));
  CHECK_FALSE(kneedle(flat, line));
  CHECK_FALSE(kneedle({}, {}));
  CHECK_FALSE(kneedle(line, std::vector<double>{1, 2}));
  (void)kneedle(line, bad);  // any answer, no crash
}

TEST_CASE("mean, median, deviation and interval of repeats, by hand") {
  const std::vector<double> values{10, 20, 30, 40};
  CHECK(mean(values) == 25);
  CHECK(median(values) == 25);
  CHECK(median(std::vector<double>{30, 10, 20}) == 20);
  CHECK(sample_stddev(values) == doctest::Approx(12.9099));  // sqrt(500 / 3)
  CHECK(coefficient_of_variation(values) == doctest::Approx(.516398));
  // 3.182 * 12.9099 / sqrt(4) = 20.54
  const auto interval = interval95(values);
  REQUIRE(interval.has_value());
  CHECK(interval->first == doctest::Approx(4.4603).epsilon(1e-4));
  CHECK(interval->second == doctest::Approx(45.5397).epsilon(1e-4));
  CHECK_FALSE(interval95(std::vector<double>{10}));
  CHECK_FALSE(interval95({}));
  CHECK(mean({}) == 0);
  CHECK(median({}) == 0);
  CHECK(sample_stddev(std::vector<double>{5}) == 0);
}

TEST_CASE("t for two to ten runs is tabled, for more computed") {
  const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  for (std::uint32_t i = 0; i < 9; ++i) CHECK(t_975(i + 1) == table[i]);
  CHECK(t_975(10) == doctest::Approx(2.228).epsilon(3e-4));
  CHECK(t_975(20) == doctest::Approx(2.086).epsilon(3e-4));
  CHECK(t_975(120) == doctest::Approx(1.980).epsilon(3e-4));
  CHECK(std::isinf(t_975(0)));
}

TEST_CASE("noise of a curve: pooled over its points, within 1 to 5 %, 2 % without repeats") {
  using Repeats = std::vector<std::vector<double>>;
  CHECK(curve_noise(Repeats{}) == 0.02);
  CHECK(curve_noise(Repeats{{100}, {200}}) == 0.02);
  CHECK(curve_noise(Repeats{{100, 100, 100}}) == 0.01);
  CHECK(curve_noise(Repeats{{50, 100, 150}}) == 0.05);
  // Each point: s = 1 % of its mean. Pooled 1 % with 4 degrees of freedom, t = 2.776, over sqrt 3.
  CHECK(curve_noise(Repeats{{99, 100, 101}, {198, 200, 202}, {7}}) ==
        doctest::Approx(0.01 * 2.776 / std::sqrt(3.0)));
}
