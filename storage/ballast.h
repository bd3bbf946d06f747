// A file beside the database that holds some room. On a full disk it is given up, so that what is
// under way can still be stored and something be deleted; it comes back when there is room again.
// Owner's thread only (Database sees to that).
#pragma once

#include <cstdint>
#include <string>

namespace iobenchd::storage {

inline constexpr std::uint64_t ballast_bytes = std::uint64_t{16} << 20;

class Ballast {
 public:
  explicit Ballast(std::string path) : path_(std::move(path)) {}

  // Makes the file where it isn't whole and there is room for it twice. Never throws: without it
  // the ballast counts as given up.
  void restore() noexcept;
  // False: there was none to give up.
  bool give_up() noexcept;
  // It is gone, and there is no room for it yet: nothing new is to be begun.
  [[nodiscard]] bool is_missed() const noexcept { return given_up_ && !has_room(); }
  [[nodiscard]] bool is_whole() const noexcept;

 private:
  [[nodiscard]] bool has_room() const noexcept;
  [[nodiscard]] bool write_all() const noexcept;

  std::string path_;
  bool given_up_ = false;
};

}  // namespace iobenchd::storage
