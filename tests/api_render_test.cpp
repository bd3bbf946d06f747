// What the world sees of a sweep, a run, a disk: names, units, and null for what nobody knows.
#include <doctest/doctest.h>

#include <limits>

#include "api/client.h"
#include "api/render.h"
#include "api/strict_json.h"

using namespace iobenchd;
using api::Json;

namespace {

Point measured_point() {
  Point point;
  point.setting = {Rw::randread, 4096, 32, 8};
  point.repeats = 3;
  point.iops = 439728;
  point.iops_ci95 = std::pair(430000.0, 449456.0);
  point.bandwidth_bytes_per_s = 439728.0 * 4096;
  point.latency_mean_ns = 58220;
  point.latency_p99_ns = 117248;
  point.latency_max_ns = 180736;
  point.load_average = 1.5;
  point.note = "near_peak";
  point.run_ids = {4, 5, 6};
  return point;
}

}  // namespace

TEST_CASE("a point is shown with the model's own names and its setting") {
  const Json json = api::render_result({{measured_point()}, {}, "8 jobs.", {}})["points"][0];
  CHECK(json["rw"] == "randread");
  CHECK(json["bs"] == 4096);
  CHECK(json["numjobs"] == 8);
  CHECK(json["iops"] == 439728.0);
  CHECK(json["iops_ci95"]["low"] == 430000.0);
  CHECK(json["latency_p99_ns"] == 117248);
  CHECK(json["load_average"] == 1.5);
  CHECK(json["run_ids"] == Json({4, 5, 6}));
  CHECK_FALSE(json["failed"].get<bool>());
}

TEST_CASE("a failed point has no figures, not zeros") {
  Point point = measured_point();
  point.failed = true;
  const Json json = api::render_result({{point}, {}, "", {}})["points"][0];
  for (const char* name : {"iops", "iops_ci95", "bandwidth_bytes_per_s", "latency_mean_ns",
                           "latency_p99_ns", "cpu_user_percent", "concurrency"}) {
    CAPTURE(name);
    CHECK(json[name].is_null());
  }
}

TEST_CASE("a published table has a mean, but no percentiles and no CPU") {
  Point point = measured_point();
  point.has_percentiles = false;
  const Json json = api::render_result({{point}, {}, "", {}})["points"][0];
  CHECK(json["latency_mean_ns"] == 58220.0);
  CHECK(json["latency_p99_ns"].is_null());
  CHECK(json["cpu_per_io_ns"].is_null());
  CHECK(json["wakeup_delay_p99_ns"].is_null());
}

