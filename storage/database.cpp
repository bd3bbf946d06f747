#include "storage/database.h"

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

// A new database gets its tables and its name in the header before it becomes a WAL: a crash
// halfway leaves an empty file or a whole one, never a nameless one.
std::unique_ptr<Connection> open_writer(const std::string& path) {
  const auto steps = migrations();
  const bool exists = is_ours(path, static_cast<std::uint32_t>(steps.size()));
  if (!exists) create_private(path);
  auto writer = std::make_unique<Connection>(path, exists ? Access::write : Access::create);
  migrate(*writer, steps);
  use_wal(*writer);
  // A first look at a table of ours: a file damaged in its schema says so now.
  static_cast<void>(writer->integer("SELECT count(*) FROM health"));
  return writer;
}

}  // namespace

Database::Database(const std::string& path)
    : path_(path), lock_(path), writer_(open_writer(path)) {}

// Readers first: the writer, last, empties the WAL.
Database::~Database() {
  idle_readers_.clear();
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
    return std::make_unique<Connection>(path_, Access::read);
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
