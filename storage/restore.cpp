#include "storage/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>

#include "storage/guard.h"
#include "storage/quick_check.h"
#include "storage/statement.h"

namespace iobenchd::storage {
namespace {

constexpr std::uint64_t slack_bytes = std::uint64_t{1} << 20;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unavailable, what);
}

std::string because(const std::string& what) {
  return what + " (" + std::strerror(errno) + ")";
}

std::string dated_name(const std::string& database) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
  return database + ".before-restore-" + text.data();
}

// What is made here belongs to whom the directory belongs to: root restores for the daemon's user.
void give_to_owner(const std::string& path) {
  struct stat directory {};
  if (geteuid() != 0 || stat(directory_of(path).c_str(), &directory) != 0) return;
  if (lchown(path.c_str(), directory.st_uid, directory.st_gid) != 0)
    refuse(because("can't give " + path + " to the owner of its directory"));
}

class File {
 public:
  File(const std::string& path, int flags)
      : path_(path), descriptor_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (descriptor_ < 0) refuse(because("can't open " + path));
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] std::uint64_t size_bytes() const {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
      refuse(path_ + " is no regular file");
    return static_cast<std::uint64_t>(status.st_size);
  }
  void copy_from(const File& source) const {
    std::array<char, 65536> part{};
    ssize_t size = 0;
    while ((size = read(source.descriptor_, part.data(), part.size())) > 0) {
      if (write(descriptor_, part.data(), static_cast<std::size_t>(size)) != size)
        refuse(because("can't write " + path_));
    }
    if (size < 0) refuse(because("can't read " + source.path_));
    if (fsync(descriptor_) != 0) refuse(because("can't write " + path_));
  }

 private:
  std::string path_;
  int descriptor_;
};

// The copy that is judged is the one that is taken: what happens to the backup meanwhile is of no
// matter. Gone at the end, unless it was put in place.
class Candidate {
 public:
  Candidate(const std::string& database, const std::string& from)
      : path_(database + ".restoring"), from_(from) {
    remove();
    const File source(from, O_RDONLY);
    require_room(database, source.size_bytes() + slack_bytes, "the restored database");
    File(path_, O_WRONLY | O_CREAT | O_EXCL).copy_from(source);
    give_to_owner(path_);
  }
  ~Candidate() { remove(); }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] Inspection judge() const {
    Inspection found;
    try {
      found = inspect(path_);
    } catch (const Error& error) {
      refuse(from_ + " can't be restored: " + error.what());
    }
    if (!found.findings.empty())
      refuse(from_ + " can't be restored, it is damaged: " + found.findings.front());
    return found;
  }

 private:
  void remove() const {
    for (const char* end : {"", "-wal", "-shm", "-journal"}) unlink((path_ + end).c_str());
  }

  std::string path_, from_;
};

// Into the file what is in its log only, where that can still be done.
void empty_log(const std::string& database) {
  try {
    if (!is_ours(database, std::numeric_limits<std::uint32_t>::max())) return;
    Connection writer(database, Access::write);
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (const Error&) {
    // It is damaged, or somebody else's: file and log are kept as they are.
  }
}

// A second name first: there is no moment without a database under its own name. Its log goes with
// it, for SQLite would take it for the new one's.
std::string keep_old(const std::string& database) {
  if (access(database.c_str(), F_OK) != 0) return {};
  empty_log(database);
  std::string kept = dated_name(database);
  if (link(database.c_str(), kept.c_str()) != 0)
    refuse(because("can't keep the old database as " + kept));
  const std::string log = database + "-wal";
  if (access(log.c_str(), F_OK) == 0 && rename(log.c_str(), (kept + "-wal").c_str()) != 0)
    refuse(because("can't keep the old database's log as " + kept + "-wal"));
  unlink((database + "-shm").c_str());  // made anew from the log whenever that is opened
  return kept;
}

}  // namespace

Restored restore(const std::string& database, const std::string& from) {
  const LockFile lock(database);
  give_to_owner(database + ".lock");
  if (was_torn_away(from))
    refuse(from +
           " has a log beside it, so it is no backup but a copy of files in use: `iobench "
           "backup` makes one file of them");
  const Candidate candidate(database, from);
  Restored done;
  done.found = candidate.judge();
  if (access(database.c_str(), F_OK) != 0 && was_torn_away(database))
    refuse("the log " + database + "-wal has no database: move it away first");
  done.kept_as = keep_old(database);
  publish(candidate.path(), database);
  return done;
}

}  // namespace iobenchd::storage
