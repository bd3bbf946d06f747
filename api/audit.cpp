#include "api/audit.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

#include "api/answers.h"
#include "api/handlers.h"
#include "api/head.h"
#include "api/parse_query.h"
#include "api/render_values.h"
#include "storage/store.h"

namespace iobenchd::api {
namespace {

constexpr std::size_t path_most_bytes = 200;

}  // namespace

AuditEntry audit_entry(const Request& request, AuditKind kind, int status) {
  AuditEntry entry;
  entry.at_ns = wall_now_ns();
  entry.kind = kind;
  entry.peer = request.peer;
  entry.token = request.caller.token;
  entry.method = to_string(request.method);
  entry.path = request.path.substr(0, path_most_bytes);
  entry.status = status;
  return entry;
}

bool is_audited(const Request& request, const Error& error) {
  if (error.code() != ErrorCode::forbidden && error.code() != ErrorCode::confirmation_needed) {
    return false;
  }
  const auto dry_run = request.query.find("dry_run");
  return dry_run == request.query.end() || dry_run->second == "false" || dry_run->second == "0";
}

void note(const Context& context, const Request& request, AuditKind kind, int status,
          std::string what) noexcept {
  try {
    AuditEntry entry = audit_entry(request, kind, status);
    entry.what = std::move(what);
    context.store.audit().add({std::move(entry)});
  } catch (const std::exception& error) {
    spdlog::error("audit: {} {}: can't be written: {}", to_string(kind), request.path,
                  error.what());
  }
}

Json render_audit(const AuditEntry& entry) {
  Json json;
  json["id"] = entry.id;
  json["at"] = time_or_null(entry.at_ns);
  json["kind"] = to_string(entry.kind);
  json["peer"] = entry.peer;
  json["token"] = text_or_null(entry.token);
  json["method"] = text_or_null(entry.method);
  json["path"] = text_or_null(entry.path);
  json["status"] = known(entry.status != 0, entry.status);
  json["times"] = entry.times;
  json["what"] = entry.what;
  return json;
}

Response list_audit(const Context& context, const Request& request) {
  QueryReader query(request, {"kind", "since", "until", "limit", "cursor", "format"});
  storage::AuditFilter filter;
  filter.kind = query.choice("kind", parse_audit_kind, "refused, deleted, overwrite or spared");
  filter.since_ns = query.time_ns("since");
  filter.until_ns = query.time_ns("until");
  const PageWish wish = wanted_page(query);
  const Format format = wanted_format(query, request, {Format::json, Format::csv, Format::ndjson});
  query.finish();
  const auto fetch = [context, filter](std::int64_t before, std::uint32_t limit) {
    return json_page(context.store.audit().list(filter, before, limit), render_audit);
  };
  return list_answer(request, format, wish, render_audit(AuditEntry{}), fetch);
}

}  // namespace iobenchd::api
