#include "storage/database.h"

#include "daemon/model/quantity.h"
#include "storage/backup.h"
#include "storage/migrations.h"

namespace iobenchd::storage {
namespace {

constexpr std::uint32_t readers_most = 32;

void use_wal(Connection& writer) {
  Statement statement(writer, "PRAGMA journal_mode = WAL");
  if (!statement.step() || statement.text("journal_mode") != "wal") {
    throw Error(ErrorCode::unavailable,
                "the filesystem of " + writer.path() +
                    " can't hold a database (no shared memory): set `database` to a local path");
  }
  writer.execute("PRAGMA journal_size_limit = 67108864");
}

// What was committed last may be in the log alone, and SQLite deletes a log without its file.
void refuse_orphaned_log(const std::string& path) {
  if (!was_torn_away(path)) return;
  throw Error(ErrorCode::unavailable,
              "the database " + path + " is missing or empty, but its log " + path +
                  "-wal is not: put the database back, or move its log away and start anew");
}

// A new database gets its tables and its name in the header before it becomes a WAL: a crash
// halfway leaves an empty file or a whole one, never a nameless one.
std::unique_ptr<Connection> open_sound(const std::string& path, Damage& damage) {
  const auto steps = migrations();
  const bool exists = is_ours(path, static_cast<std::uint32_t>(steps.size()));
  if (!exists) refuse_orphaned_log(path);
  if (!exists) create_private(path);
  auto writer =
      std::make_unique<Connection>(path, exists ? Access::write : Access::create, &damage);
  writer->checkpoint_on_close(false);  // a damaged file stays as it is, its log too
  migrate(*writer, steps);
  use_wal(*writer);
  // A first look at a table of ours: a file damaged in its schema says so now.
  static_cast<void>(writer->integer("SELECT count(*) FROM health"));
  writer->checkpoint_on_close(true);
  return writer;
}

// Null for a damaged file of which something can still be read. Where nothing can, or by no SQL of
// this version, there is nothing to serve: throws what opening it threw.
std::unique_ptr<Connection> open_writer(const std::string& path, Damage& damage) {
  try {
    return open_sound(path, damage);
  } catch (const Error& error) {
    if (!damage.noted()) throw;
    try {
      Connection reader(path, Access::rescue);
      const auto newest = static_cast<std::int64_t>(migrations().size());
      if (reader.integer("PRAGMA user_version") != newest) throw error;
      static_cast<void>(reader.integer("SELECT count(*) FROM sqlite_schema"));
    } catch (const Error&) {
      throw error;
    }
    return nullptr;
  }
}

}  // namespace

Database::Database(const std::string& path)
    : path_(path),
      lock_(path),
      torn_away_(was_torn_away(path)),
      writer_(open_writer(path, damage_)) {
  Backup::remove_leftover(path);
  if (torn_away_ && writer_) check_ = std::make_unique<QuickCheck>(path, damage_);
}

// Readers first: the writer, last, empties the WAL, unless the file is to stay as it is.
Database::~Database() {
  check_.reset();
  idle_readers_.clear();
  if (writer_ && damage_.noted()) writer_->checkpoint_on_close(false);
}

void Database::check_sound() {
  const std::lock_guard lock(writer_mutex_);
  require_sound();
}

// SQLite goes on writing to a file that was deleted, and all of it would be lost.
void Database::require_sound() {
  if (writer_ && !damage_.noted() && writer_->has_moved()) {
    damage_.note("the database " + path_ +
                 " was deleted or moved away while it was in use: put it back and start the daemon "
                 "anew; until then nothing is taken in");
  }
  damage_.refuse();
}

void Database::keep_ballast() {
  const std::lock_guard lock(writer_mutex_);
  ballast_.emplace(path_ + ".ballast");
}

void Database::tend_ballast() {
  const std::lock_guard lock(writer_mutex_);
  if (ballast_ && !ballast_->is_missed()) ballast_->restore();
}

void Database::check_ballast() {
  const std::lock_guard lock(writer_mutex_);
  require_ballast();
}

void Database::require_ballast() {
  if (!ballast_ || !ballast_->is_missed()) return;
  throw Error(ErrorCode::storage_full, "no room for the database " + path_ +
                                           ": free some space on its filesystem; " +
                                           size_text(free_bytes_beside(path_).value_or(0)) +
                                           " are left, and nothing new is begun before there are " +
                                           size_text(2 * ballast_bytes));
}

std::unique_ptr<Connection> Database::take_reader() {
  std::unique_lock lock(readers_mutex_);
  reader_is_back_.wait(lock,
                       [&] { return !idle_readers_.empty() || readers_open_ < readers_most; });
  if (!idle_readers_.empty()) {
    auto connection = std::move(idle_readers_.back());
    idle_readers_.pop_back();
    return connection;
  }
  ++readers_open_;
  lock.unlock();
  try {
    const Access access = damage_.noted() ? Access::rescue : Access::read;
    return std::make_unique<Connection>(path_, access, &damage_);
  } catch (...) {
    lock.lock();
    --readers_open_;
    reader_is_back_.notify_one();
    throw;
  }
}

void Database::give_reader(std::unique_ptr<Connection> connection) noexcept {
  {
    const std::lock_guard lock(readers_mutex_);
    idle_readers_.push_back(std::move(connection));
  }
  reader_is_back_.notify_one();
}

}  // namespace iobenchd::storage
