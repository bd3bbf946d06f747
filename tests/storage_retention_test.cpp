// Old measurements: thinned samples, what stays whole, and what is deleted where that is asked for.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "storage/retention.h"
#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

constexpr std::int64_t day_ns = 24LL * 3600 * 1'000'000'000;

Sample second_of(std::uint32_t second, std::uint64_t ios, bool ramp = false) {
  Sample sample;
  sample.second = second;
  sample.ramp = ramp;
  sample.span_ns = 1'000'000'000;
  sample.read_ios = ios;
  sample.read_bytes = ios * 4096;
  sample.latency_mean_ns = 1'000 * (second + 1);
  sample.latency_p50_ns = 900;
  sample.latency_p99_ns = 5'000 + second;
  sample.latency_max_ns = 90'000 - second;
  return sample;
}

std::vector<Sample> seconds(std::uint32_t ramp, std::uint32_t measured) {
  std::vector<Sample> samples;
  for (std::uint32_t i = 0; i < ramp + measured; ++i) {
    samples.push_back(second_of(i, 100, i < ramp));
  }
  return samples;
}

RetentionRules rules_of(std::uint32_t samples_days, std::uint32_t sweeps_days) {
  RetentionRules rules;
  rules.samples_days = samples_days;
  rules.sweeps_days = sweeps_days;
  rules.variation = [](std::span<const Sample>) { return 0.25; };
  return rules;
}

void tend_to_the_end(Store& store, const RetentionRules& rules) {
  int steps = 0;
  while (store.tend(rules)) REQUIRE(++steps < 100);
}

// A sweep that is over, with one run of 100 s that ended now.
std::int64_t long_sweep(Store& store, Clock& clock, const std::string& label) {
  const std::int64_t id = store.sweeps().create(sweep_named(label)).id;
  store.sweeps().set_started(id);
  Run run = run_of(id, 4, clock.now_ns);
  run.measurement.samples = seconds(0, 100);
  run.measurement.read.latency.add(100);
  stored_run(store, run);
  store.sweeps().finish(id, SweepState::done, "4 jobs.", "");
  return id;
}

}  // namespace

