#include <doctest/doctest.h>

#include <algorithm>

#include "daemon/model/event.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd {
namespace {

bool names(const std::vector<FieldError>& errors, std::string_view field) {
  return std::any_of(errors.begin(), errors.end(),
                     [&](const FieldError& error) { return error.field == field; });
}

TEST_CASE("an empty request is the quick preset: reads only, 4k, depth 1, numjobs auto") {
  const auto spec = preset_spec("quick");
  REQUIRE(spec);
  CHECK(spec->rw == std::vector{Rw::randread});
  CHECK(spec->bs == std::vector<std::uint32_t>{4096});
  CHECK(spec->iodepth == std::vector<std::uint32_t>{1});
  CHECK(spec->numjobs_auto);
  CHECK(validate(*spec).empty());
  CHECK(validate(SweepSpec{}).empty());
}

TEST_CASE("the published preset is the article's grid: 12 points of 10 + 30 s on 64 GiB") {
  const auto spec = preset_spec("published");
  REQUIRE(spec);
  CHECK(spec->rw == std::vector{Rw::randread, Rw::randwrite});
  CHECK(spec->numjobs == std::vector<std::uint32_t>{1, 2, 4, 8, 18, 32});
  CHECK_FALSE(spec->numjobs_auto);
  CHECK(spec->iodepth == std::vector<std::uint32_t>{32});
  CHECK(spec->size_bytes == 68'719'476'736);
  CHECK(spec->runtime_ns == 30'000'000'000);
  CHECK(spec->ramp_time_ns == 10'000'000'000);
  CHECK(validate(*spec).empty());
}

TEST_CASE("the 2017 preset reads two ways in four block sizes, with 1, 10, 20 and 40 jobs") {
  const auto spec = preset_spec("published-2017");
  REQUIRE(spec);
  CHECK(spec->rw == std::vector{Rw::read, Rw::randread});
  CHECK(spec->bs == std::vector<std::uint32_t>{4096, 16384, 32768, 65536});
  CHECK(spec->numjobs == std::vector<std::uint32_t>{1, 10, 20, 40});
  CHECK(validate(*spec).empty());
  CHECK_FALSE(preset_spec("published-2018"));
}

TEST_CASE("every wrong field is named, not only the first") {
  SweepSpec spec;
  spec.preset = "slow";
  spec.rw = {};
  spec.bs = {1000};
  spec.iodepth = {0};
  spec.numjobs_auto = false;
  spec.numjobs = {0, 2, 2};
  spec.runtime_ns = 0;
  spec.repeats = 0;
  spec.target = "sdb";
  const auto errors = validate(spec);
  for (const char* field : {"preset", "rw", "bs", "iodepth", "numjobs[0]", "numjobs[2]", "runtime",
                            "repeats", "target"})
    CHECK_MESSAGE(names(errors, field), field);
  CHECK(errors.size() == 9);
}

TEST_CASE("1000 bytes are no block, and the answer offers the 1024 that are") {
  SweepSpec spec;
  spec.bs = {1000};
  const auto errors = validate(spec);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message.find("1024") != std::string::npos);
}

TEST_CASE("threads: 128 jobs of depth 32 are 4096 threads and pass, 129 don't") {
  SweepSpec spec;
  spec.ioengine = IoEngine::threads;
  spec.iodepth = {32};
  spec.numjobs_auto = false;
  spec.numjobs = {128};
  CHECK(validate(spec).empty());
  spec.numjobs = {129};
  CHECK(names(validate(spec), "numjobs"));
  spec.ioengine = IoEngine::io_uring;
  CHECK(validate(spec).empty());
}

TEST_CASE("a grid of 10 001 runs is refused, one of 10 000 is not") {
  SweepSpec spec;
  spec.numjobs_auto = false;
  spec.numjobs.clear();
  for (std::uint32_t jobs = 1; jobs <= 100; ++jobs) spec.numjobs.push_back(jobs);
  spec.repeats = 100;
  CHECK(validate(spec).empty());
  spec.numjobs.push_back(101);
  CHECK(names(validate(spec), ""));
  spec.repeats = 3;
  CHECK(validate(spec).empty());
  spec.repeats_most = 100;  // until intervals are narrow: the most there may be
  CHECK(names(validate(spec), ""));
}

TEST_CASE("offset and per_job need what they speak of") {
  SweepSpec spec;
  spec.offset_bytes = 4096;
  CHECK(names(validate(spec), "offset"));
  spec.target = "/dev/sdb";
  CHECK(validate(spec).empty());
  spec.layout = Layout::per_job;
  CHECK(names(validate(spec), "layout"));
}

TEST_CASE("every word of the model reads back as what was written") {
  for (const auto value : {Order::shuffled, Order::given})
    CHECK(parse_order(to_string(value)) == value);
  for (const auto value : {Layout::shared, Layout::per_job})
    CHECK(parse_layout(to_string(value)) == value);
  for (const auto value : {SweepState::queued, SweepState::running, SweepState::done,
                           SweepState::failed, SweepState::cancelled})
    CHECK(parse_sweep_state(to_string(value)) == value);
  for (const auto value : {RunState::running, RunState::done, RunState::failed,
                           RunState::interrupted, RunState::cancelled})
    CHECK(parse_run_state(to_string(value)) == value);
  for (const auto value : {Origin::local, Origin::imported})
    CHECK(parse_origin(to_string(value)) == value);
  CHECK(parse_on_restart("continue") == OnRestart::resume);
  CHECK(parse_on_restart("fail") == OnRestart::fail);
  CHECK_FALSE(parse_on_restart("resume"));
  CHECK_FALSE(parse_order(""));
  CHECK(to_string(SweepPhase::reference) == "reference");
  CHECK(to_string(SweepPhase::finished) == "finished");
}

}  // namespace
}  // namespace iobenchd
