#include "daemon/scheduler/scratch.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

namespace iobenchd::scheduler {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { closedir(directory); }
};

std::vector<std::string> files_of(const std::string& directory, const std::string& start) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseDirectory> open(opendir(directory.c_str()));
  if (!open) return names;
  while (const dirent* entry = readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name.substr(0, start.size()) == start) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::string scratch_name(const std::string& uuid) {
  return std::string(scratch_prefix) + uuid;
}

std::vector<std::string> scratch_uuids(const std::string& directory) {
  std::vector<std::string> uuids;
  for (const std::string& name : files_of(directory, std::string(scratch_prefix))) {
    const std::size_t end = name.find_last_of('.');
    if (end == std::string::npos || end <= scratch_prefix.size()) continue;
    uuids.push_back(name.substr(scratch_prefix.size(), end - scratch_prefix.size()));
  }
  std::sort(uuids.begin(), uuids.end());
  uuids.erase(std::unique(uuids.begin(), uuids.end()), uuids.end());
  return uuids;
}

std::string remove_scratch(const std::string& directory, const std::string& uuid) {
  std::string trouble;
  for (const std::string& name : files_of(directory, scratch_name(uuid) + ".")) {
    std::string path = directory;
    path.append("/").append(name);
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
      trouble = path + ": " + std::generic_category().message(errno);
  }
  return trouble;
}

}  // namespace iobenchd::scheduler
