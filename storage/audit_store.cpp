#include <algorithm>
#include <limits>

#include "storage/database.h"
#include "storage/rows.h"
#include "storage/store.h"

namespace iobenchd::storage {
namespace {

AuditEntry read_entry(Statement& row) {
  AuditEntry entry;
  entry.id = row.integer("id");
  entry.at_ns = row.integer("at_ns");
  entry.kind = word(row, "kind", parse_audit_kind);
  entry.peer = row.text("peer");
  entry.token = row.text("token");
  entry.method = row.text("method");
  entry.path = row.text("path");
  entry.status = static_cast<std::int32_t>(row.integer("status"));
  entry.times = row.unsigned32("times");
  entry.what = row.text("what");
  return entry;
}

// Each kind has its own bound: what is refused can't drive out what was destroyed.
void drop_oldest(Connection& connection, AuditKind kind) {
  Statement(connection, R"sql(
    DELETE FROM audit
     WHERE kind = :kind
       AND id <= (SELECT id
                    FROM audit
                   WHERE kind = :kind
                   ORDER BY id DESC
                   LIMIT 1 OFFSET :most))sql")
      .bind("kind", to_string(kind))
      .bind("most", audit_rows_most)
      .run();
}

}  // namespace

AuditStore::AuditStore(Database& database, WallClock now)
    : database_(database), now_(std::move(now)) {}

void AuditStore::add(const std::vector<AuditEntry>& entries) {
  database_.write([&](Connection& connection) {
    for (const AuditEntry& entry : entries) {
      Statement(connection, R"sql(
        INSERT INTO audit (at_ns, kind, peer, token, method, path, status, times, what)
        VALUES (:at_ns, :kind, :peer, :token, :method, :path, :status, :times, :what))sql")
          .bind("at_ns", entry.at_ns != 0 ? entry.at_ns : now_())
          .bind("kind", to_string(entry.kind))
          .bind("peer", entry.peer)
          .bind("token", entry.token)
          .bind("method", entry.method)
          .bind("path", entry.path)
          .bind("status", entry.status)
          .bind("times", entry.times)
          .bind("what", entry.what)
          .run();
    }
    for (const AuditKind kind :
         {AuditKind::refused, AuditKind::deleted, AuditKind::overwrite, AuditKind::spared}) {
      drop_oldest(connection, kind);
    }
  });
}

// In the order in which they were written, which is what the cursor goes by; a clock may jump.
Page<AuditEntry> AuditStore::list(const AuditFilter& filter, std::int64_t before,
                                  std::uint32_t limit) {
  const std::uint32_t rows = std::clamp(limit, std::uint32_t{1}, page_limit_most);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return database_.read([&](Connection& connection) {
    std::string sql = R"sql(
      SELECT id, at_ns, kind, peer, token, method, path, status, times, what
        FROM audit
       WHERE id < :before AND at_ns >= :since_ns AND at_ns < :until_ns)sql";
    if (filter.kind) sql += " AND kind = :kind";
    sql += " ORDER BY id DESC LIMIT :rows";
    Statement row(connection, sql);
    row.bind("before", before != 0 ? before : most)
        .bind("since_ns", filter.since_ns.value_or(least))
        .bind("until_ns", filter.until_ns.value_or(most));
    if (filter.kind) row.bind("kind", to_string(*filter.kind));
    row.bind("rows", rows + 1);  // one more tells whether there is a next page
    Page<AuditEntry> page;
    while (row.step()) {
      if (page.items.size() == rows) {
        page.next_before = page.items.back().id;
        break;
      }
      page.items.push_back(read_entry(row));
    }
    return page;
  });
}

}  // namespace iobenchd::storage
