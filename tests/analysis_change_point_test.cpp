#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <vector>

#include "daemon/analysis/change_point.h"
#include "daemon/analysis/comparison.h"

using namespace iobenchd::analysis;

namespace {

using Values = std::vector<double>;

std::vector<std::size_t> places(const ChangePoints& found) {
  std::vector<std::size_t> result;
  for (const ChangePoint& point : found.found) result.push_back(point.at);
  return result;
}

std::vector<std::size_t> places(const Values& values) {
  return places(change_points(values));
}

using Places = std::vector<std::size_t>;

// `count` values around `level`: one percent above, one below, and so on.
void append(Values& values, double level, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values.push_back(level * (i % 2 == 0 ? 1.01 : 0.99));
}

// The same numbers on every machine, even in 0..1.
class Draw {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace

TEST_CASE("a step is found where it is, with the medians of both sides") {
  const ChangePoints found = change_points(Values{100, 101, 99, 100, 80, 81, 79, 80});
  REQUIRE(found.found.size() == 1);
  const ChangePoint& step = found.found[0];
  CHECK(step.at == 4);
  CHECK(step.before == 100);
  CHECK(step.after == 80);
  CHECK(step.ratio == doctest::Approx(0.8));
  CHECK(step.values_before == 4);
  CHECK(step.values_after == 4);
  // Eight values can be cut in three places: p is Welch's, three times.
  const double p = welch_log(Values{100, 101, 99, 100}, Values{80, 81, 79, 80}, 0.001)->p;
  CHECK(step.p == doctest::Approx(3 * p));
  CHECK_FALSE(found.none);
}

TEST_CASE("without any spread a step of 6 % is one, and of 4 % is none") {
  CHECK(places({100, 100, 100, 100, 106, 106, 106, 106}) == Places{4});
  CHECK(places({100, 100, 100, 100, 104, 104, 104, 104}).empty());
  CHECK(places({100, 100, 100, 100, 94, 94, 94, 94}) == Places{4});
}

TEST_CASE("two steps are two changes, each told by its own neighbours") {
  const ChangePoints found =
      change_points(Values{100, 101, 99, 100, 200, 202, 198, 200, 50, 51, 49, 50});
  REQUIRE(places(found) == Places{4, 8});
  CHECK(found.found[0].before == 100);
  CHECK(found.found[0].after == 200);
  CHECK(found.found[1].before == 200);
  CHECK(found.found[1].after == 50);
}

TEST_CASE("up and down again is two changes") {
  Values values;
  append(values, 100, 10);
  append(values, 130, 10);
  append(values, 100, 10);
  CHECK(places(values) == Places{10, 20});
}

TEST_CASE("one last outlier is no change, nor are two; three are") {
  Values values;
  append(values, 100, 9);
  values.push_back(50);
  CHECK(places(values).empty());
  values.push_back(50);
  CHECK(places(values).empty());
  values.push_back(50);
  CHECK(places(values) == Places{9});
}

TEST_CASE("an outlier in the middle is no change") {
  Values values;
  append(values, 100, 8);
  values.push_back(30);
  append(values, 100, 8);
  CHECK(places(values).empty());
}

TEST_CASE("seven values are too few, whatever they are, and it is said") {
  const ChangePoints found = change_points(Values{100, 100, 100, 10, 10, 10, 10});
  CHECK(found.found.empty());
  CHECK(found.none->name == "too_few_points");
  CHECK(found.none->sentence == "Changes are looked for from 8 values on; there are 7.");
  CHECK(change_points({}).none->name == "too_few_points");
}

TEST_CASE("equal values hold no change") {
  const ChangePoints found = change_points(Values(20, 5000.0));
  CHECK(found.found.empty());
  CHECK(found.none->name == "no_change");
}

TEST_CASE("noise of ten percent holds no change; a step of a fifth in it is found") {
  Draw draw;
  Values values;
  for (int i = 0; i < 60; ++i) values.push_back(90 + 20 * draw());
  CHECK(places(values).empty());
  for (int i = 0; i < 60; ++i) values.push_back(0.8 * (90 + 20 * draw()));
  const ChangePoints found = change_points(values);
  REQUIRE(found.found.size() == 1);
  CHECK(found.found[0].at >= 58);
  CHECK(found.found[0].at <= 62);
}

TEST_CASE("a slow ramp is told as steps, each of more than five percent") {
  // 1 % more each time, 40 times: half as much again in all, and nowhere a step.
  Values values;
  for (int i = 0; i < 40; ++i) values.push_back(100 * std::pow(1.01, i));
  const ChangePoints found = change_points(values);
  CHECK(found.found.size() >= 2);
  for (const ChangePoint& point : found.found) CHECK(point.ratio > 1.05);
  // 0.1 % each time, 40 times: 4 % in all is no change that matters.
  values.clear();
  for (int i = 0; i < 40; ++i) values.push_back(100 * std::pow(1.001, i));
  CHECK(places(values).empty());
}

TEST_CASE("a small change before a large one doesn't hide it") {
  Values values;
  append(values, 100, 500);
  append(values, 103, 480);
  append(values, 120, 20);
  CHECK(places(values) == Places{980});
}

TEST_CASE("what has no logarithm is left out, with the reason, and places stay those given") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const ChangePoints found =
      change_points(Values{nan, 100, 100, 0, 100, 100, -5, infinity, 50, 50, 50, 50});
  REQUIRE(found.left_out.size() == 4);
  CHECK(found.left_out[0].at == 0);
  CHECK(found.left_out[0].reason == "not a number");
  CHECK(found.left_out[1].reason == "zero");
  CHECK(found.left_out[2].reason == "negative");
  CHECK(found.left_out[3].at == 7);
  CHECK(found.left_out[3].reason == "infinite");
  CHECK(places(found) == Places{8});
  // Seven that can be used among nine are too few.
  CHECK(change_points(Values{nan, 0, 1, 1, 1, 1, 2, 2, 2}).none->name == "too_few_points");
}

TEST_CASE("a hundred thousand values take no longer than a person waits") {
  Draw draw;
  Values values;
  for (int i = 0; i < 50'000; ++i) values.push_back(1000 + 40 * draw());
  for (int i = 0; i < 50'000; ++i) values.push_back(2000 + 80 * draw());
  const std::clock_t start = std::clock();
  CHECK(places(values) == Places{50'000});
  // Half a second; unoptimised and with a sanitizer some more.
  CHECK((std::clock() - start) / CLOCKS_PER_SEC < 30);
}

TEST_CASE("a series that changes all the time is told by its fifty clearest changes at most") {
  // Every three values a new level: each cut takes three values off one end.
  Values values;
  for (std::size_t i = 0; i < 3000; ++i) values.push_back(i / 3 % 2 == 0 ? 100 : 300);
  const std::clock_t start = std::clock();
  const ChangePoints found = change_points(values);
  CHECK(!found.found.empty());
  CHECK(found.found.size() <= most_change_points);
  CHECK((std::clock() - start) / CLOCKS_PER_SEC < 30);
}
