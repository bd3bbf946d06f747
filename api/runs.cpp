#include <charconv>

#include "api/answers.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/render.h"
#include "api/server.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

constexpr std::uint64_t id_most = std::uint64_t{1} << 62;

std::optional<std::uint32_t> narrow(std::optional<std::uint64_t> value) {
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

storage::RunFilter wanted_runs(QueryReader& query) {
  storage::RunFilter filter;
  if (const auto sweep_id = query.whole("sweep_id", 1, id_most)) {
    filter.sweep_id = static_cast<std::int64_t>(*sweep_id);
  }
  filter.state =
      query.choice("state", parse_run_state, "running, done, failed, interrupted or cancelled");
  filter.rw = query.choice("rw", parse_rw, "read, write, randread or randwrite");
  filter.origin = query.choice("origin", parse_origin, "local or imported");
  filter.ioengine =
      query.choice("ioengine", parse_ioengine, "io_uring, psync, threads, mmap or null");
  filter.target = query.text("target");
  filter.label = query.text("label");
  filter.host = query.text("host");
  filter.serial = query.text("serial");
  filter.block_bytes = query.size("bs");
  filter.iodepth = narrow(query.whole("iodepth", 1, max_iodepth));
  filter.numjobs = narrow(query.whole("numjobs", 1, max_numjobs));
  filter.since_ns = query.time_ns("since");
  filter.until_ns = query.time_ns("until");
  return filter;
}

Run find_run(const Context& context, const std::string& name) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  std::optional<Run> run;
  if (error == std::errc{} && end == name.data() + name.size()) {
    run = context.store.runs().find(id);
  }
  if (run) return *std::move(run);
  throw Error(ErrorCode::not_found, "there is no such run; GET /api/v1/runs lists them");
}

}  // namespace

Response list_runs(const Context& context, const Request& request) {
  QueryReader query(request, {"sweep_id", "state", "target", "rw", "bs", "iodepth", "numjobs",
                              "ioengine", "serial", "label", "host", "origin", "since", "until",
                              "limit", "cursor", "format"});
  const storage::RunFilter filter = wanted_runs(query);
  const PageWish wish = wanted_page(query);
  const Format format = wanted_format(query, request, {Format::json, Format::csv, Format::ndjson});
  query.finish();
  const auto fetch = [context, filter](std::int64_t before, std::uint32_t limit) {
    return json_page(context.store.runs().list(filter, before, limit), render_run_summary);
  };
  return list_answer(request, format, wish, render_run_summary(RunSummary{}), fetch);
}

Response get_run(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const Run run = find_run(context, request.parameters.at(0));
  const std::optional<Sweep> sweep = context.store.sweeps().find(run.sweep_id);
  const SweepSpec* spec = sweep ? &sweep->spec : nullptr;
  Response response = json_answer(
      200, render_run(run, analysis::summarise(run), analysis::run_verdicts(run, spec)));
  return run.state == RunState::running ? response : with_etag(request, std::move(response));
}

}  // namespace iobenchd::api
