#include "daemon/client/place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "daemon/model/error.h"
#include "daemon/scheduler/scratch.h"

namespace iobenchd::client {
namespace {

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) throw Error(ErrorCode::invalid, path, std::strerror(errno));
  return real.get();
}

// A path is no pattern: what fnmatch would read as one is quoted.
std::string as_pattern(const std::string& path) {
  std::string pattern;
  for (const char c : path) {
    if (std::strchr("*?[\\", c) != nullptr) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string new_directory(const std::string& parent) {
  std::string path = parent + "/iobench-XXXXXX";
  return mkdtemp(path.data()) != nullptr ? path : "";
}

}  // namespace

Place find_place(const std::string& file) {
  struct stat info {};
  Place place;
  if (stat(file.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      place.scratch_dir = resolved(file);
      return place;
    }
    place.target = resolved(file);
    return place;
  }
  if (errno != ENOENT) throw Error(ErrorCode::invalid, file, std::strerror(errno));
  if (lstat(file.c_str(), &info) == 0)
    throw Error(ErrorCode::invalid, file, "is a link to something that doesn't exist");
  const std::size_t slash = file.rfind('/');
  const std::string directory = slash == std::string::npos ? "."
                                : slash == 0               ? "/"
                                                           : file.substr(0, slash);
  if (slash != std::string::npos && slash + 1 == file.size())
    throw Error(ErrorCode::invalid, file, "there is no such directory");
  place.scratch_dir = resolved(directory);
  place.keep_as = place.scratch_dir + "/" + file.substr(slash + 1);
  return place;
}

SweepSpec spec_for(const std::vector<api::TextField>& fields, const Place& place) {
  std::vector<api::TextField> all = fields;
  if (!place.target.empty()) all.push_back({"target", place.target});
  SweepSpec spec = api::spec_of_fields(all);
  spec.target =
      place.target;  // a name is bytes; only valid UTF-8 goes through the reader unchanged
  if (!place.target.empty() && std::any_of(spec.rw.begin(), spec.rw.end(), writes))
    throw Error(ErrorCode::invalid,
                place.target +
                    " exists, and iobench run never writes what exists: name a file that "
                    "doesn't, or post the sweep to a daemon that is allowed to");
  return spec;
}

WorkDirectory::WorkDirectory() {
  const char* temporary = std::getenv("TMPDIR");
  const std::array<std::string, 3> parents{"/dev/shm", temporary != nullptr ? temporary : "",
                                           "/tmp"};
  for (const std::string& parent : parents) {
    if (parent.empty()) continue;
    path_ = new_directory(parent);
    if (!path_.empty()) return;
  }
  throw Error(ErrorCode::unavailable, std::string("can't make a directory in /tmp (") +
                                          std::strerror(errno) +
                                          "): set TMPDIR to one that can be written");
}

WorkDirectory::~WorkDirectory() {
  std::error_code ignored;  // nothing is lost with it
  std::filesystem::remove_all(path_, ignored);
}

Settings settings_for(const Place& place, const WorkDirectory& work) {
  Settings settings;
  set_text(settings.database, work.path() + "/runs.sqlite3");
  set_text(settings.scratch_dir, place.target.empty() ? place.scratch_dir : work.path());
  // Who types a size means it; 5 % of the filesystem stay free in any case.
  settings.scratch_limit_bytes = std::uint64_t{1} << 50;
  if (place.target.empty()) return settings;
  const std::string pattern = as_pattern(place.target);
  AllowedTarget& allowed = settings.targets[0];
  if (pattern.size() >= allowed.pattern.size())
    throw Error(ErrorCode::invalid, place.target, "the path is longer than 255 bytes");
  set_text(allowed.pattern, pattern);
  allowed.read_in_use = 1;
  settings.target_count = 1;
  return settings;
}

std::string keep_scratch(const Place& place, const std::string& uuid) {
  const std::string made = place.scratch_dir + "/" + scheduler::scratch_name(uuid);
  if (place.keep_as.empty()) return "the scratch file stays: " + made + ".*";
  // link(2) refuses what exists, where rename(2) would replace it.
  std::string told;
  const bool several = access((made + ".1").c_str(), F_OK) == 0;
  for (std::uint32_t i = 0;; ++i) {
    const std::string from = made + "." + std::to_string(i);
    if (access(from.c_str(), F_OK) != 0) break;
    const std::string to = several ? place.keep_as + "." + std::to_string(i) : place.keep_as;
    const bool linked = link(from.c_str(), to.c_str()) == 0;
    if (linked) unlink(from.c_str());
    told += (told.empty() ? "the scratch file stays: " : ", ") + (linked ? to : from);
  }
  return told;
}

}  // namespace iobenchd::client
