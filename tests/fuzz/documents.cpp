// Documents that people and programs hand in: sweeps, the configuration, imports, job files.
#include <cmath>
#include <string>

#include "api/fio_json.h"
#include "api/fio_terse.h"
#include "api/import_export.h"
#include "api/imports.h"
#include "api/imports_kind.h"
#include "api/parse.h"
#include "api/render.h"
#include "api/strict_json.h"
#include "daemon/analysis/analysis.h"
#include "daemon/client/jobfile.h"
#include "daemon/config.h"
#include "daemon/model/error.h"
#include "tests/fuzz/targets.h"

namespace iobenchd::fuzz {
namespace {

void promise_invalid(const Error& error) {
  promise(error.code() == ErrorCode::invalid, "a wrong document is invalid, nothing else");
  promise(std::string_view(error.what()) != "" || !error.fields().empty(), "an error says why");
}

api::ImportedTable parsed(api::ImportKind kind, std::string_view input) {
  const api::ImportFacts facts;
  switch (kind) {
    case api::ImportKind::csv:
      return api::parse_import(input, facts);
    case api::ImportKind::fio_json:
      return api::parse_fio_json(input, facts);
    case api::ImportKind::fio_terse:
      return api::parse_fio_terse(input, facts);
    case api::ImportKind::own_export:
      break;
  }
  return api::parse_own_export(api::parse_strict(input));
}

}  // namespace

void sweep(std::string_view input) {
  try {
    const SweepSpec spec = api::parse_sweep(input, "");
    promise(!spec.rw.empty() && !spec.bs.empty() && !spec.iodepth.empty(), "a sweep has settings");
    promise(spec.numjobs_auto || !spec.numjobs.empty(), "a sweep has jobs");
  } catch (const Error& error) {
    promise_invalid(error);
  }
  try {
    (void)api::parse_patch(input);
  } catch (const Error& error) {
    promise_invalid(error);
  }
}

void config(std::string_view input) {
  static const Config base = default_config(false);
  try {
    const Config made = parse_config(std::string(input), "iobenchd.conf", base);
    check_settings(made.settings);  // what passes can be sent to the service
  } catch (const Error& error) {
    promise_invalid(error);
  }
}

// The first byte chooses the reader; the answer is made too, since its arithmetic meets every
// number that the reader let through.
void imports(std::string_view input) {
  if (input.empty()) return;
  const auto kind = static_cast<api::ImportKind>(static_cast<unsigned char>(input.front()) % 4);
  const std::string_view body = input.substr(1);
  for (const char* type : {"text/csv", "application/json", "text/plain"}) {
    try {
      (void)api::imports_kind(type, body);
    } catch (const Error& error) {
      promise_invalid(error);
    }
  }
  try {
    const api::ImportedTable table = parsed(kind, body);
    promise(table.runs.size() <= api::import_runs_most, "an import has 1000 runs at most");
    const SweepResult result = analysis::analyse(table.sweep.spec, table.runs);
    for (const Point& point : result.points) {
      promise(point.failed || (std::isfinite(point.iops) && point.iops >= 0), "IOPS are numbers");
    }
    (void)api::to_text(api::render_result(result));
  } catch (const Error& error) {
    promise_invalid(error);
  }
}

void jobfile(std::string_view input) {
  try {
    (void)client::parse_jobfile(input, "night.fio");
  } catch (const Error& error) {
    promise_invalid(error);
  }
}

}  // namespace iobenchd::fuzz
