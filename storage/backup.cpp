#include "storage/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "storage/guard.h"
#include "storage/statement.h"

namespace iobenchd::storage {
namespace {

constexpr std::uint64_t slack_bytes = std::uint64_t{1} << 20;

std::string copy_of(const std::string& database) {
  return database + ".backup";
}

}  // namespace

Backup::Backup(const std::string& database, Damage& damage, const std::atomic<bool>& over) {
  Connection reader(database, Access::read, &damage);
  const auto bytes = static_cast<std::uint64_t>(reader.integer("PRAGMA page_count") *
                                                reader.integer("PRAGMA page_size"));
  require_room(database, bytes + slack_bytes, "the backup");
  reader.end_when(over);
  // VACUUM INTO writes, though not to this file, which is open for reading alone.
  reader.execute("PRAGMA query_only = OFF");
  const std::string copy = copy_of(database);
  remove_leftover(database);
  create_private(copy);
  try {
    Statement(reader, "VACUUM INTO :copy").bind("copy", copy).run();
    descriptor_ = open(copy.c_str(), O_RDONLY | O_CLOEXEC);
  } catch (...) {
    remove_leftover(database);
    throw;
  }
  const int why = errno;
  remove_leftover(database);
  if (descriptor_ < 0)
    throw Error(ErrorCode::unavailable,
                "can't read the backup " + copy + " (" + std::strerror(why) + ")");
}

Backup::~Backup() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string Backup::read(std::size_t most) {
  std::string bytes(most, '\0');
  ssize_t size = 0;
  do {
    size = ::read(descriptor_, bytes.data(), bytes.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0)
    throw Error(ErrorCode::unavailable,
                std::string("can't read the backup (") + std::strerror(errno) + ")");
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

void Backup::remove_leftover(const std::string& database) noexcept {
  unlink(copy_of(database).c_str());
  unlink((copy_of(database) + "-journal").c_str());
}

}  // namespace iobenchd::storage
