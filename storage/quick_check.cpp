#include "storage/quick_check.h"

#include <sys/stat.h>

#include <exception>
#include <utility>
#include <vector>

#include "storage/statement.h"

namespace iobenchd::storage {
namespace {

std::vector<std::string> tables_of(Connection& reader) {
  Statement row(reader, R"sql(
    SELECT name
      FROM sqlite_schema
     WHERE type = 'table' AND rootpage > 0
     ORDER BY name)sql");
  std::vector<std::string> names;
  while (row.step()) names.push_back(row.text("name"));
  return names;
}

// "*** in database main ***\nOn tree page 5 ...\n...": the first line that says something.
std::string first_of(const std::string& findings) {
  const std::size_t from = findings.rfind("***", 0) == 0 ? findings.find('\n') + 1 : 0;
  return findings.substr(from, findings.find('\n', from) - from);
}

}  // namespace

bool was_torn_away(const std::string& path) noexcept {
  struct stat log {};
  return stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0;
}

QuickCheck::QuickCheck(std::string path, Damage& damage)
    : path_(std::move(path)), damage_(damage), thread_([this] { run(); }) {}

QuickCheck::~QuickCheck() {
  stopping_ = true;
  thread_.join();
}

void QuickCheck::run() noexcept {
  try {
    look_at_every_table();
  } catch (const std::exception&) {
    // Damage has noted itself; a stop is no finding; and what else keeps this from reading keeps
    // everybody from it, who will say so.
  }
  over_ = true;
}

// Table by table: not every release of SQLite lets itself be interrupted within one, and none holds
// the log from being emptied for longer than one takes.
void QuickCheck::look_at_every_table() {
  Connection reader(path_, Access::read, &damage_);
  reader.end_when(stopping_);
  for (const std::string& table : tables_of(reader)) {
    if (stopping_) return;
    // Names of ours: PRAGMA takes no parameters.
    Statement finding(reader, "PRAGMA quick_check('" + table + "')");
    if (!finding.step()) continue;
    const std::string text = finding.text("quick_check");
    if (text != "ok") return damage_.note(damage_text(path_, first_of(text)));
  }
}

}  // namespace iobenchd::storage
