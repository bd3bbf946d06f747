// The document and the daemon say the same: every route, every field, both ways.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "api/audit.h"
#include "api/export_json.h"
#include "api/http.h"
#include "api/openapi.h"
#include "api/parse.h"
#include "api/render.h"
#include "api/render_compare.h"
#include "api/render_history.h"
#include "api/strict_json.h"

using namespace iobenchd;
using api::Json;

namespace {

const Json& document() {
  static const Json parsed = api::parse_strict(api::openapi_json());
  return parsed;
}

const Json& schema_of(const std::string& name) {
  return document().at("components").at("schemas").at(name);
}

// Through $ref, and through the one alternative that isn't null.
const Json& resolved(const Json& schema) {
  if (schema.contains("$ref")) {
    const auto reference = schema.at("$ref").get<std::string>();
    return schema_of(reference.substr(reference.rfind('/') + 1));
  }
  if (schema.contains("allOf")) return resolved(schema.at("allOf").at(0));
  if (schema.contains("anyOf")) return resolved(schema.at("anyOf").at(0));
  return schema;
}

bool allows_type(const Json& schema, const std::string& type) {
  if (!schema.contains("type")) return true;
  const Json& types = schema.at("type");
  if (types.is_string()) return types == type;
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string type_of(const Json& value) {
  if (value.is_number_integer()) return "integer";
  if (value.is_number_float()) return "number";
  if (value.is_boolean()) return "boolean";
  if (value.is_string()) return "string";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "null";
}

bool fits(const Json& schema, const Json& value) {
  const std::string type = type_of(value);
  if (schema.contains("enum")) {
    const Json& known = schema.at("enum");
    if (std::find(known.begin(), known.end(), value) == known.end()) return false;
  }
  return allows_type(schema, type) || (type == "integer" && allows_type(schema, "number"));
}

// Every field of `value` is described, every described one is there. `where` is for the report.
void compare(const Json& value, const Json& described, const std::string& where) {
  CAPTURE(where);
  if (described.contains("oneOf")) return;  // numjobs, latency_limit: shapes of their own
  if (value.is_null() && described.contains("anyOf")) {  // a described object, or null
    CHECK(described.at("anyOf").at(1).at("type") == "null");
    return;
  }
  const Json& schema = resolved(described);
  CHECK_MESSAGE(fits(schema, value), value.dump());
  if (value.is_array() && schema.contains("items")) {
    for (const Json& entry : value) compare(entry, schema.at("items"), where + "[]");
  }
  if (!value.is_object()) return;
  REQUIRE(schema.contains("properties"));
  const Json& properties = schema.at("properties");
  for (const auto& [name, member] : value.items()) {
    CHECK_MESSAGE(properties.contains(name), "not described: ", where, ".", name);
    if (properties.contains(name)) compare(member, properties.at(name), where + "." + name);
  }
  for (const auto& [name, unused] : properties.items()) {
    CHECK_MESSAGE(value.contains(name), "described and never answered: ", where, ".", name);
  }
}

void compare(const Json& value, const std::string& name) {
  compare(value, schema_of(name), name);
}

// An example of everything, with nothing null that can be something.
const Setting setting{Rw::randread, 4096, 1, 2};

Progress filled_progress() {
  Progress progress;
  progress.has_current = true;
  progress.layout_total_bytes = 4096;
  return progress;
}

Sweep filled_sweep() {
  Sweep sweep;
  sweep.uuid = "01939d2e-7b1c-7000-8000-000000000001";
  sweep.created_at_ns = sweep.started_at_ns = sweep.finished_at_ns = 1'000'000'000;
  sweep.answer = sweep.error = "text";
  sweep.spec.numjobs_auto = false;
  sweep.spec.numjobs = {1, 2};
  sweep.spec.seed = 1;
  sweep.spec.layout = Layout::shared;
  sweep.spec.target = "/dev/sdb";
  sweep.spec.size_bytes = 4096;
  sweep.plan.settings = {setting};
  return sweep;
}

SweepResult filled_result() {
  const Verdict verdict{"short", Severity::info, "text"};
  SweepResult result;
  result.points.resize(1);
  Point& point = result.points[0];
  point.setting = setting;
  point.iops_ci95 = std::pair(1.0, 2.0);
  point.load_average = 0.5;
  point.read.emplace().latency_max_ns = 1000;
  point.write = point.fsync = point.read;
  point.note = "baseline";
  point.verdicts = {verdict};
  point.run_ids = {1};
  Curve curve;
  curve.sweet_spot = SweetSpot{8, 6, 8, "balance", 0.9, "repeats", 4, 12, 0.9, "text"};
  curve.no_sweet_spot = Named{"name", "text"};
  curve.latency_first = curve.throughput_first = curve.kneedle = curve.under_limit =
      Opinion{4, "rule"};
  curve.strain_numjobs = 8;
  curve.usl = Usl{1, 0.1, 0.01, 0.99, 10, 0, 0};
  curve.no_usl = Named{"name", "text"};
  curve.verdicts = {verdict};
  result.curves = {curve};
  result.answer = "text";
  result.warnings = {verdict};
  return result;
}

Run filled_run() {
  Run run;
  run.state = RunState::done;
  Measurement& m = run.measurement;
  m.read.latency.add(1000);
  m.write.latency.add(2000);
  m.fsync.latency.add(3000);
  m.fsync.ios = 1;
  m.samples.resize(1);
  m.jobs.resize(1);
  m.wakeup_delay.count = m.wakeup_reference.count = 1;
  m.device_counters_known = true;
  m.machine_cpu_busy_percent = 50;
  return run;
}

RunSummary filled_summary() {
  RunSummary run;
  run.setting = setting;
  run.latency_mean_ns = run.iops = 1000;
  run.latency_max_ns = 1000;
  run.load_average = 0.5;
  run.engine_flags = engine_flag::all;
  run.error = run.target = run.serial = run.model = run.host = "text";
  return run;
}

}  // namespace

TEST_CASE("every route is described, and every described path is a route") {
  std::set<std::string> routed, described;
  for (const api::Route& route : api::routes()) {
    static constexpr std::array names{"get", "head", "post", "put", "patch", "delete", "options"};
    routed.insert(std::string(names.at(static_cast<std::size_t>(route.method))) + " " +
                  std::string(route.pattern));
  }
  for (const auto& [path, methods] : document().at("paths").items()) {
    for (const auto& [method, unused] : methods.items()) described.insert(method + " " + path);
  }
  CHECK(routed == described);
}

TEST_CASE("every operation says what it answers, and describes its content and its errors") {
  std::set<std::string> ids;
  for (const auto& [path, methods] : document().at("paths").items()) {
    for (const auto& [method, operation] : methods.items()) {
      CAPTURE(path);
      CAPTURE(method);
      CHECK(ids.insert(operation.at("operationId").get<std::string>()).second);
      const Json& responses = operation.at("responses");
      const bool good = responses.contains("200") || responses.contains("201") ||
                        responses.contains("202") || responses.contains("204");
      CHECK(good);
      CHECK(responses.contains("400"));
      const bool names_something =
          path.find("{id}") != std::string::npos || path == "/api/v1/compare";
      CHECK(responses.contains("404") == names_something);
      if (operation.contains("requestBody")) CHECK(responses.contains("415"));
    }
  }
}

TEST_CASE("what a request may say is what the parser reads") {
  std::set<std::string> described, read;
  for (const auto& [name, unused] : schema_of("SweepRequest").at("properties").items()) {
    described.insert(name);
  }
  for (const std::string_view name : api::sweep_field_names()) read.insert(std::string(name));
  CHECK(described == read);
}

TEST_CASE("the described defaults are those of an empty body") {
  const Json shown = api::render_spec(api::parse_sweep("", ""));
  for (const auto& [name, property] : schema_of("SweepRequest").at("properties").items()) {
    if (name == "confirm") continue;
    CAPTURE(name);
    REQUIRE(property.contains("default"));
    CHECK(property.at("default") == shown.at(name));
  }
}

TEST_CASE("a sweep's fields are the described ones, in lists and alone") {
  Json sweep = api::render_sweep(filled_sweep(), filled_progress(), 1);
  compare(sweep, "SweepItem");
  sweep.update(api::render_result(filled_result()));
  compare(sweep, "Sweep");
}

TEST_CASE("a run's fields are the described ones, in lists and alone") {
  compare(api::render_run_summary(filled_summary()), "RunSummary");
  const std::vector<Verdict> verdicts{{"short", Severity::info, "text"}};
  compare(api::render_run(filled_run(), filled_summary(), verdicts), "Run");
}

TEST_CASE("a series' fields are the described ones, as a whole and line by line") {
  Series series;
  series.identity.serial = series.identity.target = series.identity.host = "text";
  series.identity.ioengine = IoEngine::psync;
  series.identity.workload = "rate_iops=450";
  series.circumstances.resize(2);
  series.circumstances[0].host = "alpha";
  series.circumstances[1].host = "beta";
  for (std::int64_t id = 1; id <= 10; ++id) {
    const double iops = id == 1 ? 0 : id < 6 ? 100 : 50;
    for (int repeat = 0; repeat < 2; ++repeat)
      series.runs.push_back({id, id, id, iops, 1000, 1000, 0, "", id == 10 ? 1U : 0U});
  }
  const analysis::History history = analysis::history_of(series);
  compare(api::render_series(series, history, 0), "Series");
  for (const Json& line : api::render_series_lines(series, history, 0))
    compare(line, "HistoryLine");
  compare(api::series_columns(), "HistoryLine");
  Series single;
  single.runs.resize(1);
  compare(api::render_series(single, analysis::history_of(single), 0), "Series");
}

TEST_CASE("an export's fields are the described ones") {
  Run run = filled_run();
  run.imported_figures = true;
  run.measurement.load_average = 0.5;
  const std::string head = api::export_json_head(filled_sweep(), filled_result());
  const std::string tail(api::export_json_tail);
  Json document = api::parse_strict(head + tail);
  document["sweep"]["state"] = "done";
  document["runs"].push_back(api::render_recorded_run(run));
  run.imported_figures = false;
  run.state = RunState::failed;
  run.measurement = {};
  document["runs"].push_back(api::render_recorded_run(run));
  compare(document, "SweepExport");
}

TEST_CASE("a target's, the system's and a plan's fields are the described ones") {
  scheduler::TargetView target;
  target.facts.kind = TargetKind::block_device;
  target.facts.leaf_count = 1;
  target.shares_device_with = {"/dev/sdc"};
  compare(api::render_target(target), "Target");
  compare(api::render_system(Circumstances{}), "System");
  compare(api::render_plan(filled_sweep().plan), "Plan");
}

TEST_CASE("a comparison's fields are the described ones, full and empty") {
  api::ComparedSide side;
  side.id = "1";
  side.sweep.result = filled_result();
  side.sweep.result.points[0].iops = side.sweep.result.points[0].latency_mean_ns = 1;
  analysis::SweepComparison found;
  compare(api::render_comparison(side, side, found), "Comparison");
  analysis::FigurePair figure{1, 2, {2, std::pair(1.0, 3.0), 0.04, analysis::Change::better}};
  found.nearest_along = "bs";
  found.points = {{0, 0, figure, figure, figure}, {0, 0, {}, {}, {}}};
  found.only_in_base = found.only_in_with = {0};
  found.curves = {{0, 0}};
  found.mismatches = {{"bs", "4k", "8k", "text"}};
  found.summary = {"text"};
  api::ComparedSide other = side;
  other.uuid = other.label = other.host = other.os = other.target = other.model = other.answer =
      "text";
  other.sweep.result.points[0].setting.block_bytes = 8192;
  other.sweep.result.curves[0].setting.block_bytes = 8192;
  compare(api::render_comparison(side, other, found), "Comparison");
  other.sweep.result.curves[0].usl.reset();
  other.sweep.result.curves[0].sweet_spot.reset();
  compare(api::render_comparison(side, other, found), "Comparison");
}

TEST_CASE("a standing's and a baseline's fields are the described ones") {
  api::ModelComparison among;
  among.with.sweep.result = filled_result();
  // One that a shipped table has, too.
  among.with.sweep.result.points[0].setting = {Rw::randread, 4096, 32, 8};
  among.standings.points.resize(2);
  among.standings.points[1].percentile = among.standings.points[1].median_iops =
      among.standings.points[1].low = among.standings.points[1].high = 1;
  among.standings.summary = {"text"};
  const Json shown = api::render_model_comparison(among);
  compare(shown, "ModelComparison");
  CHECK(shown["standing"][0]["baselines"].size() == 1);
  for (const api::Baseline& baseline : api::baselines())
    compare(api::render_baseline(baseline), "Baseline");
}

TEST_CASE("the fields of events are the described ones") {
  Event event;
  event.progress = filled_progress();
  event.run = filled_summary();
  compare(api::render_event(event), "ProgressEvent");
  event.kind = EventKind::run;
  compare(api::render_event(event), "RunEvent");
  event.kind = EventKind::state;
  compare(api::render_event(event), "StateEvent");
}

TEST_CASE("what is null in an empty example may be null") {
  compare(api::render_sweep(Sweep{}, std::nullopt, std::nullopt), "SweepItem");
  SweepResult empty;
  empty.points.resize(1);
  empty.points[0].failed = true;
  empty.curves.resize(1);
  Json sweep = api::render_sweep(Sweep{}, std::nullopt, std::nullopt);
  sweep.update(api::render_result(empty));
  compare(sweep, "Sweep");
  RunSummary summary;
  summary.state = RunState::failed;
  summary.ioengine = IoEngine::automatic;
  compare(api::render_run(Run{}, summary, {}), "Run");
  compare(api::render_target(scheduler::TargetView{}), "Target");
  compare(api::render_progress(Progress{}), "Progress");
  compare(api::render_audit(AuditEntry{}), "AuditEntry");
}

TEST_CASE("every described field says what it is, and what its null means") {
  for (const auto& [name, schema] : document().at("components").at("schemas").items()) {
    for (const auto& [field, property] : schema.at("properties").items()) {
      if (property.contains("$ref")) continue;
      CAPTURE(name);
      CAPTURE(field);
      REQUIRE(property.contains("description"));
      const auto text = property.at("description").get<std::string>();
      const bool only_null = property.contains("type") && property.at("type") == "null";
      const bool may_be_null = !only_null && allows_type(property, "null") &&
                               property.dump().find("\"null\"") != std::string::npos;
      if (may_be_null) CHECK_MESSAGE(text.find("Null: ") != std::string::npos, text);
    }
  }
}

TEST_CASE("every reference leads somewhere, and every schema is used") {
  const std::string text = document().dump();
  std::set<std::string> used;
  for (std::size_t at = text.find("#/components/"); at != std::string::npos;
       at = text.find("#/components/", at + 1)) {
    const std::string reference = text.substr(at + 1, text.find('"', at) - at - 1);
    CAPTURE(reference);
    CHECK(document().contains(Json::json_pointer(reference)));
    used.insert(reference);
  }
  for (const auto& [name, unused] : document().at("components").at("schemas").items()) {
    CHECK_MESSAGE(used.contains("/components/schemas/" + name), name);
  }
}
