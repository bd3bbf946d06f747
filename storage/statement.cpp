#include "storage/statement.h"

#include <sqlite3.h>

#include <cerrno>
#include <limits>

#include "storage/damage.h"

namespace iobenchd::storage {
namespace {

constexpr int busy_timeout_ms = 5'000;
// Filters make up to some thousand texts; a cache that has grown past this starts anew.
constexpr std::size_t cached_statements_most = 128;

bool same_name(const char* found, std::string_view name) noexcept {
  return found != nullptr && name == found;
}

// What holds for every connection. Nothing in the file may call functions of ours or be mapped:
// a file that shrinks under a mapping is SIGBUS.
constexpr const char* every_connection =
    "PRAGMA foreign_keys = ON;"
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA mmap_size = 0;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA synchronous = FULL;";

}  // namespace

Connection::Connection(const std::string& path, Access access, Damage* damage)
    : path_(path), damage_(damage) {
  const int flags = access == Access::write    ? SQLITE_OPEN_READWRITE
                    : access == Access::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                               : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    set_up(access);
  } catch (...) {
    close();
    throw;
  }
}

void Connection::set_up(Access access) {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, busy_timeout_ms);
  // A file that is shorter than it says is read as far as it goes, where this was said first.
  if (access == Access::rescue) execute("PRAGMA writable_schema = ON");
  execute(every_connection);
  if (access == Access::read || access == Access::rescue) {
    // SQLite before 3.51.3 can corrupt a file when two connections reset the WAL at once: all
    // checkpoints are the writer's.
    checkpoint_on_close(false);
    execute("PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0;");
  } else if (sqlite3_db_readonly(handle_, "main") == 1) {
    throw Error(ErrorCode::unavailable,
                "the database " + path_ +
                    " can be read but not written: give it to this user, or set `database` to "
                    "another path");
  }
}

Connection::~Connection() {
  close();
}

void Connection::close() noexcept {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  idle_.clear();
  sqlite3_close(handle_);
  handle_ = nullptr;
}

void Connection::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Connection::integer(std::string_view sql) {
  Statement statement(*this, sql);
  if (!statement.step()) throw Error(ErrorCode::internal, "no row from: " + std::string(sql));
  return sqlite3_column_int64(statement.statement_, 0);
}

std::int64_t Connection::last_insert_id() const noexcept {
  return sqlite3_last_insert_rowid(handle_);
}

std::int64_t Connection::changes() const noexcept {
  return sqlite3_changes(handle_);
}

bool Connection::in_transaction() const noexcept {
  return sqlite3_get_autocommit(handle_) == 0;
}

bool Connection::has_moved() const noexcept {
  int moved = 0;
  const int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

void Connection::checkpoint_on_close(bool wanted) noexcept {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
}

void Connection::end_when(const std::atomic<bool>& over) noexcept {
  constexpr int instructions_between_looks = 1000;
  const auto look = [](void* flag) {
    return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0;
  };
  sqlite3_progress_handler(handle_, instructions_between_looks, look,
                           const_cast<std::atomic<bool>*>(&over));
}

void Connection::fail(int code) const {
  const std::string why = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  const int system = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
  const int primary = code & 0xFF;
  // The shared-memory file grows too, and says IOERR when there is no room for that.
  const bool no_room =
      primary == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT || system == EFBIG);
  if (primary == SQLITE_FULL || no_room) {
    throw Error(ErrorCode::storage_full,
                "no room for the database " + path_ + ": free some space on its filesystem");
  }
  switch (primary) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: {
      const std::string text = damage_text(path_, why);
      if (damage_ != nullptr) damage_->note(text);
      throw Error(ErrorCode::unavailable, text);
    }
    case SQLITE_INTERRUPT:
      throw Error(ErrorCode::unavailable, "the daemon is stopping");
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_BUSY:
    case SQLITE_NOLFS:
      throw Error(ErrorCode::unavailable, "the database " + path_ + " can't be used: " + why);
    default:
      throw Error(ErrorCode::internal, "the database " + path_ + ": " + why);
  }
}

Connection::Cache::node_type Connection::take(std::string_view sql) {
  if (const auto found = idle_.find(sql); found != idle_.end()) return idle_.extract(found);
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  Cache one;
  return one.extract(one.emplace(std::string(sql), statement).first);
}

void Connection::give_back(Cache::node_type node) noexcept {
  sqlite3_reset(node.mapped());
  sqlite3_clear_bindings(node.mapped());
  if (idle_.size() >= cached_statements_most) {
    for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
    idle_.clear();
  }
  // The same text may have been in use twice; one copy is enough.
  if (auto placed = idle_.insert(std::move(node)); !placed.inserted) {
    sqlite3_finalize(placed.node.mapped());
  }
}

