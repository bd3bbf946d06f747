#include <algorithm>
#include <charconv>

#include "api/access.h"
#include "api/answers.h"
#include "api/audit.h"
#include "api/handlers.h"
#include "api/memory.h"
#include "api/parse.h"
#include "api/parse_query.h"
#include "api/render.h"
#include "api/server.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"
#include "daemon/scheduler/plan_target.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t key_bytes_most = 200;

std::string path_of(const Sweep& sweep) {
  return "/api/v1/sweeps/" + std::to_string(sweep.id);
}

Json render_now(const Context& context, const Sweep& sweep) {
  if (is_over(sweep)) return render_sweep(sweep, std::nullopt, std::nullopt);
  return render_sweep(sweep, context.scheduler.progress(sweep.id),
                      context.scheduler.position(sweep.id));
}

Json render_whole(const Context& context, const Sweep& sweep) {
  Json json = render_now(context, sweep);
  json.update(render_result(*result_of(context, sweep)));
  // What was said when the sweep ended stands; until then the runs speak.
  if (!sweep.answer.empty()) json["answer"] = sweep.answer;
  return json;
}

// The same wish, whatever seed the daemon drew for it.
bool same_wish(const SweepSpec& asked, const SweepSpec& stored) {
  Json first = render_spec(asked), second = render_spec(stored);
  if (!asked.seed) second["seed"] = nullptr;
  return first == second && asked.confirm == stored.confirm;
}

// What overwrites a device leaves a row, with what was agreed to.
Sweep submit(const Context& context, const Request& request, const SweepSpec& spec) {
  Sweep sweep = context.scheduler.submit(spec);
  if (!spec.target.empty() && scheduler::writes_any(spec)) {
    note(context, request, AuditKind::overwrite, 202,
         scheduler::overwrite_text(sweep, context.store));
  }
  return sweep;
}

// `or_over`: a sweep that has just ended counts too.
bool is_in_grace(const Context& context, std::int64_t sweep_id, bool or_over) {
  const auto progress = context.scheduler.progress(sweep_id);
  return progress ? progress->phase == SweepPhase::grace : or_over;
}

Sweep submit_once(const Context& context, const Request& request, const SweepSpec& spec) {
  const std::string key(request.header("idempotency-key"));
  if (key.empty()) return submit(context, request, spec);
  if (key.size() > key_bytes_most) {
    throw Error(ErrorCode::invalid,
                "the Idempotency-Key is longer than " + std::to_string(key_bytes_most) + " bytes");
  }
  const std::lock_guard lock(context.memory->keyed_posts);
  if (const auto id = context.store.sweeps().find_key(key)) {
    if (auto sweep = context.store.sweeps().find(*id)) {
      if (same_wish(spec, sweep->spec)) return *std::move(sweep);
      throw Error("the request differs from the first with this Idempotency-Key",
                  {{"", "sweep " + std::to_string(*id) +
                            " was asked for with this key and other fields; use a new key"}});
    }
  }
  Sweep sweep = submit(context, request, spec);
  context.store.sweeps().remember_key(key, sweep.id);
  return sweep;
}

storage::SweepFilter wanted_sweeps(QueryReader& query) {
  storage::SweepFilter filter;
  filter.state =
      query.choice("state", parse_sweep_state, "queued, running, done, failed or cancelled");
  filter.rw = query.choice("rw", parse_rw, "read, write, randread or randwrite");
  filter.origin = query.choice("origin", parse_origin, "local or imported");
  if (const auto id = query.whole("schedule", 1, std::uint64_t{1} << 62))
    filter.schedule_id = static_cast<std::int64_t>(*id);
  filter.target = query.text("target");
  filter.label = query.text("label");
  filter.host = query.text("host");
  filter.since_ns = query.time_ns("since");
  filter.until_ns = query.time_ns("until");
  return filter;
}

// A sweep as one line of a table: what has members of its own is spread or left out.
Json render_row(const Sweep& sweep) {
  const Json whole = render_sweep(sweep, std::nullopt, std::nullopt);
  Json row;
  for (const char* name :
       {"id", "uuid", "state", "origin", "host", "label", "created_at", "started_at", "finished_at",
        "runs_done", "runs_failed", "schedule_id"}) {
    row[name] = whole.at(name);
  }
  for (const char* name : {"target", "rw", "bs", "iodepth", "numjobs"}) {
    row[name] = whole.at("spec").at(name);
  }
  row["answer"] = whole.at("answer");
  row["error"] = whole.at("error");
  return row;
}

}  // namespace

bool is_over(const Sweep& sweep) noexcept {
  return sweep.state != SweepState::queued && sweep.state != SweepState::running;
}

