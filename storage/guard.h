// Before SQLite sees the file: the lock that keeps a second daemon out, and the look at the header
// that keeps us from touching a file that isn't ours. Owner's thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace iobenchd::storage {

inline constexpr std::uint32_t application_id = 0x494F4244;  // "IOBD"

// Where a path's last part is.
[[nodiscard]] std::string directory_of(const std::string& path);

// `<database>.lock`, held with flock for as long as this lives. The file stays: unlinking it would
// let two daemons hold locks on two files of one name.
class LockFile {
 public:
  // Throws Error{unavailable}: the directory is missing or not writable, or another iobenchd holds
  // it.
  explicit LockFile(const std::string& database_path);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  int descriptor_ = -1;
};

// True when there is a database of ours (or of a newer iobenchd: `newest` says which is known),
// false when there is none yet. Throws Error{unavailable} for anything else; reads, never writes.
[[nodiscard]] bool is_ours(const std::string& path, std::uint32_t newest);

// Makes an empty file that only this user can read; what SQLite puts beside it gets the same mode.
void create_private(const std::string& path);

// What this user may still write on the filesystem of `path`; none: it doesn't tell.
[[nodiscard]] std::optional<std::uint64_t> free_bytes_beside(const std::string& path) noexcept;
// Throws Error{storage_full} unless the filesystem of `path` has room for `bytes`.
void require_room(const std::string& path, std::uint64_t bytes, const std::string& what_for);

// Durable under its final name: syncs the file, renames it, syncs the directory.
void publish(const std::string& partial, const std::string& final_path);

}  // namespace iobenchd::storage
