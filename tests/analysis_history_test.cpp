#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "daemon/analysis/history.h"

using namespace iobenchd;
using namespace iobenchd::analysis;

namespace {

using Values = std::vector<double>;
using Ids = std::vector<std::int64_t>;

// Sweep 1, 2, 3, ..., a second each, with these repeats; runs are numbered through.
class Sweeps {
 public:
  Sweeps& add(const Values& repeats) {
    const auto sweep = static_cast<std::int64_t>(++sweeps_);
    for (const double iops : repeats) {
      SeriesRun run;
      run.run_id = ++runs_;
      run.sweep_id = sweep;
      run.started_at_ns = sweep * 1'000'000'000 + run.run_id;
      run.iops = iops;
      series.runs.push_back(run);
    }
    return *this;
  }
  Sweeps& add_all(const Values& singles) {
    for (const double iops : singles) add({iops});
    return *this;
  }
  Sweeps& pin(std::int64_t sweep) {
    for (const SeriesRun& run : series.runs) {
      if (run.sweep_id == sweep) series.pinned_runs.push_back(run);
    }
    return *this;
  }
  [[nodiscard]] History history() const { return history_of(series); }
  [[nodiscard]] Change change() const { return history().newest->comparison->change; }
  [[nodiscard]] std::string sentence() const { return history().newest->sentence; }

  Series series;

 private:
  std::int64_t sweeps_ = 0, runs_ = 0;
};

}  // namespace

TEST_CASE("the repeats of a sweep are one point, by their median") {
  Sweeps sweeps;
  sweeps.add({100, 130, 110}).add({200});
  sweeps.series.runs[0].latency_mean_ns = 10;
  sweeps.series.runs[1].latency_mean_ns = 30;
  sweeps.series.runs[2].latency_mean_ns = 20;
  const History history = sweeps.history();
  REQUIRE(history.points.size() == 2);
  CHECK(history.points[0].iops == 110);
  CHECK(history.points[0].latency_mean_ns == 20);
  CHECK(history.points[0].run_ids == Ids{1, 2, 3});
  CHECK(history.points[0].started_at_ns == 1'000'000'001);
  CHECK(history.points[1].iops == 200);
}

TEST_CASE("p99 of a point was measured: the middle one, of two the higher, never a mean of them") {
  Sweeps sweeps;
  sweeps.add({100, 100});
  sweeps.series.runs[0].latency_p99_ns = 1000;
  sweeps.series.runs[1].latency_p99_ns = 3000;
  CHECK(sweeps.history().points[0].latency_p99_ns == 3000);
}

TEST_CASE("points stand in the order of time, whatever the order of their runs") {
  Sweeps sweeps;
  sweeps.add({1}).add({2}).add({3});
  std::swap(sweeps.series.runs[0], sweeps.series.runs[2]);
  sweeps.series.runs[0].started_at_ns = 0;  // sweep 3, whose time nobody knows: the oldest
  const History history = sweeps.history();
  CHECK(history.points[0].sweep_id == 3);
  CHECK(history.points[1].sweep_id == 1);
  CHECK(history.newest->sweep_id == 2);
}

TEST_CASE("the baseline is the median of the five sweeps before the newest, without it") {
  Sweeps sweeps;
  // The newest among them would make the median 104.
  sweeps.add_all({1, 100, 102, 104, 106, 103}).add({50, 51, 49});
  const History history = sweeps.history();
  REQUIRE(history.baseline);
  CHECK_FALSE(history.baseline->pinned);
  CHECK(history.baseline->sweep_ids == Ids{2, 3, 4, 5, 6});
  CHECK(history.baseline->iops == 103);
  CHECK(history.newest->sweep_id == 7);
  CHECK(history.newest->comparison->ratio == doctest::Approx(50.0 / 103));
  CHECK(history.newest->comparison->change == Change::worse);
}

TEST_CASE("a drop that would hide in its own baseline is seen") {
  // One earlier sweep: with the judged one in it, the median would lie half way.
  Sweeps sweeps;
  sweeps.add({100, 101, 99}).add({90, 91, 89});
  const History history = sweeps.history();
  CHECK(history.baseline->sweep_ids == Ids{1});
  CHECK(history.baseline->iops == 100);
  CHECK(history.newest->comparison->ratio == doctest::Approx(0.9));
  CHECK(history.newest->comparison->change == Change::worse);
  CHECK(history.newest->sentence == "Worse: 90 IOPS, 10 % fewer than the sweep before it (100).");
}

TEST_CASE("a pinned sweep is the baseline, and the newest pinned one before the judged") {
  Sweeps sweeps;
  sweeps.add({200, 202, 198}).add({100, 101, 99}).add({150}).add({100, 100, 100}).pin(1).pin(2);
  const History history = sweeps.history();
  CHECK(history.baseline->pinned);
  CHECK(history.baseline->sweep_ids == Ids{2});
  CHECK(history.baseline->values == Values{100, 101, 99});
  CHECK(history.newest->comparison->change == Change::same);
  CHECK(history.newest->sentence == "The same: 100 IOPS, as many as the pinned sweep 2 (100).");
  CHECK(history.points[0].pinned);
  CHECK_FALSE(history.points[2].pinned);
}

TEST_CASE("a sweep that is pinned itself is not its own baseline") {
  Sweeps sweeps;
  sweeps.add({100, 101, 99}).add({50, 51, 49}).pin(2);
  CHECK_FALSE(sweeps.history().baseline->pinned);
  CHECK(sweeps.history().baseline->sweep_ids == Ids{1});
  CHECK(sweeps.change() == Change::worse);
  sweeps.pin(1);
  CHECK(sweeps.history().baseline->pinned);
  CHECK(sweeps.history().baseline->sweep_ids == Ids{1});
}

TEST_CASE("a sweep pinned later than the judged one is not its baseline") {
  Sweeps sweeps;
  sweeps.add_all({100, 100, 100});
  SeriesRun later;
  later.sweep_id = 9;
  later.started_at_ns = 9'000'000'000;
  later.iops = 10;
  sweeps.series.pinned_runs.push_back(later);
  CHECK_FALSE(sweeps.history().baseline->pinned);
}

TEST_CASE("the first of its kind has nothing to be compared with") {
  Sweeps sweeps;
  sweeps.add({100, 100});
  const History history = sweeps.history();
  CHECK_FALSE(history.baseline);
  CHECK_FALSE(history.newest->comparison);
  CHECK(history.newest->sentence == "There is nothing before it to compare it with.");
  CHECK_FALSE(history_of({}).newest);
}

TEST_CASE("three sigma of a few quiet sweeps are no verdict") {
  // Deviation 0.07: 101 is fourteen of them away, and one percent of what the disk does.
  Sweeps sweeps;
  sweeps.add_all({100, 100.1, 99.9, 100, 100, 101});
  CHECK(sweeps.change() == Change::undecided);
  // No deviation at all: every difference would be infinitely many.
  Sweeps equal;
  equal.add_all({100, 100, 100, 100, 100, 101});
  CHECK(equal.change() == Change::undecided);
}

TEST_CASE("one run that is ten percent off is only probably worse, and the sentence says why") {
  Sweeps sweeps;
  sweeps.add_all({100, 102, 98, 100, 100, 80});
  CHECK(sweeps.change() == Change::likely_worse);
  CHECK(is_worse(sweeps.change()));
  CHECK(sweeps.sentence() ==
        "Probably worse: 80 IOPS, 20 % fewer than the median of the 5 sweeps before it (100). It "
        "was measured once: repeats would tell more.");
  Sweeps better;
  better.add({100}).add({250, 251, 249});
  CHECK(better.sentence() ==
        "Probably better: 250 IOPS, 2.5 × the sweep before it (100). That was measured once: more "
        "sweeps will tell more.");
}

TEST_CASE("a lone last outlier is a doubtful sweep, not a change of the series") {
  Sweeps sweeps;
  sweeps.add_all({100, 101, 99, 100, 101, 99, 100, 100, 50});
  const History history = sweeps.history();
  CHECK(history.changes.found.empty());
  CHECK(history.changes.none->name == "no_change");
  CHECK(history.newest->comparison->change == Change::likely_worse);
}

TEST_CASE("wide repeats are undecided, and the sentence says so") {
  Sweeps sweeps;
  sweeps.add({100, 140, 70}).add({90, 130, 60});
  CHECK(sweeps.change() == Change::undecided);
  CHECK(sweeps.sentence() ==
        "Undecided: 90 IOPS, 10 % fewer than the sweep before it (100). Its spread is too wide to "
        "tell more.");
}

TEST_CASE("a sweep that did nothing is no baseline, no level, and is not judged") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Sweeps sweeps;
  sweeps.add_all({100, 0, nan, 102});
  const History history = sweeps.history();
  CHECK(history.points.size() == 4);
  CHECK(std::isnan(history.points[2].iops));
  CHECK(history.baseline->sweep_ids == Ids{1});
  CHECK(history.changes.left_out.size() == 2);
  sweeps.add({0});
  CHECK_FALSE(sweeps.history().newest->comparison);
  CHECK(sweeps.sentence() == "It has no IOPS to compare.");
  // One stalled repeat of three: the median stands, as a single value.
  sweeps.add({100, 0, 101});
  CHECK(sweeps.history().points.back().iops == 100);
  CHECK(sweeps.change() == Change::undecided);
}

