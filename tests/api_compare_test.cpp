// GET /compare, asked as the front asks it: two sweeps, baselines, and a sweep among its like.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/handlers.h"
#include "api/respond.h"
#include "api/server.h"
#include "api/strict_json.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"
#include "tests/scheduler_fakes.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using Json = nlohmann::ordered_json;

namespace {

namespace fakes = scheduler::fakes;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr const char* raw = "baseline:openbsd60-2017-raw";
constexpr const char* block = "baseline:openbsd60-2017-block";

Settings settings_of(const std::string& scratch) {
  Settings settings;
  set_text(settings.scratch_dir, scratch);
  return settings;
}

struct House {
  // What a disk gave with 1, 2, 4, ... jobs.
  std::string stored(std::int64_t created_at_s, const std::vector<double>& iops,
                     const std::string& model = "Disk X") {
    Sweep sweep;
    sweep.state = SweepState::done;
    sweep.created_at_ns = created_at_s * second_ns;
    sweep.spec.numjobs_auto = false;
    std::vector<Run> runs;
    std::vector<RunSummary> summaries;
    for (const double value : iops) {
      Run run;
      run.state = RunState::done;
      run.setting.numjobs = 1U << runs.size();
      run.imported_figures = true;
      run.imported = {value, value * 4096, 0};
      run.measurement.direct = true;
      run.circumstances.model = model;
      run.circumstances.host = "beta";
      summaries.push_back(analysis::summarise(run));
      runs.push_back(std::move(run));
    }
    return std::to_string(store.runs().import(sweep, runs, summaries));
  }

  api::Response call(const std::string& base, const std::string& with,
                     const std::string& format = "json") {
    api::Request request;
    request.path = "/api/v1/compare";
    request.query = {{"base", base}, {"with", with}, {"format", format}};
    std::erase_if(request.query, [](const auto& pair) { return pair.second.empty(); });
    try {
      return api::get_comparison({store, hub, scheduler}, request);
    } catch (const Error& error) {
      return api::problem(error);
    }
  }

  Json compare(const std::string& base, const std::string& with) {
    const api::Response response = call(base, with);
    REQUIRE_MESSAGE(response.status == 200, response.body);
    return api::parse_strict(response.body);
  }

  TemporaryTree tree;
  storage::Store store{tree / "iobenchd.db"};
  events::Hub hub;
  fakes::FakeHost host;
  scheduler::Scheduler scheduler{store, hub, host, settings_of(tree.directory("scratch")), {}};
};

bool has_field(const Json& comparison, const std::string& field) {
  const Json& all = comparison["mismatches"];
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& mismatch) { return mismatch["field"] == field; });
}

}  // namespace

TEST_CASE("raw against block of 2017 says what the mail did") {
  House house;
  const Json found = house.compare(block, raw);
  CHECK(found["points"].size() == 7);
  CHECK(found["only_in_base"].empty());
  CHECK(found["only_in_with"].size() == 13);
  CHECK(found["summary"][0] ==
        "Sequential reads with 10 jobs: the raw device does 4.0 × the IOPS of the block device at "
        "4 KiB, 1.8 × at 64 KiB.");
  CHECK(found["summary"][1] ==
        "Random reads with 1 job: the raw device and the block device are equal at 4 KiB, 3.1 × at "
        "64 KiB.");
  const Json& first = found["points"][0];
  CHECK(first["setting"]["rw"] == "read");
  CHECK(first["iops"]["ratio"].get<double>() == doctest::Approx(190.0 / 48));
  CHECK(first["iops"]["change"] == "likely_better");
  CHECK(first["iops"]["ci95"].is_null());
  CHECK(first["latency_mean_ns"].is_null());
  CHECK_FALSE(has_field(found, "direct"));
  CHECK(has_field(found, "numjobs"));
}

