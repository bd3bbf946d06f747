#include "daemon/scheduler/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace iobenchd::scheduler {
namespace {

SweepSpec grid(std::vector<std::uint32_t> numjobs) {
  SweepSpec spec;
  spec.numjobs_auto = false;
  spec.numjobs = std::move(numjobs);
  return spec;
}

// What a disk with X(n) = 1000 n / (1 + 0.05 (n - 1) + 0.001 n (n - 1)) does: greatest near 31
// jobs.
double usl(std::uint32_t n) {
  const double jobs = n;
  return 1000 * jobs / (1 + 0.05 * (jobs - 1) + 0.001 * jobs * (jobs - 1));
}

std::vector<PlannedRun> play(Schedule& schedule) {
  std::vector<PlannedRun> runs;
  std::size_t announced = schedule.most_left();
  while (const auto run = schedule.next()) {
    CHECK(schedule.most_left() >= 1);
    CHECK(runs.size() + schedule.most_left() <= announced);  // "at most" never grows
    announced = runs.size() + schedule.most_left();
    schedule.note(*run, usl(run->setting.numjobs));
    runs.push_back(*run);
    REQUIRE(runs.size() < 1000);
  }
  CHECK(schedule.most_left() == 0);
  return runs;
}

std::vector<std::uint32_t> jobs_of(const std::vector<PlannedRun>& runs) {
  std::vector<std::uint32_t> jobs;
  for (const PlannedRun& run : runs) jobs.push_back(run.setting.numjobs);
  return jobs;
}

TEST_CASE("given order is kept, and the first point is measured again last") {
  SweepSpec spec = grid({1, 2, 4, 8});
  spec.order = Order::given;
  Schedule schedule(spec, 8, 1);
  const auto runs = play(schedule);
  CHECK(jobs_of(runs) == std::vector<std::uint32_t>{1, 2, 4, 8, 1});
  CHECK(runs.back().is_drift_check);
}

TEST_CASE("shuffled: the curve's first point first, every other once, the drift check last") {
  SweepSpec spec = grid({1, 2, 4, 8, 16, 32});
  spec.repeats = 3;
  Schedule schedule(spec, 32, 7);
  auto runs = play(schedule);
  REQUIRE(runs.size() == 19);
  CHECK(runs.front() == PlannedRun{{Rw::randread, 4096, 1, 1}, 0, false});
  CHECK(runs.back() == PlannedRun{{Rw::randread, 4096, 1, 1}, 0, true});
  std::vector<std::uint32_t> jobs = jobs_of(runs);
  CHECK_FALSE(std::is_sorted(jobs.begin(), jobs.end() - 1));
  std::sort(runs.begin(), runs.end());
  CHECK(std::adjacent_find(runs.begin(), runs.end()) == runs.end());
}

TEST_CASE("the same seed gives the same order, another one another") {
  const SweepSpec spec = grid({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  Schedule one(spec, 10, 42), same(spec, 10, 42), other(spec, 10, 43);
  const auto first = play(one);
  CHECK(first == play(same));
  CHECK(first != play(other));
}

TEST_CASE("two curves are interleaved: neither is measured as a block") {
  SweepSpec spec = grid({1, 2, 4, 8, 16, 32});
  spec.rw = {Rw::randread, Rw::randwrite};
  Schedule schedule(spec, 32, 3);
  const auto runs = play(schedule);
  REQUIRE(runs.size() == 14);
  int changes = 0;
  for (std::size_t i = 1; i < 12; ++i)
    changes += runs[i].setting.rw != runs[i - 1].setting.rw ? 1 : 0;
  CHECK(changes >= 3);
  CHECK(runs[12].is_drift_check);
  CHECK(runs[13].is_drift_check);
}

TEST_CASE("auto doubles until it doesn't pay, fills the band, and checks the drift") {
  SweepSpec spec;
  Schedule schedule(spec, 128, 1);
  const auto runs = play(schedule);
  const auto jobs = jobs_of(runs);
  REQUIRE(jobs.size() >= 7);
  for (const std::uint32_t n : {1U, 2U, 4U, 8U, 16U, 32U})
    CHECK(std::count(jobs.begin(), jobs.end(), n) >= 1);
  CHECK(jobs.size() <= 15);
  CHECK(runs.back().is_drift_check);
  CHECK(runs.back().setting.numjobs == 1);
}

TEST_CASE("before the first run a sweep announces every run it may need") {
  SweepSpec spec;
  CHECK(Schedule(spec, 128, 1).most_left() == 8 + 6 + 1);  // 1, 2 ... 128, the band, the drift
  CHECK(Schedule(spec, 100, 1).most_left() == 8 + 6 + 1);  // 1, 2 ... 64, 100
  spec.repeats = 3;
  CHECK(Schedule(spec, 128, 1).most_left() == (8 + 6) * 3 + 1);
  CHECK(Schedule(grid({1, 4, 16}), 16, 1).most_left() == 3 + 1);
}

TEST_CASE("a restarted sweep measures exactly what is missing") {
  SweepSpec spec;
  Schedule whole(spec, 128, 1);
  const auto runs = play(whole);
  for (std::size_t done = 0; done <= runs.size(); ++done) {
    Schedule again(spec, 128, 99);
    for (std::size_t i = 0; i < done; ++i) again.note(runs[i], usl(runs[i].setting.numjobs));
    auto rest = play(again);
    CHECK(rest.size() == runs.size() - done);
  }
}

TEST_CASE("a point that fails is not asked for again, and auto doesn't go beyond it") {
  SweepSpec spec;
  Schedule schedule(spec, 128, 1);
  std::vector<std::uint32_t> asked;
  while (const auto run = schedule.next()) {
    asked.push_back(run->setting.numjobs);
    const bool fails = run->setting.numjobs >= 16;
    schedule.note(*run, fails ? std::nullopt : std::optional(1000.0 * run->setting.numjobs));
    REQUIRE(asked.size() < 50);
  }
  CHECK(std::count(asked.begin(), asked.end(), 16U) == 1);
  CHECK(std::count(asked.begin(), asked.end(), 32U) == 0);
}

TEST_CASE("where nothing can be measured auto ends at once") {
  SweepSpec spec;
  Schedule schedule(spec, 128, 1);
  std::size_t asked = 0;
  while (const auto run = schedule.next()) {
    schedule.note(*run, std::nullopt);
    REQUIRE(++asked < 10);
  }
  CHECK(asked == 1);
}

TEST_CASE("refine adds integers of the band to a given grid, at most six") {
  SweepSpec spec = grid({1, 4, 16, 64});
  spec.refine = true;
  Schedule schedule(spec, 64, 1);
  const auto runs = play(schedule);
  CHECK(runs.size() > 5);
  CHECK(runs.size() <= 4 + 6 + 1);
}

TEST_CASE("a range of repeats is measured until each interval is narrow, or there are enough") {
  SweepSpec spec = grid({1, 8});
  spec.repeats = 3;
  spec.repeats_most = 6;
  spec.ci_percent = 5;
  Schedule schedule(spec, 8, 1);
  std::size_t announced = schedule.most_left(), done = 0;
  CHECK(announced == 2 * 6 + 1);
  std::map<std::uint32_t, std::uint32_t> runs;
  while (const auto run = schedule.next()) {
    CHECK(done + schedule.most_left() <= announced);
    announced = done + schedule.most_left();
    // One job gives 100 again and again; eight jobs swing by 10 %, too much for +-5 % of ten runs.
    const std::uint32_t n = run->setting.numjobs;
    const double swing = run->repeat % 2 == 0 ? 90 : 110;
    schedule.note(*run, n == 1 ? 100.0 : swing);
    if (!run->is_drift_check) ++runs[n];
    REQUIRE(++done < 50);
  }
  CHECK(runs[1] == 3);
  CHECK(runs[8] == 6);
  CHECK(schedule.most_left() == 0);
}

TEST_CASE("curves along iodepth or bs: the first point of each is measured first, and again last") {
  struct Case {
    std::vector<std::uint32_t> iodepth, bs;
    std::vector<Setting> firsts;
  };
  const std::vector<Case> cases{
      {{1, 8, 32}, {4096}, {{Rw::randread, 4096, 1, 2}}},
      {{1, 8}, {4096, 65536}, {{Rw::randread, 4096, 1, 2}, {Rw::randread, 65536, 1, 2}}},
      {{8}, {4096, 16384, 65536}, {{Rw::randread, 4096, 8, 2}}}};
  for (const Case& one : cases) {
    SweepSpec spec = grid({2});
    spec.iodepth = one.iodepth;
    spec.bs = one.bs;
    spec.repeats = 2;
    Schedule schedule(spec, 2, 5);
    CHECK(schedule.most_left() ==
          one.iodepth.size() * one.bs.size() * spec.repeats + one.firsts.size());
    const auto runs = play(schedule);
    std::vector<Setting> begin, end;
    for (std::size_t i = 0; i < one.firsts.size(); ++i) begin.push_back(runs[i].setting);
    for (const PlannedRun& run : runs) {
      if (run.is_drift_check) end.push_back(run.setting);
    }
    std::sort(begin.begin(), begin.end());
    CHECK(begin == one.firsts);
    CHECK(end == one.firsts);
    CHECK(runs.back().is_drift_check);
  }
}

TEST_CASE("a curve with one good point has no drift to check") {
  SweepSpec spec = grid({1});
  spec.iodepth = {1, 8, 32};
  Schedule schedule(spec, 1, 1);
  std::size_t runs = 0;
  while (const auto run = schedule.next()) {
    CHECK_FALSE(run->is_drift_check);
    schedule.note(*run, run->setting.iodepth == 8 ? std::optional(1000.0) : std::nullopt);
    REQUIRE(++runs < 10);
  }
  CHECK(runs == 3);
}

TEST_CASE("a single point has no drift to check") {
  SweepSpec spec = grid({8});
  Schedule schedule(spec, 8, 1);
  CHECK(play(schedule).size() == 1);
}

}  // namespace
}  // namespace iobenchd::scheduler
