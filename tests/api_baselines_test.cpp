// The published tables that ship, and what they say.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "api/baselines.h"
#include "daemon/model/error.h"

using namespace iobenchd;
using api::Baseline;
using api::find_baseline;
using api::parse_openbsd60;

namespace {

constexpr const char* header = "device,pattern,threads,block_kib,total_mb_per_s\n";

const Point& point_of(const Baseline& baseline, const Setting& setting) {
  const auto& points = baseline.result.points;
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const Point& point) { return point.setting == setting; });
  REQUIRE(found != points.end());
  return *found;
}

const Curve& curve_of(const Baseline& baseline, Rw rw, std::uint32_t block_bytes) {
  const auto& curves = baseline.result.curves;
  const auto found = std::find_if(curves.begin(), curves.end(), [&](const Curve& curve) {
    return curve.setting.rw == rw && curve.setting.block_bytes == block_bytes;
  });
  REQUIRE(found != curves.end());
  return *found;
}

bool doubted(const Baseline& baseline, const std::string& name) {
  return std::any_of(baseline.result.warnings.begin(), baseline.result.warnings.end(),
                     [&](const Verdict& verdict) { return verdict.name == name; });
}

}  // namespace

TEST_CASE("three tables ship, and each says what wasn't published") {
  REQUIRE(api::baselines().size() == 3);
  for (const Baseline& baseline : api::baselines()) {
    CAPTURE(baseline.id);
    CHECK(find_baseline(baseline.id) == &baseline);
    CHECK(baseline.id.starts_with(api::baseline_prefix));
    CHECK_FALSE(baseline.unknown.empty());
    CHECK_FALSE(baseline.table.sweep.notes.empty());
    CHECK_FALSE(baseline.result.answer.empty());
    for (const Point& point : baseline.result.points) CHECK(point.run_ids.empty());
  }
  CHECK(find_baseline("baseline:none") == nullptr);
  CHECK(find_baseline("openbsd77-2025") == nullptr);
}

TEST_CASE("the table of 2025 is worth 6 to 8 jobs, and is doubted") {
  const Baseline& baseline = *find_baseline("baseline:openbsd77-2025");
  CHECK(baseline.table.runs.size() == 12);
  CHECK(baseline.result.answer.starts_with("6 to 8 jobs"));
  CHECK(doubted(baseline, "depth_not_attained"));
  CHECK(doubted(baseline, "exceeds_sync_bound"));
}

TEST_CASE("a megabyte of 2017 is 10^6 bytes, a block's KiB are 1024") {
  const Baseline& raw = *find_baseline("baseline:openbsd60-2017-raw");
  // 190 MB/s in blocks of 4096 bytes: 46 387 a second. With 2^20 it would be 48 640, with blocks of
  // 4000 bytes 47 500.
  const Point& point = point_of(raw, {Rw::read, 4096, 1, 10});
  CHECK(point.bandwidth_bytes_per_s == doctest::Approx(190'000'000));
  CHECK(point.iops == doctest::Approx(46386.72).epsilon(1e-6));
  CHECK_FALSE(point.has_latency);
  CHECK_FALSE(point.direct.has_value());
  CHECK(point.ioengine == IoEngine::automatic);
}

TEST_CASE("each block size of 2017 has a curve along its jobs: 10 are enough") {
  const Baseline& raw = *find_baseline("baseline:openbsd60-2017-raw");
  CHECK(raw.table.runs.size() == 20);
  const Curve& small = curve_of(raw, Rw::randread, 4096);
  CHECK(small.axis == "numjobs");
  CHECK(small.points.size() == 4);
  REQUIRE(small.sweet_spot.has_value());
  CHECK(small.sweet_spot->at == 10);
  CHECK(curve_of(raw, Rw::randread, 16384).sweet_spot->at == 10);
  CHECK(curve_of(raw, Rw::randread, 65536).no_sweet_spot->name == "too_few_points");
  const Baseline& block = *find_baseline("baseline:openbsd60-2017-block");
  CHECK(block.table.runs.size() == 7);
  CHECK(point_of(block, {Rw::randread, 65536, 1, 1}).bandwidth_bytes_per_s ==
        doctest::Approx(85'000'000));
}

TEST_CASE("an empty cell wasn't published, another device isn't asked for") {
  const std::string csv =
      std::string(header) + "rsd0c,read,1,4,121\nrsd0c,read,1,16,\nsd0c,read,1,4,9\n";
  CHECK(parse_openbsd60(csv, "rsd0c").runs.size() == 1);
  CHECK(parse_openbsd60(csv, "sd0c").runs.size() == 1);
  CHECK(parse_openbsd60(csv, "sd1c").runs.empty());
}

TEST_CASE("a table that isn't like 2017's is refused") {
  const auto refused = [](const std::string& csv) {
    CHECK_THROWS_AS((void)parse_openbsd60(csv, "sd0c"), Error);
  };
  refused("device,pattern\nsd0c,read\n");
  refused(std::string(header) + "sd0c,sideways,1,4,1\n");
  refused(std::string(header) + "sd0c,read,0,4,1\n");
  refused(std::string(header) + "sd0c,read,1,4k,1\n");
  refused(std::string(header) + "sd0c,read,1,4,-1\n");
}
