// GET /backup: the database, whole, while it is worked on.
#include "storage/backup.h"

#include <memory>
#include <string>

#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/server.h"
#include "daemon/model/clock.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

// "iobenchd-2026-12-01.db"
std::string file_name() {
  return "iobenchd-" + rfc3339(wall_now_ns()).substr(0, 10) + ".db";
}

}  // namespace

// Made before the first byte is sent: what is wrong still has a status of its own.
Response get_backup(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  Response response;
  response.content_type = "application/vnd.sqlite3";
  response.headers.emplace_back("Content-Disposition",
                                "attachment; filename=\"" + file_name() + "\"");
  response.headers.emplace_back("Cache-Control", "no-store");
  if (request.method == Method::head) return response;
  const std::shared_ptr<storage::Backup> backup = context.store.backup();
  response.stream = [backup](std::string& chunk) {
    const std::string bytes = backup->read(chunk_bytes);
    chunk += bytes;
    return !bytes.empty();
  };
  return response;
}

}  // namespace iobenchd::api