TEST_CASE("a sweep is compared by its number and by its uuid, and beside a baseline") {
  House house;
  const std::string one = house.stored(1, {1000, 2000, 3000, 3100});
  const std::string other = house.stored(2, {2000, 4000, 6000, 6200});
  const Json found = house.compare(one, other);
  CHECK(found["points"].size() == 4);
  CHECK(found["base"]["host"] == "beta");
  CHECK(found["base"]["model"] == "Disk X");
  CHECK(found["curves"][0]["sweet_spot"]["ratio"] == 1.0);
  CHECK(found["curves"][0]["usl"]["lambda_ratio"].get<double>() == doctest::Approx(2));
  CHECK(found["nearest_along"].is_null());
  CHECK(house.compare(one, found["with"]["uuid"].get<std::string>())["with"]["id"] == other);
  const Json nearest = house.compare("baseline:openbsd77-2025", one);
  CHECK(nearest["nearest_along"] == "iodepth");
  CHECK(nearest["points"][0]["with_setting"]["iodepth"] == 1);
  CHECK(has_field(nearest, "iodepth"));
}

TEST_CASE("sweeps without a common setting are answered all the same") {
  House house;
  const Json found = house.compare(raw, "baseline:openbsd77-2025");
  // randread 4k 1 job of depth 1 beside one of depth 32: the nearest there is.
  CHECK(found["nearest_along"] == "iodepth");
  const std::string nothing = house.stored(1, {});
  const Json empty = house.compare(raw, nothing);
  CHECK(empty["points"].empty());
  CHECK(empty["summary"].size() == 1);
}

TEST_CASE("a drive among earlier sweeps of its model: never its own, never later ones") {
  House house;
  for (std::int64_t i = 1; i <= 10; ++i) house.stored(i, {100.0 * static_cast<double>(i), 1000});
  house.stored(5, {1, 1}, "Disk Y");
  const std::string judged = house.stored(20, {850, 1000});
  for (std::int64_t i = 30; i < 40; ++i) house.stored(i, {1, 1});
  const Json found = house.compare("model", judged);
  CHECK(found["model"] == "Disk X");
  CHECK(found["earlier_sweeps"] == 10);
  REQUIRE(found["standing"].size() == 2);
  const Json& first = found["standing"][0];
  CHECK(first["iops"] == 850.0);
  CHECK(first["percentile"] == 80.0);
  CHECK(first["median_iops"] == 550.0);
  CHECK(first["low"] == 100.0);
  CHECK(first["high"] == 1000.0);
  CHECK(first["sentence"] == "Faster than 80 % of 10 earlier sweeps of this model at 1 job.");
  CHECK(found["standing"][1]["percentile"] == 50.0);  // ten ties
  CHECK(found["summary"][0].get<std::string>().starts_with("Normal: all 2 points"));
}

TEST_CASE("the only sweep of a model isn't judged by itself") {
  House house;
  const std::string alone = house.stored(1, {1000});
  const Json found = house.compare("model", alone);
  CHECK(found["earlier_sweeps"] == 0);
  CHECK(found["standing"][0]["percentile"].is_null());
  CHECK(found["standing"][0]["sentence"] == "No earlier sweep of this model at 1 job.");
  CHECK(found["summary"][0] == "No earlier sweep of Disk X measured any of these settings.");
}

TEST_CASE("a comparison is a table for people as well") {
  House house;
  const std::string one = house.stored(1, {1000, 2000}), other = house.stored(2, {2000, 4000});
  const api::Response text = house.call(one, other, "text");
  CHECK(text.content_type == "text/plain; charset=utf-8");
  CHECK(text.body.find("Base: sweep 1, beta, Disk X\n") != std::string::npos);
  CHECK(text.body.find("base IOPS") != std::string::npos);
  CHECK(text.body.find("2.00") != std::string::npos);
  CHECK(text.body.find("likely better") != std::string::npos);
  CHECK(house.call("model", other, "text").body.find("faster than") != std::string::npos);
}

TEST_CASE("wrong sides of a comparison are named") {
  House house;
  const std::string one = house.stored(1, {1000});
  CHECK(house.call("", one).status == 400);
  CHECK(house.call(one, "").status == 400);
  CHECK(house.call(one, "model").status == 400);
  CHECK(house.call("model", raw).status == 400);
  CHECK(house.call("model", "17").status == 404);
  CHECK(house.call("baseline:none", one).status == 404);
  CHECK(house.call(one, "17").status == 404);
}
