#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "daemon/analysis/comparison.h"
#include "daemon/analysis/noise.h"

using namespace iobenchd::analysis;

namespace {

using Values = std::vector<double>;

Change change(const Values& base, const Values& with, Good good = Good::more) {
  return compare(base, with, good)->change;
}

}  // namespace

TEST_CASE("Student's two-sided p is that of the tables") {
  // One degree of freedom is Cauchy's: p(1) is a half. Two have a closed form: 1 - t/sqrt(2 + t^2).
  CHECK(student_p(1, 1) == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(student_p(3, 2) == doctest::Approx(1 - 3 / std::sqrt(11.0)).epsilon(1e-12));
  CHECK(student_p(-3, 2) == doctest::Approx(student_p(3, 2)));
  CHECK(student_p(0, 7) == doctest::Approx(1));
  for (std::uint32_t degrees = 1; degrees <= 30; ++degrees)
    CHECK(student_p(t_975(degrees), degrees) == doctest::Approx(0.05).epsilon(2e-3));
  CHECK(student_p(std::nan(""), 3) == 1);
  CHECK(student_p(2, 0) == 1);
  CHECK(student_p(INFINITY, 3) == 0);
}

TEST_CASE("Student's t is the inverse of its p, for degrees that aren't whole, too") {
  CHECK(student_t(0.05, 1) == doctest::Approx(12.7062).epsilon(1e-5));
  CHECK(student_t(0.05, 9) == doctest::Approx(2.26216).epsilon(1e-5));
  CHECK(student_t(0.05, 1e9) == doctest::Approx(1.959964).epsilon(1e-5));
  for (const double degrees : {1.3, 3.5, 17.2})
    CHECK(student_p(student_t(0.01, degrees), degrees) == doctest::Approx(0.01).epsilon(1e-9));
  CHECK(std::isinf(student_t(0.05, 0)));
}

TEST_CASE("Welch's t on logarithms: twice as much, with equal spreads") {
  // ln 1, 2, 4 and ln 2, 4, 8: means ln 2 and ln 4, each deviation ln 2. t = ln 2 / (ln 2
  // sqrt(2/3)) = 1.2247 with 4 degrees: p = 0.2879.
  const Welch found = welch_log(Values{1, 2, 4}, Values{2, 4, 8}).value();
  CHECK(found.difference == doctest::Approx(std::log(2)));
  CHECK(found.difference / found.error == doctest::Approx(std::sqrt(1.5)));
  CHECK(found.degrees == doctest::Approx(4));
  CHECK(found.p == doctest::Approx(0.2879).epsilon(1e-3));
}

TEST_CASE("Welch's degrees are fewer where the spreads differ") {
  // Deviations of 1 and 0.1 (of the logarithm), three values each: (1 + .01)^2 / ((1 + .0001) / 2).
  const Values wide{std::exp(-1.0), 1, std::exp(1.0)};
  const Values narrow{std::exp(-0.1), 1, std::exp(0.1)};
  CHECK(welch_log(wide, narrow)->degrees == doctest::Approx(1.01 * 1.01 / (1.0001 / 2)));
}

TEST_CASE("no t without two positive values on each side") {
  CHECK_FALSE(welch_log(Values{1}, Values{1, 2}));
  CHECK_FALSE(welch_log(Values{1, 2}, Values{0, 2}));
  CHECK_FALSE(welch_log(Values{1, 2}, Values{NAN, 2}));
  CHECK_FALSE(compare(Values{}, Values{1}, Good::more));
  CHECK_FALSE(compare(Values{1}, Values{-1}, Good::more));
}

TEST_CASE("values without any spread differ certainly, or not at all; a least spread undoes that") {
  CHECK(welch_log(Values{5, 5}, Values{5, 5})->p == 1);
  CHECK(welch_log(Values{5, 5}, Values{6, 6})->p == 0);
  CHECK(welch_log(Values{5, 5}, Values{5.001, 5.001}, 0.001)->p > 0.8);
  CHECK(change({5, 5}, {5, 5}) == Change::same);
  CHECK(change({5, 5}, {6, 6}) == Change::better);
}

TEST_CASE("same: the interval of the ratio lies within 5 %") {
  CHECK(change({100, 101, 99, 100}, {101, 102, 100, 101}) == Change::same);
  // The same medians, but nobody knows: the interval is wide.
  CHECK(change({100, 130, 75, 100}, {101, 131, 76, 101}) == Change::undecided);
}

TEST_CASE("better and worse: beyond 5 %, and no chance; more IOPS, less latency") {
  const Values before{100, 101, 99, 100};
  const Values after{120, 121, 119, 120};
  CHECK(change(before, after) == Change::better);
  CHECK(change(after, before) == Change::worse);
  CHECK(change(before, after, Good::less) == Change::worse);
  CHECK(change(after, before, Good::less) == Change::better);
  const Comparison found = compare(before, after, Good::more).value();
  CHECK(found.ratio == doctest::Approx(1.2));
  CHECK(found.ci95->first > 1.18);
  CHECK(found.ci95->second < 1.22);
}

TEST_CASE("certain, but by less than 5 %, is undecided where the interval reaches beyond") {
  // 4.5 % more, to the tenth: same. With 1 % of noise the interval ends beyond 5 %.
  CHECK(change({100, 100.1, 99.9}, {104.5, 104.6, 104.4}) == Change::same);
  CHECK(change({100, 101, 99}, {104.5, 105.5, 103.5}) == Change::undecided);
}

TEST_CASE("with one value on a side a change is likely beyond 10 %, undecided within") {
  CHECK(change({100}, {112}) == Change::likely_better);
  CHECK(change({100, 101, 99}, {88}) == Change::likely_worse);
  CHECK(change({100}, {88}, Good::less) == Change::likely_better);
  CHECK(change({100}, {109}) == Change::undecided);
  CHECK(change({100}, {100}) == Change::undecided);
  CHECK_FALSE(compare(Values{100}, Values{112}, Good::more)->ci95);
}

TEST_CASE("a change's name is the field's") {
  CHECK(to_string(Change::same) == "same");
  CHECK(to_string(Change::likely_worse) == "likely_worse");
  CHECK(to_string(Change::undecided) == "undecided");
  CHECK(is_worse(Change::worse));
  CHECK_FALSE(is_worse(Change::undecided));
}
