#include "api/answers.h"
#include "api/fio_json.h"
#include "api/fio_terse.h"
#include "api/handlers.h"
#include "api/import_export.h"
#include "api/imports.h"
#include "api/imports_kind.h"
#include "api/parse.h"
#include "api/parse_fields.h"
#include "api/parse_query.h"
#include "api/render.h"
#include "api/server.h"
#include "api/strict_json.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

std::string wanted_text(QueryReader& query, const std::string& name) {
  std::string text = query.text(name).value_or("");
  if (text.size() > label_bytes_most || !is_plain_text(text)) {
    query.refuse(name, "text of at most 200 bytes without control characters");
  }
  return text;
}

ImportFacts wanted_facts(QueryReader& query) {
  ImportFacts facts;
  facts.block_bytes = query.size("bs");
  if (const auto depth = query.whole("iodepth", 1, max_iodepth)) {
    facts.iodepth = static_cast<std::uint32_t>(*depth);
  }
  if (const auto jobs = query.whole("numjobs", 1, max_numjobs)) {
    facts.numjobs = static_cast<std::uint32_t>(*jobs);
  }
  facts.rw = query.choice("rw", parse_rw, "read, write, rw, randread, randwrite or randrw");
  facts.ioengine =
      query.choice("ioengine", parse_ioengine, "io_uring, psync, threads, mmap or null");
  facts.os = wanted_text(query, "os");
  facts.target = wanted_text(query, "target");
  facts.host = wanted_text(query, "host");
  facts.label = wanted_text(query, "label");
  facts.model = wanted_text(query, "model");
  facts.serial = wanted_text(query, "serial");
  return facts;
}

// Our own export says all of this itself.
void refuse_facts(const Request& request) {
  if (request.query.empty()) return;
  throw Error(ErrorCode::invalid, "query parameter " + request.query.begin()->first +
                                      ": the export of a sweep says it all; leave it out");
}

// The sweep that is here already, before anything large is made of the document.
ImportedTable own_export(const Context& context, const Request& request) {
  refuse_facts(request);
  ImportedTable table = parse_own_export(parse_strict(request.body));
  if (const auto id = context.store.sweeps().find_uuid(table.sweep.uuid)) {
    throw Error(ErrorCode::conflict,
                "this sweep is here already: GET /api/v1/sweeps/" + std::to_string(*id));
  }
  return table;
}

ImportedTable parse_any(const Context& context, const Request& request, const ImportFacts& facts) {
  switch (imports_kind(request.header("content-type"), request.body)) {
    case ImportKind::csv:
      if (facts.numjobs || facts.rw) {
        throw Error(ErrorCode::invalid, facts.numjobs ? "numjobs" : "rw",
                    "a table has a column for it: leave it out of the query");
      }
      return parse_import(request.body, facts);
    case ImportKind::own_export:
      return own_export(context, request);
    case ImportKind::fio_json:
      return parse_fio_json(request.body, facts);
    case ImportKind::fio_terse:
      return parse_fio_terse(request.body, facts);
  }
  throw Error(ErrorCode::internal, "an import of no kind");
}

}  // namespace

Response post_import(const Context& context, const Request& request) {
  QueryReader query(request, {"bs", "iodepth", "numjobs", "rw", "ioengine", "os", "target", "host",
                              "label", "model", "serial"});
  const ImportFacts facts = wanted_facts(query);
  query.finish();
  ImportedTable table = parse_any(context, request, facts);
  if (table.sweep.uuid.empty()) {  // nobody has said yet what it means
    table.sweep.answer = analysis::analyse(table.sweep.spec, table.runs).answer;
  }
  std::vector<RunSummary> summaries;
  summaries.reserve(table.runs.size());
  for (const Run& run : table.runs) summaries.push_back(analysis::summarise(run));
  const std::int64_t id = context.store.runs().import(table.sweep, table.runs, summaries);
  const Sweep sweep = find_sweep(context, std::to_string(id));
  Json body = render_sweep(sweep, std::nullopt, std::nullopt);
  body.update(render_result(*result_of(context, sweep)));
  if (!sweep.answer.empty()) body["answer"] = sweep.answer;
  Response response = json_answer(201, body);
  response.headers.emplace_back("Location", "/api/v1/sweeps/" + std::to_string(id));
  return response;
}

}  // namespace iobenchd::api
