// A sweep among earlier ones of the same disk model.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "daemon/analysis/analysis.h"
#include "daemon/analysis/standing.h"
#include "tests/runs.h"

using namespace iobenchd;
using namespace iobenchd::analysis;

namespace {

const Setting eight_jobs{Rw::randread, 4096, 1, 8};

SweepResult result_of(double iops, const Setting& setting = eight_jobs) {
  SweepResult result;
  Point point;
  point.setting = setting;
  point.repeats = 1;
  point.iops = iops;
  point.direct = true;
  result.points = {point};
  return result;
}

// One sweep each.
std::vector<ModelFigure> sweeps(const std::vector<double>& iops) {
  std::vector<ModelFigure> figures;
  for (const double value : iops)
    figures.push_back({static_cast<std::int64_t>(figures.size()) + 1, eight_jobs, true, value});
  return figures;
}

Standing alone(const SweepResult& result, const std::vector<ModelFigure>& earlier) {
  const Standings found = standings(result, earlier, "Disk X");
  REQUIRE(found.points.size() == 1);
  return found.points.front();
}

}  // namespace

TEST_CASE("a percentile is the share of those below, and of ties one half") {
  CHECK(percentile_of(5, std::vector<double>{1, 2, 3, 4, 9}) == doctest::Approx(80));
  CHECK(percentile_of(4, std::vector<double>{1, 2, 3, 4, 9}) == doctest::Approx(70));
  CHECK(percentile_of(7, std::vector<double>{7, 7, 7, 7}) == doctest::Approx(50));
  CHECK(percentile_of(0.5, std::vector<double>{1, 2}) == doctest::Approx(0));
}

TEST_CASE("a sweep stands among the earlier ones of its model") {
  const Standing found =
      alone(result_of(950), sweeps({100, 200, 300, 400, 500, 600, 700, 800, 1000, 1100}));
  CHECK(found.earlier_sweeps == 10);
  CHECK(found.percentile == doctest::Approx(80));
  CHECK(found.median_iops == doctest::Approx(550));
  CHECK(found.low == doctest::Approx(100));
  CHECK(found.high == doctest::Approx(1100));
  CHECK(found.sentence == "Faster than 80 % of 10 earlier sweeps of this model at 8 jobs.");
}

TEST_CASE("above and below all of them is said as such") {
  CHECK(alone(result_of(400), sweeps({100, 200, 300})).sentence ==
        "Faster than all 3 earlier sweeps of this model at 8 jobs.");
  CHECK(alone(result_of(50), sweeps({100, 200, 300})).sentence ==
        "Slower than all 3 earlier sweeps of this model at 8 jobs.");
}

TEST_CASE("under three earlier sweeps there is no percentile, but what they gave") {
  const Standing two = alone(result_of(110), sweeps({100, 100}));
  CHECK(two.earlier_sweeps == 2);
  CHECK_FALSE(two.percentile.has_value());
  CHECK(two.median_iops == doctest::Approx(100));
  CHECK(two.sentence == "10 % faster than the median of 2 earlier sweeps of this model at 8 jobs.");
  CHECK(alone(result_of(80), sweeps({100})).sentence ==
        "20 % slower than the one earlier sweep of this model at 8 jobs.");
  const Standing none = alone(result_of(110), {});
  CHECK_FALSE(none.median_iops.has_value());
  CHECK(none.sentence == "No earlier sweep of this model at 8 jobs.");
}

TEST_CASE("each sweep counts once, with the median of its repeats") {
  std::vector<ModelFigure> earlier = sweeps({100, 100});
  for (const double iops : {500.0, 90.0, 110.0}) earlier.push_back({3, eight_jobs, true, iops});
  const Standing found = alone(result_of(105), earlier);
  CHECK(found.earlier_sweeps == 3);
  // 100, 100 and the median 110. By the mean (233) nothing would change here but the highest.
  CHECK(found.high == doctest::Approx(110));
  CHECK(found.percentile == doctest::Approx(200.0 / 3));
}

TEST_CASE("another depth, another number of jobs, the page cache and no disk are no company") {
  std::vector<ModelFigure> earlier = sweeps({100, 200, 300});
  earlier[0].setting.iodepth = 32;
  earlier[1].setting.numjobs = 4;
  earlier[2].direct = false;
  CHECK(alone(result_of(100), earlier).earlier_sweeps == 0);
  SweepResult null = result_of(1e9);
  null.points[0].ioengine = IoEngine::null;
  CHECK(alone(null, sweeps({100, 200, 300})).earlier_sweeps == 0);
}

TEST_CASE("whether the drive is normal is answered over all points") {
  SweepResult result = result_of(250);
  result.points.push_back(result.points[0]);
  result.points[1].setting.numjobs = 16;
  result.points[1].iops = 10;
  std::vector<ModelFigure> earlier = sweeps({100, 200, 300});
  CHECK(standings(result, earlier, "Disk X").summary ==
        std::vector<std::string>{"Normal: the one point with enough earlier sweeps of Disk X lies "
                                 "within what those gave."});
  for (const ModelFigure& figure : sweeps({100, 200, 300})) {
    earlier.push_back(figure);
    earlier.back().setting.numjobs = 16;
  }
  CHECK(standings(result, earlier, "Disk X").summary ==
        std::vector<std::string>{"Of 2 points with enough earlier sweeps of Disk X 1 is slower "
                                 "than all of them, 1 is within what they gave."});
  CHECK(standings(result, {}, "Disk X").summary ==
        std::vector<std::string>{"No earlier sweep of Disk X measured any of these settings."});
  CHECK(standings(result, {}, "").summary ==
        std::vector<std::string>{
            "The model of this sweep's disk is unknown, so nothing can be said of its like."});
  CHECK(standings(result, sweeps({1, 2}), "Disk X").summary ==
        std::vector<std::string>{"Fewer than 3 earlier sweeps of Disk X measured any of these "
                                 "settings: too few to say what is normal."});
}

TEST_CASE("failed points and figures that are no numbers stand nowhere") {
  SweepResult result = result_of(100);
  result.points[0].failed = true;
  CHECK(standings(result, sweeps({1, 2, 3}), "Disk X").points.empty());
  CHECK(alone(result_of(100), sweeps({0, -1, std::nan("")})).earlier_sweeps == 0);
}
