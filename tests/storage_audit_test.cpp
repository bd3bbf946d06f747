// The audit trail in the store: what goes in comes out, newest first, and each kind has its bound.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

AuditEntry entry_of(AuditKind kind, const std::string& what) {
  AuditEntry entry;
  entry.kind = kind;
  entry.peer = "127.0.0.1";
  entry.what = what;
  return entry;
}

}  // namespace

TEST_CASE("a row of the audit trail comes back as it was written") {
  const TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  AuditEntry entry = entry_of(AuditKind::refused, "a page from \"elsewhere\"");
  entry.at_ns = 5;
  entry.token = "grafana";
  entry.method = "POST";
  entry.path = "/api/v1/sweeps";
  entry.status = 403;
  entry.times = 7;
  store.audit().add({entry, entry_of(AuditKind::deleted, "sweep 1")});
  const auto page = store.audit().list({}, 0, 10);
  REQUIRE(page.items.size() == 2);
  CHECK(page.next_before == 0);
  CHECK(page.items[0].kind == AuditKind::deleted);
  CHECK(page.items[0].at_ns == clock.now_ns);  // no time was given: now
  const AuditEntry& back = page.items[1];
  CHECK(back.at_ns == 5);
  CHECK(back.kind == AuditKind::refused);
  CHECK(back.peer == "127.0.0.1");
  CHECK(back.token == "grafana");
  CHECK(back.method == "POST");
  CHECK(back.path == "/api/v1/sweeps");
  CHECK(back.status == 403);
  CHECK(back.times == 7);
  CHECK(back.what == "a page from \"elsewhere\"");
}

TEST_CASE("pages of the trail are walked by their cursor, by kind and by time") {
  const TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  std::vector<AuditEntry> entries;
  for (int i = 1; i <= 7; ++i) {
    entries.push_back(
        entry_of(i % 2 == 0 ? AuditKind::deleted : AuditKind::refused, std::to_string(i)));
    entries.back().at_ns = i;
  }
  store.audit().add(entries);
  const auto walk = [&](const AuditFilter& filter) {
    std::string seen;
    std::int64_t before = 0;
    do {
      const auto page = store.audit().list(filter, before, 2);
      for (const AuditEntry& entry : page.items) seen += entry.what;
      before = page.next_before;
    } while (before != 0);
    return seen;
  };
  AuditFilter filter;
  CHECK(walk(filter) == "7654321");
  filter.kind = AuditKind::deleted;
  CHECK(walk(filter) == "642");
  filter.since_ns = 3;
  filter.until_ns = 6;
  CHECK(walk(filter) == "4");
  filter.kind.reset();
  CHECK(walk(filter) == "543");
}

TEST_CASE("a flood of refusals drives out the oldest refusals and nothing else") {
  const TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  store.audit().add({entry_of(AuditKind::overwrite, "sweep 1 overwrites /dev/sdb")});
  store.audit().add(
      std::vector<AuditEntry>(audit_rows_most + 10, entry_of(AuditKind::refused, "no")));
  AuditFilter filter;
  filter.kind = AuditKind::refused;
  std::size_t rows = 0;
  std::int64_t before = 0, oldest = 0;
  do {
    const auto page = store.audit().list(filter, before, page_limit_most);
    rows += page.items.size();
    oldest = page.items.back().id;
    before = page.next_before;
  } while (before != 0);
  CHECK(rows == audit_rows_most);
  CHECK(oldest == 12);  // 1 is the overwrite; 2 to 11 are gone
  CHECK(store.audit().list({}, 2, 1).items.at(0).what == "sweep 1 overwrites /dev/sdb");
}
