#include "storage/guard.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "daemon/model/error.h"
#include "daemon/model/quantity.h"

namespace iobenchd::storage {
namespace {

constexpr std::size_t header_bytes = 100;
constexpr std::size_t user_version_at = 60, application_id_at = 68;
constexpr std::string_view header_magic{"SQLite format 3\0", 16};

Error refused(const std::string& path, const std::string& why) {
  return Error(ErrorCode::unavailable,
               path + " " + why + "; it is left as it is: set `database` to another path");
}

std::uint32_t big_endian(const std::array<unsigned char, header_bytes>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | bytes[at + i];
  return value;
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, mode_t mode = 0)
      : number_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

LockFile::LockFile(const std::string& database_path) {
  const std::string path = database_path + ".lock";
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0) {
    throw Error(ErrorCode::unavailable,
                "can't create " + path + " (" + std::strerror(errno) + "): the directory " +
                    directory_of(database_path) +
                    " must exist and be writable for this user, or set `database` to another path");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int why = errno;
  close(descriptor_);
  if (why != EWOULDBLOCK) {
    throw Error(ErrorCode::unavailable, "can't lock " + path + " (" + std::strerror(why) +
                                            "): the database must be on a local filesystem");
  }
  throw Error(ErrorCode::unavailable, "another iobenchd uses the database " + database_path +
                                          ": stop it, or set `database` to another path");
}

LockFile::~LockFile() {
  close(descriptor_);
}

bool is_ours(const std::string& path, std::uint32_t newest) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    throw refused(path, std::string("can't be asked for (") + std::strerror(errno) + ")");
  }
  if (!S_ISREG(status.st_mode)) throw refused(path, "is not a regular file");
  if (status.st_size == 0) return false;
  const Descriptor file(path, O_RDONLY);
  std::array<unsigned char, header_bytes> header{};
  if (file.number() < 0) {
    throw refused(path, std::string("can't be read (") + std::strerror(errno) + ")");
  }
  const ssize_t got = pread(file.number(), header.data(), header.size(), 0);
  if (got < 0) throw refused(path, std::string("can't be read (") + std::strerror(errno) + ")");
  if (got != static_cast<ssize_t>(header.size()) ||
      std::memcmp(header.data(), header_magic.data(), header_magic.size()) != 0) {
    throw refused(path, "is no database, or its first page is damaged");
  }
  if (big_endian(header, application_id_at) != application_id) {
    throw refused(path, "is a database of another program");
  }
  const std::uint32_t version = big_endian(header, user_version_at);
  if (version > newest) {
    throw refused(path, "was written by a newer iobenchd (version " + std::to_string(version) +
                            " of the tables, this one knows " + std::to_string(newest) + ")");
  }
  return true;
}

void create_private(const std::string& path) {
  const Descriptor file(path, O_RDWR | O_CREAT, 0600);
  if (file.number() >= 0) return;
  throw Error(ErrorCode::unavailable,
              "can't create the database " + path + " (" + std::strerror(errno) + "): make " +
                  directory_of(path) +
                  " writable for this user, or set `database` to another path");
}

std::optional<std::uint64_t> free_bytes_beside(const std::string& path) noexcept {
  struct statvfs status {};
  if (statvfs(directory_of(path).c_str(), &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.f_bavail) * static_cast<std::uint64_t>(status.f_frsize);
}

void require_room(const std::string& path, std::uint64_t bytes, const std::string& what_for) {
  const auto free_bytes = free_bytes_beside(path);
  if (!free_bytes || *free_bytes >= bytes) return;  // unknown: the writing itself will tell
  throw Error(ErrorCode::storage_full, what_for + " needs " + size_text(bytes) + " in " +
                                           directory_of(path) + ", which has " +
                                           size_text(*free_bytes) + " free");
}

void publish(const std::string& partial, const std::string& final_path) {
  const Descriptor file(partial, O_RDWR);
  const Descriptor directory(directory_of(final_path), O_RDONLY | O_DIRECTORY);
  if (file.number() < 0 || fsync(file.number()) != 0 ||
      std::rename(partial.c_str(), final_path.c_str()) != 0 || directory.number() < 0 ||
      fsync(directory.number()) != 0) {
    throw Error(ErrorCode::unavailable,
                "can't keep the copy " + final_path + " (" + std::strerror(errno) + ")");
  }
}

}  // namespace iobenchd::storage
