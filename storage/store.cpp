#include "storage/store.h"

#include "storage/backup.h"
#include "storage/database.h"
#include "storage/retention.h"

namespace iobenchd::storage {
namespace {

// A commit is a write to a disk that may be under test: not more often than this while all is
// well.
constexpr std::int64_t write_check_every_ns = 60'000'000'000;
// A run of a thousand jobs and an hour is a third of this; with less a run may not be kept, though
// smaller writes still succeed.
constexpr std::uint64_t room_for_a_run_bytes = std::uint64_t{1} << 20;

}  // namespace

Store::Store(const std::string& path, WallClock now)
    : now_(std::move(now)),
      database_(std::make_unique<Database>(path)),
      sweeps_(std::make_unique<SweepStore>(*database_, now_)),
      runs_(std::make_unique<RunStore>(*database_, now_)),
      history_(std::make_unique<HistoryStore>(*database_)),
      schedules_(std::make_unique<ScheduleStore>(*database_, now_)),
      audit_(std::make_unique<AuditStore>(*database_, now_)),
      retention_(std::make_unique<Retention>()) {}

Store::~Store() = default;

std::string Store::damage() const {
  return database_->damage().text();
}

void Store::on_damage(std::function<void(const std::string&)> listener) {
  database_->damage().listen(std::move(listener));
}

bool Store::is_looked_through() const {
  return database_->is_looked_through();
}

void Store::keep_ballast() {
  database_->keep_ballast();
}

std::unique_ptr<Backup> Store::backup() {
  const std::unique_lock lock(backup_mutex_, std::try_to_lock);
  if (!lock) throw Error(ErrorCode::unavailable, "another backup is being made; try again soon");
  return std::make_unique<Backup>(database_->path(), database_->damage(), leaving_);
}

bool Store::tend(const RetentionRules& rules) {
  const std::lock_guard lock(tend_mutex_);
  if (database_->damage().noted()) return false;
  database_->tend_ballast();
  return retention_->step(*database_, rules, now_());
}

std::string Store::trouble() {
  try {
    database_->check_sound();
    database_->check_ballast();
    require_room(database_->path(), room_for_a_run_bytes, "the database");
    const std::int64_t now_ns = now_();
    const std::int64_t checked_at_ns = database_->read([](Connection& connection) {
      return connection.integer("SELECT coalesce(max(checked_at_ns), 0) FROM health");
    });
    if (!database_->write_failed() && checked_at_ns <= now_ns &&
        now_ns - checked_at_ns < write_check_every_ns) {
      return {};
    }
    database_->write_new([&](Connection& connection) {
      Statement(connection, R"sql(
        INSERT INTO health (id, checked_at_ns)
        VALUES (1, :now_ns)
        ON CONFLICT (id) DO UPDATE SET checked_at_ns = excluded.checked_at_ns)sql")
          .bind("now_ns", now_ns)
          .run();
    });
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace iobenchd::storage