TEST_CASE("a change is told in a sentence") {
  ChangePoint change;
  change.before = 12'400;
  change.after = 9'050;
  change.ratio = change.after / change.before;
  change.values_before = 12;
  change.values_after = 8;
  CHECK(change_sentence(change) ==
        "27 % fewer IOPS from here on: 9 050 (median of 8 sweeps), before 12 400 (of 12).");
}

TEST_CASE("a mark stands where the surroundings changed, against the last time they were known") {
  Sweeps sweeps;
  sweeps.add_all({100, 100, 100, 100});
  Circumstances alpha, unknown, beta;
  alpha.host = "alpha";
  alpha.os = "Linux 6.1";
  alpha.program_version = "0.1.0";
  alpha.firmware = "F1";
  beta = alpha;
  beta.host = "beta";
  beta.firmware = "F2";
  sweeps.series.circumstances = {alpha, unknown, beta};
  for (std::size_t i = 0; i < 4; ++i) {
    sweeps.series.runs[i].circumstances = i < 2 ? i : 2;
    sweeps.series.runs[i].governor = i == 3 ? "powersave" : "performance";
  }
  sweeps.series.runs[3].engine_flags = engine_flag::fixed_buffers | engine_flag::polled;
  const std::vector<Mark> marks = sweeps.history().marks;
  REQUIRE(marks.size() == 4);
  const auto told = [&](std::size_t i) {
    return std::to_string(marks[i].at) + " " + marks[i].field + ": " + marks[i].from + " -> " +
           marks[i].to;
  };
  CHECK(told(0) == "2 host: alpha -> beta");
  CHECK(told(1) == "2 firmware: F1 -> F2");
  CHECK(told(2) == "3 governor: performance -> powersave");
  CHECK(told(3) == "3 engine_flags: none -> fixed_buffers polled");
}
