// The database as one file without a log, made while the daemon works on it, and read once. One
// owner.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace iobenchd::storage {

class Damage;

class Backup {
 public:
  // Beside the database, whose filesystem must hold both for a moment. The name is gone when this
  // returns; the file with the object. Throws Error{storage_full} where it doesn't fit,
  // Error{unavailable} where the database is damaged, or `over` came true.
  Backup(const std::string& database, Damage& damage, const std::atomic<bool>& over);
  ~Backup();
  Backup(const Backup&) = delete;
  Backup& operator=(const Backup&) = delete;

  // The next bytes, at most `most`; none at the end. Throws Error{unavailable}.
  [[nodiscard]] std::string read(std::size_t most);

  // What a crash may have left.
  static void remove_leftover(const std::string& database) noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace iobenchd::storage
