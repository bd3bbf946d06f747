// The file: one writer behind a mutex that does all writes and all checkpoints, and a pool of
// read-only connections. A file that is damaged has no writer any more and is only read. Safe from
// any thread; a function passed to read() or write() must not call them again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "storage/ballast.h"
#include "storage/damage.h"
#include "storage/guard.h"
#include "storage/quick_check.h"
#include "storage/statement.h"

namespace iobenchd::storage {

class Database {
 public:
  // Throws as Store's constructor does.
  explicit Database(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // One transaction, durable on return, undone by an exception. On a full disk the ballast is given
  // up for it, and it is tried a second time.
  template <typename Work>
  auto write(Work&& work) {
    const std::lock_guard lock(writer_mutex_);
    require_sound();
    try {
      return attempt(work);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::storage_full || !give_up_ballast()) throw;
    }
    return attempt(work);
  }

  // The same for what begins something: never at the ballast's cost, and refused (storage_full)
  // while that is missed, so that its room stays for what is under way.
  template <typename Work>
  auto write_new(Work&& work) {
    const std::lock_guard lock(writer_mutex_);
    require_sound();
    require_ballast();
    return attempt(work);
  }

  // One snapshot. Keep it short: an open reader keeps the WAL from being emptied.
  template <typename Work>
  auto read(Work&& work) {
    const Lease lease(*this);
    const Transaction transaction(*lease.connection, Transaction::Kind::read);
    return work(*lease.connection);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // The last attempt to write found no room or a broken file.
  [[nodiscard]] bool write_failed() const noexcept { return write_failed_; }

  // What keeps this file from being written ever again.
  [[nodiscard]] Damage& damage() noexcept { return damage_; }
  void check_sound();  // throws it; looks whether the file is still where it was, too

  // From now on there is to be a ballast. tend_ballast() makes it where there is none;
  // check_ballast() throws Error{storage_full} while it is missed.
  void keep_ballast();
  void tend_ballast();
  void check_ballast();
  // After a stop that was none the file is read through in the background; false until that is
  // over.
  [[nodiscard]] bool is_looked_through() const noexcept { return !check_ || check_->is_over(); }

 private:
  // Under the writer's mutex.
  void require_sound();
  void require_ballast();
  [[nodiscard]] bool give_up_ballast() { return ballast_ && ballast_->give_up(); }

  template <typename Work>
  auto attempt(Work& work) {
    try {
      return transact(work);
    } catch (const Error& error) {
      notice(error);
      throw;
    }
  }
  template <typename Work>
  auto transact(Work& work) {
    Transaction transaction(*writer_, Transaction::Kind::write);
    if constexpr (std::is_void_v<decltype(work(*writer_))>) {
      work(*writer_);
      transaction.commit();
      write_failed_ = false;
    } else {
      auto result = work(*writer_);
      transaction.commit();
      write_failed_ = false;
      return result;
    }
  }
  void notice(const Error& error) noexcept {
    if (error.code() == ErrorCode::storage_full || error.code() == ErrorCode::unavailable) {
      write_failed_ = true;
    }
  }

  struct Lease {
    explicit Lease(Database& owner) : database(owner), connection(owner.take_reader()) {}
    ~Lease() { database.give_reader(std::move(connection)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Database& database;
    std::unique_ptr<Connection> connection;
  };

  [[nodiscard]] std::unique_ptr<Connection> take_reader();
  void give_reader(std::unique_ptr<Connection> connection) noexcept;

  std::string path_;
  LockFile lock_;
  bool torn_away_;  // by a crash, before this life
  Damage damage_;
  std::mutex writer_mutex_;
  std::unique_ptr<Connection> writer_;  // null: the file was damaged when it was opened
  std::optional<Ballast> ballast_;
  std::atomic<bool> write_failed_{false};
  std::mutex readers_mutex_;
  std::condition_variable reader_is_back_;
  std::vector<std::unique_ptr<Connection>> idle_readers_;
  std::uint32_t readers_open_ = 0;
  std::unique_ptr<QuickCheck> check_;
};

}  // namespace iobenchd::storage
