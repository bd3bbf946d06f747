// Our own export and the way back: what one daemon wrote another one holds.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "api/export_json.h"
#include "api/import_export.h"
#include "tests/api_export_house.h"

using namespace iobenchd;
using namespace iobenchd::export_test;

namespace {

// The ids are each database's own.
Json without_ids(const std::string& text) {
  Json document = api::parse_strict(text);
  document["sweep"].erase("id");
  for (Json& run : document["runs"]) run.erase("id");
  for (Json& point : document["result"]["points"]) point.erase("run_ids");
  return document;
}

std::vector<Run> all_runs() {
  std::vector<Run> runs = curve_of_reads();
  runs.push_back(full_run());
  Run failed = measured_run(Rw::randread, 16, 1000);
  failed.state = RunState::failed;
  failed.error = "read at offset 4096: Input/output error";
  failed.measurement = Measurement{};
  runs.push_back(failed);
  Run drift = measured_run(Rw::randread, 1, 9'900);
  drift.is_drift_check = true;
  runs.push_back(drift);
  Run imported;
  imported.state = RunState::done;
  imported.setting = {Rw::write, 65536, 32, 4};
  imported.imported_figures = true;
  imported.imported.iops = 1234.5678901234;
  imported.imported.bandwidth_bytes_per_s = 80'908'640.5;
  imported.imported.latency_mean_ns = 103'123.4567;
  imported.imported.write = {1234.5, 80'908'640.5, 103'123.4, 1, 2, 3, 4, 5, 6, 7};
  imported.imported.fsync.latency_p99_ns = 8;
  imported.measurement.ioengine = IoEngine::automatic;
  runs.push_back(imported);
  return runs;
}

Sweep full_sweep() {
  Sweep sweep = done_sweep("all of it");
  SweepSpec& spec = sweep.spec;
  spec.target = "/dev/sdb";
  spec.size_bytes = 1 << 20;
  spec.offset_bytes = 4096;
  spec.rw = {Rw::randread, Rw::randrw};
  spec.bs = {4096, 65536};
  spec.iodepth = {1, 32};
  spec.runtime_ns = 300'000'007;
  spec.ramp_time_ns = 1;
  spec.repeats = 2;
  spec.repeats_most = 5;
  spec.ci_percent = 2.5;
  spec.order = Order::given;
  spec.ioengine = IoEngine::io_uring;
  spec.layout = Layout::shared;
  spec.latency_limit = LatencyLimit{Statistic::mean, 123'456};
  spec.workload.rate_iops = 500;
  spec.workload.random_distribution = {Distribution::zipf, 1.2};
  spec.workload.fsync = 8;
  spec.cpus_allowed = "0-3";
  spec.confirm = "destroy Test Disk S1";
  sweep.plan.seconds = 12.25;
  sweep.answer = "4 jobs.";
  sweep.error = "one run failed";
  sweep.notes = "a note\nof two lines, \xC3\xA4";
  sweep.pinned = true;
  return sweep;
}

std::string complaint(House& house, const Json& document) {
  const Response response = house.import(document.dump());
  CHECK(response.status == 422);
  return response.body;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an export that was imported by another daemon is the same export there, but for ids") {
  House here, there;
  const std::int64_t other = there.keep(done_sweep("in the way"), curve_of_reads());
  Sweep sweep = full_sweep();
  sweep.uuid = "01939d2e-7b1c-7000-8000-00000000000a";
  const std::string first = here.exported(here.keep(sweep, all_runs()), "json");
  const Response response = there.import(first);
  REQUIRE_MESSAGE(response.status == 201, response.body);
  const Json answer = api::parse_strict(response.body);
  const auto id = answer["id"].get<std::int64_t>();
  CHECK(id != other);
  CHECK(answer["uuid"] == sweep.uuid);
  CHECK(answer["origin"] == "imported");
  CHECK(answer["host"] == "alpha");
  CHECK(answer["answer"] == "4 jobs.");
  CHECK(without_ids(there.exported(id, "json")) == without_ids(first));
}

TEST_CASE("what comes back is what was kept: histograms, samples, jobs, times to the nanosecond") {
  House here, there;
  const std::int64_t id = here.keep(full_sweep(), all_runs());
  REQUIRE(there.import(here.exported(id, "json")).status == 201);
  const std::vector<Run> before = here.store.runs().of_sweep(id);
  const std::vector<Run> after = there.store.runs().of_sweep(1);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CAPTURE(i);
    const Measurement &a = before[i].measurement, &b = after[i].measurement;
    CHECK(before[i].started_at_ns == after[i].started_at_ns);
    CHECK(a.read.latency.buckets == b.read.latency.buckets);
    CHECK(a.fsync.latency.buckets == b.fsync.latency.buckets);
    CHECK(a.fsync.latency.max_ns == b.fsync.latency.max_ns);
    CHECK(a.write.latency.sum_ns == b.write.latency.sum_ns);
    CHECK(a.samples.size() == b.samples.size());
    CHECK(a.jobs.size() == b.jobs.size());
    CHECK(a.engine_flags == b.engine_flags);
    CHECK(before[i].imported.iops == after[i].imported.iops);
    CHECK(before[i].imported.write.latency_p99_9_ns == after[i].imported.write.latency_p99_9_ns);
    CHECK(before[i].circumstances.mount_options == after[i].circumstances.mount_options);
  }
  CHECK(after[0].started_at_ns == 1'767'323'045'123'456'789);
  const auto sweep = there.store.sweeps().find(1);
  REQUIRE(sweep.has_value());
  CHECK(sweep->finished_at_ns == 1'767'323'200'000'000'003);
  CHECK(sweep->spec.runtime_ns == 300'000'007);
  CHECK(sweep->spec.latency_limit == LatencyLimit{Statistic::mean, 123'456});
  CHECK(sweep->spec.confirm.empty());  // it confirmed what was done there
  CHECK(sweep->pinned);
}

TEST_CASE("an imported table goes out and comes back, without a runtime, by any other name") {
  House here, there;
  const Response table = here.call(api::post_import, "/api/v1/imports",
                                   "# iodepth 32\nrw,numjobs,iops\nread,1,100\nread,2,190\n", {},
                                   {{"content-type", "text/csv"}});
  REQUIRE(table.status == 201);
  const std::string document = here.exported(1, "json");
  REQUIRE(there.import(document).status == 201);
  CHECK(without_ids(there.exported(1, "json")) == without_ids(document));
  CHECK(there.store.sweeps().find(1)->spec.runtime_ns == 0);
}

TEST_CASE("the same sweep twice is refused and says which one it is") {
  House house;
  const std::int64_t id = house.keep(full_sweep(), all_runs());
  const Response response = house.import(house.exported(id, "json"));
  CHECK(response.status == 409);
  CHECK(says(response.body, "/api/v1/sweeps/" + std::to_string(id)));
}

TEST_CASE(
    "every wrong field of an edited document is named with its pointer, and nothing is kept") {
  House house, other;
  Json document = api::parse_strict(other.exported(other.keep(full_sweep(), all_runs()), "json"));
  document["sweep"]["uuid"] = "not-a-uuid";
  document["sweep"]["state"] = "running";
  document["sweep"]["spec"]["bs"] = {4096, 1U << 30};
  document["sweep"]["plan"]["settings"][0]["numjobs"] = 0;
  document["sweep"]["colour"] = "red";
  document["runs"][0]["measurement"]["read"]["latency"]["count"] = 7;
  document["runs"][1]["measurement"]["read"]["latency"]["histogram"][0] = {80'001, 1};
  document["runs"][2].erase("health");
  document["runs"][3]["seed"] = -1;
  document["runs"][4]["measurement"]["jobs"][1]["read_ios"] = 1.5;
  document["runs"][4]["measurement"]["engine_flags"] = {"warp"};
  document["runs"][5]["state"] = "running";
  document["runs"][6]["started_at"] = "yesterday";
  document["runs"][7]["imported"]["iops"] = "many";
  const std::string text = complaint(house, document);
  for (const char* pointer :
       {"#/sweep/uuid", "#/sweep/state", "#/sweep/spec/bs/1", "#/sweep/plan/settings/0/numjobs",
        "#/sweep/colour", "#/runs/0/measurement/read/latency/count",
        "#/runs/1/measurement/read/latency/histogram/0", "#/runs/2/health", "#/runs/3/seed",
        "#/runs/4/measurement/jobs/1/read_ios", "#/runs/4/measurement/engine_flags/0",
        "#/runs/5/state", "#/runs/6/started_at", "#/runs/7/imported/iops"}) {
    CAPTURE(pointer);
    CHECK(says(text, std::string("\"pointer\":\"") + pointer + "\""));
  }
  CHECK(house.store.sweeps().list({}, 0, 1).items.empty());
}

TEST_CASE("a document of another version, another shape or cut short is refused with the reason") {
  House house;
  CHECK(says(complaint(house, {{"iobenchd_export", 2}}), "from 1 to 1"));
  CHECK(says(complaint(house, {{"iobenchd_export", 1}}), "#/sweep"));
  CHECK(says(complaint(house, {{"iobenchd_export", 1}, {"sweep", 3}, {"runs", "x"}}), "#/runs"));
  CHECK(house.import("{\"iobenchd_export\": 1, \"sweep\": {").status == 400);
  CHECK(house.import("[1]").status == 422);
  CHECK(house.import("{\"iobenchd_export\": 1}", {{"bs", "4k"}}).status == 400);
}

TEST_CASE("a document that is wrong all over is answered with fifty reasons at most") {
  House house;
  Json document = {{"iobenchd_export", 1}, {"runs", Json::array()}};
  for (int i = 0; i < 1000; ++i) document["runs"].push_back({{"wrong", i}});
  const Json problem = api::parse_strict(complaint(house, document));
  CHECK(problem["errors"].size() == 50);
}

TEST_CASE("numbers no store could keep are refused, not wrapped") {
  House house, other;
  const Json good = api::parse_strict(other.exported(other.keep(full_sweep(), all_runs()), "json"));
  for (const std::uint64_t much : {std::uint64_t{1} << 53, ~std::uint64_t{0}}) {
    Json document = good;
    Json& latency = document["runs"][0]["measurement"]["read"]["latency"];
    latency["histogram"] = Json::array({Json::array({80'384, much})});
    latency["count"] = much;
    CHECK(says(complaint(house, document), "#/runs/0/measurement/read/latency"));
  }
}

TEST_CASE("times in an export are exact: 2026-01-02 03:04:05.123456789") {
  CHECK(api::exact_time(1'767'323'045'123'456'789) == "2026-01-02T03:04:05.123456789Z");
  CHECK(api::exact_time(1'767'323'045'000'000'001) == "2026-01-02T03:04:05.000000001Z");
  CHECK(api::exact_time(0).empty());
}