Sweep find_sweep(const Context& context, const std::string& name) {
  constexpr std::size_t uuid_length = 36;
  std::optional<std::int64_t> id;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size()) {
    id = number;
  } else if (name.size() == uuid_length) {
    id = context.store.sweeps().find_uuid(name);
  }
  std::optional<Sweep> sweep;
  if (id) sweep = context.store.sweeps().find(*id);
  if (sweep) return *std::move(sweep);
  throw Error(ErrorCode::not_found, "there is no such sweep; GET /api/v1/sweeps lists them");
}

std::shared_ptr<const SweepResult> result_of(const Context& context, const Sweep& sweep) {
  if (auto kept = context.memory->results.find(sweep.uuid)) return kept;
  const std::vector<Run> runs = context.store.runs().of_sweep(sweep.id);
  auto result = std::make_shared<const SweepResult>(analysis::analyse(sweep.spec, runs));
  if (is_over(sweep)) context.memory->results.keep(sweep.uuid, result);
  return result;
}

Response post_sweep(const Context& context, const Request& request) {
  QueryReader query(request, {"dry_run", "wait"});
  const bool dry_run = query.flag("dry_run"), wait = query.flag("wait");
  query.finish();
  const SweepSpec spec =
      parse_sweep(request.body, context.defaults_json ? context.defaults_json() : "");
  if (dry_run) return json_answer(200, render_plan(context.scheduler.plan(spec)));
  require_destroy(request.caller, spec);
  const Sweep sweep = submit_once(context, request, spec);
  Response accepted = json_answer(202, render_now(context, sweep));
  accepted.headers.emplace_back("Location", path_of(sweep));
  if (!wait) return accepted;
  Response waiting = wait_for(context, sweep);
  waiting.headers.emplace_back("Location", path_of(sweep));
  waiting.without_stream = std::make_shared<const Response>(std::move(accepted));
  return waiting;
}

Response list_sweeps(const Context& context, const Request& request) {
  QueryReader query(request, {"state", "target", "rw", "label", "host", "origin", "schedule",
                              "since", "until", "limit", "cursor", "format"});
  const storage::SweepFilter filter = wanted_sweeps(query);
  const PageWish wish = wanted_page(query);
  const Format format = wanted_format(query, request, {Format::json, Format::csv, Format::ndjson});
  query.finish();
  const auto fetch = [context, filter, format](std::int64_t before, std::uint32_t limit) {
    const auto render = [&](const Sweep& sweep) {
      return format == Format::csv ? render_row(sweep) : render_now(context, sweep);
    };
    return json_page(context.store.sweeps().list(filter, before, limit), render);
  };
  return list_answer(request, format, wish, render_row(Sweep{}), fetch);
}

Response get_sweep(const Context& context, const Request& request) {
  QueryReader query(request, {"format"});
  const Format format = wanted_format(query, request, {Format::json, Format::text});
  query.finish();
  const Sweep sweep = find_sweep(context, request.parameters.at(0));
  Response response = format == Format::text
                          ? text_answer(200, render_text(sweep, *result_of(context, sweep)))
                          : json_answer(200, render_whole(context, sweep));
  response.headers.emplace_back("Vary", "Accept");
  return is_over(sweep) ? with_etag(request, std::move(response)) : response;
}

Response patch_sweep(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const SweepPatch patch = parse_patch(request.body);
  const Sweep sweep = find_sweep(context, request.parameters.at(0));
  context.store.sweeps().describe(sweep.id, patch.label, patch.notes, patch.pinned);
  return json_answer(200, render_whole(context, find_sweep(context, std::to_string(sweep.id))));
}

Response cancel_sweep(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const Sweep sweep = find_sweep(context, request.parameters.at(0));
  const bool had_grace = is_in_grace(context, sweep.id, false);
  context.scheduler.cancel(sweep.id);
  if (had_grace && is_in_grace(context, sweep.id, true)) {
    note(context, request, AuditKind::spared, 202,
         "sweep " + std::to_string(sweep.id) + " was cancelled before its first write to " +
             sweep.plan.target);
  }
  Response response =
      json_answer(202, render_now(context, find_sweep(context, std::to_string(sweep.id))));
  response.headers.emplace_back("Location", path_of(sweep));
  return response;
}

Response delete_sweep(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const Sweep sweep = find_sweep(context, request.parameters.at(0));
  if (!is_over(sweep)) {
    throw Error(ErrorCode::conflict, "sweep " + std::to_string(sweep.id) + " is " +
                                         std::string(to_string(sweep.state)) +
                                         "; cancel it first: POST " + path_of(sweep) + "/cancel");
  }
  context.store.sweeps().remove(sweep.id);
  note(context, request, AuditKind::deleted, 204,
       "sweep " + std::to_string(sweep.id) + " of " + sweep.plan.target + " with its " +
           std::to_string(sweep.runs_done) + " runs" +
           (sweep.spec.label.empty() ? "" : ", labelled " + sweep.spec.label));
  Response response;
  response.status = 204;
  return response;
}

}  // namespace iobenchd::api