TEST_CASE("a percentile that wasn't printed is null, not 0") {
  Point point = measured_point();
  point.latency_min_ns = 43'119;
  point.latency_p50_ns = point.latency_p90_ns = point.latency_p99_ns = 0;
  point.latency_max_ns = 4'485'989;
  point.wakeup_delay_p99_ns = 0;
  Json json = api::render_result({{point}, {}, "", {}})["points"][0];
  CHECK(json["latency_min_ns"] == 43'119);
  CHECK(json["latency_p50_ns"].is_null());
  CHECK(json["latency_p99_ns"].is_null());
  CHECK(json["latency_max_ns"] == 4'485'989);
  CHECK(json["wakeup_delay_p99_ns"].is_null());
  point.latency_min_ns = 0;  // then 0 may be what was measured
  json = api::render_result({{point}, {}, "", {}})["points"][0];
  CHECK(json["latency_p50_ns"] == 0);
}

TEST_CASE("what is not a number never reaches JSON") {
  Point point = measured_point();
  point.iops = std::numeric_limits<double>::quiet_NaN();
  point.concurrency = std::numeric_limits<double>::infinity();
  Plan plan;
  plan.seconds = -std::numeric_limits<double>::infinity();
  const Json json = api::render_result({{point}, {}, "", {}})["points"][0];
  CHECK(json["iops"].is_null());
  CHECK(json["concurrency"].is_null());
  CHECK(api::render_plan(plan)["seconds"].is_null());
}

TEST_CASE("a curve's axis is null among its fields, and either the answer or the reason is there") {
  Curve curve;
  curve.setting = {Rw::randread, 4096, 32, 0};
  curve.sweet_spot = SweetSpot{8, 6, 8, "balance", 0.97, "repeats", 4, 9, 0.9, "6 to 8 jobs."};
  curve.latency_first = Opinion{4, "latency_first"};
  Json json = api::render_result({{}, {curve}, "", {}})["curves"][0];
  CHECK(json["axis"] == "numjobs");
  CHECK(json["numjobs"].is_null());
  CHECK(json["iodepth"] == 32);
  CHECK(json["sweet_spot"]["low"] == 6);
  CHECK(json["no_sweet_spot"].is_null());
  CHECK(json["latency_first"]["at"] == 4);
  CHECK(json["kneedle"].is_null());
  curve.sweet_spot.reset();
  curve.no_sweet_spot = Named{"not_saturated", "Measure more jobs."};
  json = api::render_result({{}, {curve}, "", {}})["curves"][0];
  CHECK(json["sweet_spot"].is_null());
  CHECK(json["no_sweet_spot"]["name"] == "not_saturated");
}

TEST_CASE(
    "a run's histogram is pairs of nanoseconds and counts, the last bucket its true maximum") {
  Run run;
  run.state = RunState::done;
  Histogram& latency = run.measurement.read.latency;
  latency.add(127);
  latency.add(1000);
  latency.add(1001);
  latency.add(60'000'000'000);
  const Json json = api::render_run(run, RunSummary{}, {});
  CHECK(json["read"]["histogram"] == Json({{127, 1}, {1004, 2}, {60'000'000'000, 1}}));
  CHECK(json["read"]["latency_p50_ns"] == 1004);  // the second of four
  CHECK(json["read"]["latency_p99_ns"] == 60'000'000'000);
  CHECK(json["write"]["histogram"] == Json::array());
  CHECK(json["write"]["latency_min_ns"].is_null());
  CHECK(json["write"]["latency_p99_99_ns"].is_null());
  CHECK(json["fsync"].is_null());
}

TEST_CASE("a run's fsyncs have percentiles as its reads and writes have") {
  Run run;
  run.state = RunState::done;
  Traffic& fsync = run.measurement.fsync;
  fsync.ios = 100;
  for (int i = 0; i < 99; ++i) fsync.latency.add(100);
  fsync.latency.add(127);
  const Json json = api::render_run(run, RunSummary{}, {})["fsync"];
  CHECK(json["latency_p50_ns"] == 100);
  CHECK(json["latency_p99_ns"] == 100);
  CHECK(json["latency_p99_9_ns"] == 127);
  CHECK(json["latency_max_ns"] == 127);
}

TEST_CASE("iobench's JSON is the sweep, and each run with all that is known of it") {
  Sweep sweep;
  sweep.id = 1;
  std::vector<Run> runs(2);
  runs[0].id = 4;
  runs[0].state = RunState::done;
  runs[0].measurement.read.latency.add(127);
  runs[0].measurement.jobs.resize(3);
  runs[0].circumstances.cpu = "Example 9000";
  runs[1].id = 5;
  runs[1].state = RunState::cancelled;
  const Json json = api::parse_strict(api::sweep_report(sweep, SweepResult{}, runs));
  CHECK(json["id"] == 1);
  CHECK(json["points"] == Json::array());
  REQUIRE(json["runs"].size() == 2);
  CHECK(json["runs"][0]["id"] == 4);
  CHECK(json["runs"][0]["read"]["histogram"] == Json({{127, 1}}));
  CHECK(json["runs"][0]["jobs"].size() == 3);
  CHECK(json["runs"][0]["circumstances"]["cpu"] == "Example 9000");
  CHECK(json["runs"][1]["state"] == "cancelled");
}

TEST_CASE("a point shows its fsyncs where it made any, with a rate and no bytes") {
  SweepResult result;
  result.points.resize(2);
  DirectionFigures& fsync = result.points[1].fsync.emplace();
  fsync.iops = 12.5;
  fsync.latency_mean_ns = 800'000;
  fsync.latency_p99_ns = 2'000'000;
  fsync.latency_max_ns = 3'000'000;
  const Json points = api::render_result(result)["points"];
  CHECK(points[0]["fsync"].is_null());
  CHECK(points[1]["fsync"]["fsyncs_per_s"] == 12.5);
  CHECK(points[1]["fsync"]["latency_mean_ns"] == 800'000);
  CHECK(points[1]["fsync"]["latency_p99_ns"] == 2'000'000);
  CHECK_FALSE(points[1]["fsync"].contains("bandwidth_bytes_per_s"));
}

TEST_CASE("a run that isn't done has no figures; an import's unknown engine is null") {
  RunSummary summary;
  summary.state = RunState::failed;
  summary.ioengine = IoEngine::automatic;
  summary.iops = 12;
  const Json json = api::render_run_summary(summary);
  CHECK(json["iops"].is_null());
  CHECK(json["ioengine"].is_null());
  CHECK(json["started_at"].is_null());
  CHECK(json["state"] == "failed");
}

TEST_CASE("a run that was stopped shows what it had seen, one that failed nothing") {
  Run run;
  run.measurement.measured_ns = 2'000'000'000;
  run.measurement.read.latency.add(127);
  RunSummary summary;
  summary.iops = 12;
  summary.measured_seconds = 2;
  for (const RunState state : {RunState::cancelled, RunState::interrupted, RunState::failed}) {
    run.state = summary.state = state;
    const Json json = api::render_run(run, summary, {});
    CHECK(json["iops"] == (state == RunState::failed ? Json(nullptr) : Json(12.0)));
    CHECK(json["read"].is_null() == (state == RunState::failed));
  }
  summary.state = RunState::cancelled;
  summary.measured_seconds = 0;
  CHECK(api::render_run_summary(summary)["iops"].is_null());
}

TEST_CASE("engine flags are shown by name") {
  RunSummary summary;
  summary.engine_flags = engine_flag::fixed_files | engine_flag::single_issuer;
  CHECK(api::render_run_summary(summary)["engine_flags"] == Json({"fixed_files", "single_issuer"}));
}

TEST_CASE("times are seconds, whole where they are whole") {
  SweepSpec spec;
  spec.runtime_ns = 30'000'000'000;
  spec.ramp_time_ns = 250'000'000;
  const Json json = api::render_spec(spec);
  CHECK(json["runtime"].dump() == "30");
  CHECK(json["ramp_time"].dump() == "0.25");
  CHECK(json["target"].is_null());
  CHECK(json["size"].is_null());
  CHECK(json["numjobs"] == "auto");
}

TEST_CASE("the phrase that confirms a write is not shown, so that no replay destroys anything") {
  SweepSpec spec;
  spec.confirm = "destroy CT1000P3PSSD8 1.0 TB";
  CHECK_FALSE(api::render_spec(spec).contains("confirm"));
}

TEST_CASE("a disk whose model is no UTF-8 can be shown") {
  scheduler::TargetView target;
  target.facts.kind = TargetKind::block_device;
  set_text(target.facts.path, "/dev/sdb");
  set_text(target.facts.model, "caf\xE9");
  const std::string text = api::to_text(api::render_target(target));
  CHECK(text.find("caf\xEF\xBF\xBD") != std::string::npos);
  CHECK(text.back() == '\n');
}

TEST_CASE("only a device has a phrase to confirm, only a disk that can't be asked an error") {
  scheduler::TargetView target;
  target.facts.kind = TargetKind::directory;
  target.facts.free_bytes = 4096;
  Json json = api::render_target(target);
  CHECK(json["confirm_phrase"].is_null());
  CHECK(json["free_bytes"] == 4096);
  CHECK(json["error"].is_null());
  target.facts.kind = TargetKind::block_device;
  target.facts.error_number = ETIMEDOUT;
  json = api::render_target(target);
  CHECK(json["confirm_phrase"].is_string());
  CHECK(json["free_bytes"].is_null());
  CHECK(json["error"].is_string());
}

TEST_CASE("an event tells what its kind tells, and whose it is") {
  Event event;
  event.sweep_id = 7;
  event.progress.runs_done = 3;
  Json json = api::render_event(event);
  CHECK(json["sweep_id"] == 7);
  CHECK(json["runs_done"] == 3);
  CHECK(json["current"].is_null());
  event.kind = EventKind::run;
  event.run.run_id = 12;
  json = api::render_event(event);
  CHECK(json["run"]["id"] == 12);
  CHECK(json["progress"]["runs_done"] == 3);
  event.kind = EventKind::state;
  event.state = SweepState::done;
  event.answer = "8 jobs.";
  json = api::render_event(event);
  CHECK(json["state"] == "done");
  CHECK(json["answer"] == "8 jobs.");
  CHECK(json["error"].is_null());
}
