#include "api/imports_kind.h"

#include <vector>

#include "api/documents.h"
#include "api/export_json.h"
#include "api/fio_terse.h"
#include "api/head.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

[[noreturn]] void refuse(const char* reason) {
  throw Error(reason, {{"", reason}});
}

}  // namespace

ImportKind imports_kind(std::string_view content_type, std::string_view body) {
  const auto type = media_type(content_type);
  if (type == "text/csv") return ImportKind::csv;
  if (type == "text/plain" && is_fio_terse(body)) return ImportKind::fio_terse;
  const std::vector<Document> documents = split_documents(body);
  if (documents.empty()) {
    refuse(type == "text/plain"
               ? "no line begins with \"3;fio-\", and there is no JSON document: as text/plain "
                 "fio's terse output is taken (--output-format=terse), and its JSON"
               : "there is no JSON document; as application/json fio's own is taken "
                 "(--output-format=json or json+), its terse output as text/plain, a table as "
                 "text/csv");
  }
  const Document& first = documents.front();
  if (first.has(export_version_name)) return ImportKind::own_export;
  if (first.has("fio version") || first.has("jobs") || first.has("client_stats")) {
    return ImportKind::fio_json;
  }
  refuse(
      "the first document has neither \"fio version\" nor \"jobs\": it isn't fio's JSON "
      "(--output-format=json or json+), nor the export of a sweep, which begins with "
      "\"iobenchd_export\"");
}

}  // namespace iobenchd::api
