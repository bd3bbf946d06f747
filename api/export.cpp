// GET /sweeps/{id}/export: which format, under which name, run by run where histograms are in it.
#include <algorithm>
#include <array>
#include <utility>

#include "api/answers.h"
#include "api/export_fio.h"
#include "api/export_json.h"
#include "api/exports.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/server.h"
#include "api/strict_json.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

enum class ExportKind : std::uint8_t { json, csv, fio, job, markdown, html };

struct ExportFormat {
  ExportKind kind;
  std::string_view name, type, extension;
};
constexpr std::array<ExportFormat, 6> export_formats{
    {{ExportKind::json, "json", "application/json", ".json"},
     {ExportKind::csv, "csv", "text/csv; charset=utf-8", ".csv"},
     {ExportKind::fio, "fio", "application/json", ".fio.json"},
     {ExportKind::job, "job", "text/plain; charset=utf-8", ".fio"},
     {ExportKind::markdown, "md", "text/markdown; charset=utf-8", ".md"},
     {ExportKind::html, "html", "text/html; charset=utf-8", ".html"}}};

const ExportFormat& wanted_export(const std::string& name) {
  for (const ExportFormat& format : export_formats) {
    if (format.name == name) return format;
  }
  throw Error(ErrorCode::invalid, "format",
              "got \"" + name.substr(0, 60) + "\", but json, csv, fio, job, md or html is needed");
}

// "iobenchd-sweep-7.fio.json": nothing in it is a user's text.
std::string file_name(const Sweep& sweep, const ExportFormat& format) {
  return "iobenchd-sweep-" + std::to_string(sweep.id) + std::string(format.extension);
}

// All runs of the sweep in the order they were made, without what is in them.
std::vector<RunSummary> runs_in_order(const Context& context, const Sweep& sweep) {
  storage::RunFilter filter;
  filter.sweep_id = sweep.id;
  std::vector<RunSummary> runs;
  std::int64_t before = 0;
  do {
    auto page = context.store.runs().list(filter, before, storage::page_limit_most);
    std::move(page.items.begin(), page.items.end(), std::back_inserter(runs));
    before = page.next_before;
  } while (before != 0);
  std::sort(runs.begin(), runs.end(),
            [](const RunSummary& a, const RunSummary& b) { return a.run_id < b.run_id; });
  return runs;
}

// A document of many runs: each is read when its turn comes, and is out before the next is read.
struct RunsStream {
  Context context;
  Sweep sweep;
  bool as_fio = false;
  std::string head;
  std::vector<std::int64_t> ids;
  std::size_t at = 0;

  bool next(std::string& chunk) {
    if (!head.empty()) {
      chunk += std::exchange(head, {});
      return true;
    }
    if (at == ids.size()) {
      chunk += as_fio ? fio_json_tail : export_json_tail;
      return false;
    }
    const auto run = context.store.runs().find(ids[at]);
    if (!run) throw Error(ErrorCode::not_found, "the sweep was deleted while it was exported");
    std::string text = to_text(as_fio ? fio_json_job(sweep, *run, static_cast<std::uint32_t>(at))
                                      : render_recorded_run(*run));
    text.pop_back();
    chunk += (at == 0 ? "" : ",\n") + text;
    ++at;
    return true;
  }
};

std::string program_version(const Context& context, const std::vector<RunSummary>& runs) {
  if (runs.empty()) return "";
  const auto run = context.store.runs().find(runs.front().run_id);
  return run ? run->circumstances.program_version : "";
}

Response stream_of_runs(const Context& context, const Sweep& sweep, bool as_fio) {
  const std::vector<RunSummary> runs = runs_in_order(context, sweep);
  RunsStream stream{context, sweep, as_fio, "", {}, 0};
  for (const RunSummary& run : runs) {
    const bool shown = !as_fio || (run.state == RunState::done && !run.is_drift_check);
    if (shown) stream.ids.push_back(run.run_id);
  }
  stream.head = as_fio ? fio_json_head(sweep, program_version(context, runs))
                       : export_json_head(sweep, *result_of(context, sweep));
  Response response;
  response.stream = [shared = std::make_shared<RunsStream>(std::move(stream))](std::string& chunk) {
    return shared->next(chunk);
  };
  return response;
}

Response text_export(const Context& context, const Request& request, const Sweep& sweep,
                     ExportKind kind) {
  const std::vector<Run> runs = context.store.runs().of_sweep(sweep.id);
  const auto result = result_of(context, sweep);
  const Exported exported{sweep, *result, runs};
  Response response;
  switch (kind) {
    case ExportKind::csv:
      response.body = export_csv(exported);
      break;
    case ExportKind::job:
      response.body = export_fio_job(exported);
      break;
    case ExportKind::markdown:
      response.body = export_markdown(exported);
      break;
    default:
      response.body = export_html(exported);
  }
  return with_etag(request, std::move(response));
}

}  // namespace

Response get_sweep_export(const Context& context, const Request& request) {
  QueryReader query(request, {"format"});
  const std::string name = query.text("format").value_or("json");
  query.finish();
  const ExportFormat& format = wanted_export(name);
  const Sweep sweep = find_sweep(context, request.parameters.at(0));
  if (!is_over(sweep)) {
    throw Error(ErrorCode::conflict,
                "sweep " + std::to_string(sweep.id) + " is " + std::string(to_string(sweep.state)) +
                    "; it can be exported when it is over. GET /api/v1/sweeps/" +
                    std::to_string(sweep.id) + "/events tells when");
  }
  const bool as_fio = format.kind == ExportKind::fio;
  Response response = as_fio || format.kind == ExportKind::json
                          ? stream_of_runs(context, sweep, as_fio)
                          : text_export(context, request, sweep, format.kind);
  response.content_type = format.type;
  response.headers.emplace_back("Content-Disposition",
                                "attachment; filename=\"" + file_name(sweep, format) + "\"");
  // A label is anyone's text: were the report opened here, it could still do nothing.
  response.headers.emplace_back("Content-Security-Policy",
                                "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  return response;
}

}  // namespace iobenchd::api
