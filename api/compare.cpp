#include <algorithm>
#include <set>
#include <utility>

#include "api/answers.h"
#include "api/baselines.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/render_compare.h"
#include "api/server.h"
#include "daemon/analysis/compare_sweeps.h"
#include "daemon/analysis/standing.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

constexpr std::string_view model_word = "model";

std::string wanted_side(QueryReader& query, const std::string& name) {
  std::string id = query.text(name).value_or("");
  if (id.empty()) query.refuse(name, "a sweep's number or uuid, or the id of a baseline");
  return id;
}

ComparedSide side_of(const Baseline& baseline) {
  ComparedSide side;
  side.id = baseline.id;
  side.label = baseline.title;
  side.os = baseline.os;
  side.target = baseline.table.sweep.plan.target;
  side.model = baseline.table.runs.front().circumstances.model;
  side.answer = baseline.result.answer;
  side.sweep.name = baseline.name;
  side.sweep.spec = baseline.table.sweep.spec;
  side.sweep.size_bytes = baseline.table.sweep.plan.size_bytes;
  side.sweep.result = baseline.result;
  return side;
}

// What the machine and the disk were: those of the first run that counts.
void add_circumstances(const Context& context, ComparedSide& side) {
  for (const Point& point : side.sweep.result.points) {
    if (point.run_ids.empty()) continue;
    const std::optional<Run> run = context.store.runs().find(point.run_ids.front());
    if (!run) continue;
    const Circumstances& facts = run->circumstances;
    side.os = facts.os;
    side.model = facts.model;
    if (!facts.target.empty()) side.target = facts.target;
    if (!facts.host.empty()) side.host = facts.host;
    return;
  }
}

ComparedSide side_of(const Context& context, const Sweep& sweep) {
  ComparedSide side;
  side.id = std::to_string(sweep.id);
  side.uuid = sweep.uuid;
  side.label = sweep.spec.label;
  side.host = sweep.host;
  side.target = sweep.plan.target;
  side.sweep.name = "sweep " + side.id;
  side.sweep.spec = sweep.spec;
  side.sweep.size_bytes =
      sweep.plan.size_bytes != 0 ? sweep.plan.size_bytes : sweep.spec.size_bytes;
  side.sweep.result = *result_of(context, sweep);
  side.answer = sweep.answer.empty() ? side.sweep.result.answer : sweep.answer;
  add_circumstances(context, side);
  return side;
}

const Baseline& baseline_named(const std::string& id) {
  if (const Baseline* baseline = find_baseline(id)) return *baseline;
  throw Error(ErrorCode::not_found, "there is no such baseline; GET /api/v1/baselines lists them");
}

ComparedSide find_side(const Context& context, const std::string& id) {
  if (id.starts_with(baseline_prefix)) return side_of(baseline_named(id));
  return side_of(context, find_sweep(context, id));
}

// Two baselines of one source need not name it twice in a sentence.
void shorten_names(ComparedSide& base, ComparedSide& with) {
  const Baseline* one = find_baseline(base.id);
  const Baseline* other = find_baseline(with.id);
  if (one == nullptr || other == nullptr || one->source != other->source) return;
  base.sweep.name = one->short_name;
  with.sweep.name = other->short_name;
}

Response compare_with_model(const Context& context, const std::string& id, Format format) {
  const Sweep sweep = find_sweep(context, id);
  ModelComparison found;
  found.with = side_of(context, sweep);
  const std::vector<ModelFigure> earlier =
      context.store.runs().earlier_of_model(found.with.model, sweep);
  std::set<std::int64_t> sweeps;
  for (const ModelFigure& figure : earlier) sweeps.insert(figure.sweep_id);
  found.earlier_sweeps = static_cast<std::uint32_t>(sweeps.size());
  found.standings = analysis::standings(found.with.sweep.result, earlier, found.with.model);
  if (format == Format::text) return text_answer(200, model_comparison_text(found));
  return json_answer(200, render_model_comparison(found));
}

}  // namespace

Response get_comparison(const Context& context, const Request& request) {
  QueryReader query(request, {"base", "with", "format"});
  const std::string base_id = wanted_side(query, "base"), with_id = wanted_side(query, "with");
  const bool by_model = base_id == model_word;
  if (with_id == model_word) query.refuse("with", "a sweep; \"model\" may stand for base alone");
  if (by_model && with_id.starts_with(baseline_prefix))
    query.refuse("with", "a sweep of this database where base is \"model\"");
  const Format format = wanted_format(query, request, {Format::json, Format::text});
  query.finish();
  Response response;
  if (by_model) {
    response = compare_with_model(context, with_id, format);
  } else {
    ComparedSide base = find_side(context, base_id), with = find_side(context, with_id);
    shorten_names(base, with);
    const auto found = analysis::compare_sweeps(base.sweep, with.sweep);
    response = format == Format::text ? text_answer(200, comparison_text(base, with, found))
                                      : json_answer(200, render_comparison(base, with, found));
  }
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

}  // namespace iobenchd::api