Statement::Statement(Connection& connection, std::string_view sql)
    : connection_(connection), node_(connection.take(sql)), statement_(node_.mapped()) {}

Statement::~Statement() {
  connection_.give_back(std::move(node_));
}

int Statement::parameter(std::string_view name) {
  const int count = sqlite3_bind_parameter_count(statement_);
  for (int step = 0; step < count; ++step) {
    const int index = (next_parameter_ - 1 + step) % count + 1;
    const char* found = sqlite3_bind_parameter_name(statement_, index);
    if (found == nullptr || !same_name(found + 1, name)) continue;
    next_parameter_ = index + 1;
    ++parameters_bound_;
    return index;
  }
  throw Error(ErrorCode::internal, "no parameter :" + std::string(name) + " in: " + node_.key());
}

int Statement::column(std::string_view name) {
  const int count = sqlite3_column_count(statement_);
  for (int step = 0; step < count; ++step) {
    const int index = (next_column_ + step) % count;
    if (!same_name(sqlite3_column_name(statement_, index), name)) continue;
    next_column_ = index + 1;
    return index;
  }
  throw Error(ErrorCode::internal, "no column " + std::string(name) + " in: " + node_.key());
}

Statement& Statement::bound(int code) {
  if (code != SQLITE_OK) connection_.fail(code);
  return *this;
}

Statement& Statement::bind_integer(std::string_view name, std::int64_t value) {
  return bound(sqlite3_bind_int64(statement_, parameter(name), value));
}

Statement& Statement::bind_null(std::string_view name) {
  return bound(sqlite3_bind_null(statement_, parameter(name)));
}

Statement& Statement::bind(std::string_view name, double value) {
  return bound(sqlite3_bind_double(statement_, parameter(name), value));
}

Statement& Statement::bind(std::string_view name, std::string_view value) {
  // A null pointer would be stored as NULL.
  const char* data = value.data() != nullptr ? value.data() : "";
  return bound(sqlite3_bind_text64(statement_, parameter(name), data, value.size(),
                                   SQLITE_TRANSIENT, SQLITE_UTF8));
}

Statement& Statement::bind(std::string_view name, const Blob& value) {
  const void* data = value.empty() ? static_cast<const void*>("") : value.data();
  return bound(
      sqlite3_bind_blob64(statement_, parameter(name), data, value.size(), SQLITE_TRANSIENT));
}

bool Statement::step() {
  // A forgotten parameter would be NULL, and NULL equals nothing: silence instead of rows.
  if (parameters_bound_ != sqlite3_bind_parameter_count(statement_)) {
    throw Error(ErrorCode::internal, "not every parameter is bound in: " + node_.key());
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) {
    next_column_ = 0;
    return true;
  }
  if (code != SQLITE_DONE) connection_.fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

bool Statement::is_null(std::string_view name) {
  const int index = column(name);
  next_column_ = index;  // the value itself is asked for next
  return sqlite3_column_type(statement_, index) == SQLITE_NULL;
}

std::string Statement::text(std::string_view name) {
  const int index = column(name);
  const auto* data = sqlite3_column_text(statement_, index);
  if (data == nullptr) return {};
  return std::string(reinterpret_cast<const char*>(data),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement_, index)));
}

double Statement::real(std::string_view name) {
  const int index = column(name);
  if (sqlite3_column_type(statement_, index) == SQLITE_NULL) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sqlite3_column_double(statement_, index);
}

std::int64_t Statement::integer(std::string_view name) {
  return sqlite3_column_int64(statement_, column(name));
}

std::uint32_t Statement::unsigned32(std::string_view name) {
  const std::int64_t value = integer(name);
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::unavailable, "the database " + connection_.path() + " is damaged: " +
                                            std::string(name) + " is " + std::to_string(value));
  }
  return static_cast<std::uint32_t>(value);
}

std::span<const std::uint8_t> Statement::blob(std::string_view name) {
  const int index = column(name);
  const void* data = sqlite3_column_blob(statement_, index);
  return {static_cast<const std::uint8_t*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, index))};
}

// IMMEDIATE: the only writer must not find out in the middle that it can't write.
Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  connection_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!open_ || !connection_.in_transaction()) return;  // SQLite rolls some failures back itself
  try {
    connection_.execute("ROLLBACK");
  } catch (const Error&) {
    // Nothing more can be done; the next BEGIN will say what is wrong.
  }
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace iobenchd::storage
