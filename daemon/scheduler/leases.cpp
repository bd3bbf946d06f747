#include "daemon/scheduler/leases.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "daemon/model/lease.h"

namespace iobenchd::scheduler {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { closedir(directory); }
};

// A shared lock, given back at once: an opener that comes in this moment tries again.
bool is_locked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked;
}

}  // namespace

std::set<std::string> locked_leases(const std::string& database,
                                    const std::set<std::string>& ours) {
  std::set<std::string> locked;
  if (database.empty()) return locked;
  const std::string directory = database.substr(0, database.find_last_of('/') + 1);
  const std::unique_ptr<DIR, CloseDirectory> open(opendir(directory.c_str()));
  if (!open) return locked;
  while (const dirent* entry = readdir(open.get())) {
    const std::string name = entry->d_name;
    if (!name.starts_with(lease_prefix) || ours.contains(name)) continue;
    if (is_locked(directory + name)) locked.insert(name);
  }
  return locked;
}

}  // namespace iobenchd::scheduler
