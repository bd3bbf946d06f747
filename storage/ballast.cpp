#include "storage/ballast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "storage/guard.h"

namespace iobenchd::storage {

bool Ballast::is_whole() const noexcept {
  struct stat status {};
  return lstat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(status.st_size) == ballast_bytes;
}

// For the ballast and as much again: else it would be given up at the next turn.
bool Ballast::has_room() const noexcept {
  const auto free_bytes = free_bytes_beside(path_);
  return !free_bytes || *free_bytes >= 2 * ballast_bytes;
}

void Ballast::restore() noexcept {
  if (is_whole()) {
    given_up_ = false;
    return;
  }
  given_up_ = !(has_room() && write_all());
  if (given_up_) unlink(path_.c_str());
}

// Bytes that no file system compresses to nothing.
bool Ballast::write_all() const noexcept {
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  std::array<char, 65536> part{};
  std::uint64_t state = 1;
  std::uint64_t written = 0;
  bool good = true;
  while (good && written < ballast_bytes) {
    for (std::size_t at = 0; at < part.size(); at += sizeof state) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      std::memcpy(part.data() + at, &state, sizeof state);
    }
    const ssize_t size = write(file, part.data(), part.size());
    good = size > 0;
    if (good) written += static_cast<std::uint64_t>(size);
  }
  good = good && ftruncate(file, static_cast<off_t>(ballast_bytes)) == 0 && fsync(file) == 0;
  return close(file) == 0 && good;
}

bool Ballast::give_up() noexcept {
  if (given_up_) return false;
  given_up_ = true;
  return unlink(path_.c_str()) == 0;
}

}  // namespace iobenchd::storage
