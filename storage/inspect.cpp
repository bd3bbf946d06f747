#include "storage/inspect.h"

#include <sys/stat.h>

#include "storage/damage.h"
#include "storage/guard.h"
#include "storage/migrations.h"
#include "storage/statement.h"

namespace iobenchd::storage {
namespace {

std::uint64_t bytes_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

void look_at_pages(Connection& reader, std::vector<std::string>& findings) {
  Statement row(reader, "PRAGMA integrity_check");
  while (row.step()) {
    const std::string text = row.text("integrity_check");
    if (text != "ok") findings.push_back(text);
  }
}

void look_at_references(Connection& reader, std::vector<std::string>& findings) {
  Statement row(reader, "PRAGMA foreign_key_check");
  while (row.step()) {
    const std::string which = row.is_null("rowid") ? "a row" : "row " + row.text("rowid");
    findings.push_back(which + " of " + row.text("table") + " belongs to a row of " +
                       row.text("parent") + " that isn't there");
  }
}

void count(Connection& reader, Inspection& found) {
  found.sweeps = reader.integer("SELECT count(*) FROM sweeps");
  found.runs = reader.integer("SELECT count(*) FROM runs");
  const bool has_schedules =
      reader.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'schedules'") == 1;
  if (has_schedules) found.schedules = reader.integer("SELECT count(*) FROM schedules");
}

}  // namespace

Inspection inspect(const std::string& path) {
  if (!is_ours(path, static_cast<std::uint32_t>(migrations().size()))) {
    throw Error(ErrorCode::not_found, "there is no database at " + path);
  }
  Inspection found;
  found.file_bytes = bytes_of(path);
  found.log_bytes = bytes_of(path + "-wal");
  Damage damage;
  try {
    Connection reader(path, Access::read, &damage);
    found.version = reader.integer("PRAGMA user_version");
    found.free_bytes = static_cast<std::uint64_t>(reader.integer("PRAGMA freelist_count") *
                                                  reader.integer("PRAGMA page_size"));
    look_at_pages(reader, found.findings);
    look_at_references(reader, found.findings);
    count(reader, found);
  } catch (const Error&) {
    if (!damage.noted()) throw;
    found.findings.emplace_back("it can't be read any further");
  }
  return found;
}

}  // namespace iobenchd::storage
