#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "daemon/analysis/auto_numjobs.h"
#include "daemon/analysis/auto_repeats.h"
#include "daemon/analysis/noise.h"

using namespace iobenchd::analysis;

namespace {

using Points = std::vector<RepeatedPoint>;
using Jobs = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("the noise of a run is 2 % until repeats say otherwise") {
  CHECK(run_noise(Points{}) == doctest::Approx(0.02));
  CHECK(run_noise(Points{{1, {100}}, {2, {190}}}) == doctest::Approx(0.02));
  // 90, 100, 110: a deviation of 10 % with 2 degrees, beside 2 % with 4:
  // sqrt((2 * 0.01 + 4 * 0.0004) / 6) = 6 %.
  CHECK(run_noise(Points{{1, {90, 100, 110}}}) == doctest::Approx(std::sqrt(0.0216 / 6)));
}

TEST_CASE("the best point is measured again before all others") {
  // B = x^3 / n: 1, 2.9, 5.3, 1.0, 0.25 millions: 4 is the best, the rest far away.
  const Points points{{1, {100}}, {2, {180}}, {4, {277}}, {8, {200}}, {16, {160}}};
  CHECK(most_doubtful(points) == 4);
}

TEST_CASE("runs go to the point that may be in the band or not, and none to one far away") {
  // B relative to 8 jobs': .93 at 6, .3 at 2. Eight has had its runs.
  const auto x_for = [](double share, double n) { return std::cbrt(share * 1e9 / 8 * n); };
  Points points{{2, {x_for(0.3, 2)}},
                {6, {x_for(0.93, 6)}},
                {8, {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}},
                {16, {1000}}};
  CHECK(most_doubtful(points) == 6);
  points[1].runs.resize(40, points[1].runs[0]);
  points[2].runs.resize(40, 1000);
  CHECK(most_doubtful(points) != 6);
}

TEST_CASE("nothing is asked where all is certain") {
  Points points{{1, {1000, 1000, 1000}}, {2, {1000}}, {4, {1000}}, {8, {1000}}};
  CHECK(most_doubtful(points) == 0);  // B of 2 jobs is half that of one
  points[0].runs.pop_back();
  CHECK(most_doubtful(points) == 1);  // three runs of the best at least
}

TEST_CASE("points without a usable run are passed over, and nothing is made of nothing") {
  CHECK(most_doubtful(Points{}) == 0);
  CHECK(most_doubtful(Points{{1, {}}, {2, {0}}, {4, {std::nan("")}}}) == 0);
  CHECK(most_doubtful(Points{{1, {100}}, {2, {}}, {4, {INFINITY}}}) == 1);
}

TEST_CASE("middles: the stretches beside the answer are halved before the band is filled") {
  // The answer is 4: the middles of 2..4 and 4..8 are 2.8 and 5.7. With 3 at 240 (B 4.6e6
  // of 6.75e6) and 6 at 345 (6.84e6, the new answer) those of 4..6 and 6..8 are 4.9 and 6.9.
  std::vector<MeasuredPoint> points{{1, 100}, {2, 180}, {4, 300}, {8, 377}, {16, 380}, {32, 380}};
  AutoLimits limits;
  limits.middles = true;
  CHECK(next_numjobs(points, limits) == Jobs{3, 6});
  points.push_back({3, 240});
  points.push_back({6, 345});
  limits.refinements_done = 2;
  CHECK(next_numjobs(points, limits) == Jobs{5, 7});
  limits.refinements_done = 5;
  CHECK(next_numjobs(points, limits) == Jobs{5});
}

TEST_CASE("middles: a stretch no wider than a fifth is left to the band") {
  // 20..24 is; with the answer at 20 only 16..20 is halved: 17.9.
  const std::vector<MeasuredPoint> points{{1, 100},   {2, 199},   {4, 398},   {8, 790},  {16, 1500},
                                          {20, 1800}, {24, 1810}, {32, 1815}, {64, 1816}};
  AutoLimits limits;
  limits.doubling = false;
  limits.middles = true;
  CHECK(next_numjobs(points, limits) == Jobs{18});
}

TEST_CASE("the pooled deviation weighs points by their repeats") {
  // 2 degrees of 10 % and 1 of sqrt(2) * 10 / 100 / 1: 90, 110 has a deviation of 14.14.
  const std::vector<std::vector<double>> repeats{{90, 100, 110}, {90, 110}, {5}};
  const PooledDeviation pooled = pooled_deviation(repeats);
  CHECK(pooled.degrees == 3);
  CHECK(pooled.relative == doctest::Approx(std::sqrt((2 * 0.01 + 0.02) / 3)));
  CHECK(pooled_deviation({}).degrees == 0);
}