TEST_CASE("a minute of samples stays as it is") {
  CHECK(thinned(seconds(5, 45)).size() == 50);
  CHECK(thinned(seconds(0, 50))[7].span_ns == 1'000'000'000);
  CHECK(thinned({}).empty());
}

TEST_CASE("neighbouring seconds become one: sums, weighted mean, highest of the rest") {
  // 100 s are two in one: 50 are left.
  std::vector<Sample> samples = seconds(0, 100);
  samples[1].read_ios = 300;
  const std::vector<Sample> kept = thinned(samples);
  REQUIRE(kept.size() == 50);
  CHECK(kept[0].second == 0);
  CHECK(kept[1].second == 2);
  CHECK(kept[0].span_ns == 2'000'000'000);
  CHECK(kept[0].read_ios == 400);
  CHECK(kept[0].read_bytes == 200 * 4096);
  CHECK(kept[0].latency_mean_ns == 1'750);  // (100 x 1000 + 300 x 2000) / 400
  CHECK(kept[0].latency_p50_ns == 900);
  CHECK(kept[0].latency_p99_ns == 5'001);
  CHECK(kept[0].latency_max_ns == 90'000);
}

TEST_CASE("an hour is at most 60 samples, and the ramp stays apart from what was measured") {
  const std::vector<Sample> kept = thinned(seconds(600, 3'000));
  REQUIRE(kept.size() == 60);
  std::uint64_t ramp = 0, measured_ns = 0, ios = 0;
  for (const Sample& sample : kept) {
    if (sample.ramp) ++ramp;
    if (!sample.ramp) measured_ns += sample.span_ns;
    ios += sample.read_ios;
  }
  CHECK(ramp == 10);
  CHECK(measured_ns == 3'000'000'000'000);
  CHECK(ios == 360'000);
}

TEST_CASE("after 90 days samples are thinned and say so; the run and its histogram stay") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  const std::int64_t old = long_sweep(store, clock, "old");
  const std::int64_t pinned = long_sweep(store, clock, "pinned");
  store.sweeps().describe(pinned, {}, {}, true);
  clock.now_ns += 89 * day_ns;
  tend_to_the_end(store, rules_of(90, 0));
  CHECK_FALSE(store.runs().find(1)->measurement.samples_variation);
  const std::int64_t young = long_sweep(store, clock, "young");
  clock.now_ns += 2 * day_ns;
  tend_to_the_end(store, rules_of(90, 0));

  const Run thin = store.runs().of_sweep(old).at(0);
  CHECK(thin.measurement.samples.size() == 50);
  CHECK(thin.measurement.samples_variation == 0.25);
  CHECK(thin.measurement.read.latency.count == 1);
  for (const std::int64_t id : {pinned, young}) {
    const Run whole = store.runs().of_sweep(id).at(0);
    CHECK(whole.measurement.samples.size() == 100);
    CHECK_FALSE(whole.measurement.samples_variation);
  }
  CHECK(store.sweeps().list({}, 0, 50).items.size() == 3);
}

TEST_CASE("a day must pass before all is looked through again, or the clock be put back") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  tend_to_the_end(store, rules_of(90, 0));
  CHECK_FALSE(store.tend(rules_of(90, 0)));
  clock.now_ns += day_ns - 1;
  CHECK_FALSE(store.tend(rules_of(90, 0)));
  clock.now_ns += 1;
  CHECK(store.tend(rules_of(90, 0)));
  tend_to_the_end(store, rules_of(90, 0));
  clock.now_ns -= 5 * day_ns;
  CHECK(store.tend(rules_of(90, 0)));
}

TEST_CASE("0 days are for ever") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  static_cast<void>(long_sweep(store, clock, "kept"));
  clock.now_ns += 10'000 * day_ns;
  tend_to_the_end(store, rules_of(0, 0));
  CHECK(store.runs().find(1)->measurement.samples.size() == 100);
}

TEST_CASE(
    "old sweeps are deleted where that is asked for: not what is pinned, imported or queued") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  for (int i = 0; i < 12; ++i) static_cast<void>(long_sweep(store, clock, "old"));
  const std::int64_t pinned = long_sweep(store, clock, "pinned");
  store.sweeps().describe(pinned, {}, {}, true);
  const std::int64_t queued = store.sweeps().create(sweep_named("queued")).id;
  Sweep table = sweep_named("imported");
  table.state = SweepState::done;
  table.finished_at_ns = clock.now_ns;
  const std::int64_t imported = store.runs().import(table, {}, {});
  clock.now_ns += 31 * day_ns;
  const std::int64_t young = long_sweep(store, clock, "young");
  tend_to_the_end(store, rules_of(0, 30));
  std::vector<std::int64_t> left;
  for (const Sweep& sweep : store.sweeps().list({}, 0, 50).items) left.push_back(sweep.id);
  CHECK(left.size() == 4);
  for (const std::int64_t id : {pinned, queued, imported, young}) CHECK(store.sweeps().find(id));
  CHECK(store.runs().list({}, 0, 50).items.size() == 2);
}

TEST_CASE("one step changes few runs, so that a sweep never waits for long") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  const std::int64_t id = store.sweeps().create(sweep_named("")).id;
  for (std::uint32_t i = 0; i < 60; ++i) {
    Run run = run_of(id, 1, clock.now_ns);
    run.repeat = i;
    run.measurement.samples = seconds(0, 100);
    stored_run(store, run);
  }
  clock.now_ns += 91 * day_ns;
  CHECK(store.tend(rules_of(90, 0)));
  int thin = 0;
  for (const Run& run : store.runs().of_sweep(id))
    thin += run.measurement.samples_variation ? 1 : 0;
  CHECK(thin == 50);
  tend_to_the_end(store, rules_of(90, 0));
  CHECK(store.runs().find(60)->measurement.samples.size() == 50);
}
