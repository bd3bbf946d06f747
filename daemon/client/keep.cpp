#include "daemon/client/keep.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "api/client.h"
#include "daemon/client/run.h"
#include "daemon/config.h"
#include "daemon/model/error.h"
#include "daemon/model/quantity.h"
#include "storage/inspect.h"
#include "storage/restore.h"

namespace iobenchd::client {
namespace {

constexpr std::size_t findings_shown = 20;

// What was typed behind a command: options with a value, and at most one file.
struct Words {
  std::map<std::string, std::string> options;
  std::string file;

  [[nodiscard]] std::string option(const std::string& name, const std::string& otherwise) const {
    const auto found = options.find(name);
    return found != options.end() ? found->second : otherwise;
  }
};

Words read_words(const std::vector<std::string>& arguments, const std::vector<std::string>& known,
                 bool takes_file) {
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : " and ") + name;
  Words words;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    if (one.compare(0, 1, "-") != 0) {
      if (!takes_file || !words.file.empty())
        throw Error(ErrorCode::invalid,
                    one + ": that is one word too many for iobench " + arguments[0]);
      words.file = one;
      continue;
    }
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string name = one.substr(0, equals);
    bool is_known = false;
    for (const std::string& candidate : known) is_known = is_known || candidate == name;
    if (!is_known)
      throw Error(ErrorCode::invalid, std::string(one)
                                          .append(" is no option of iobench ")
                                          .append(arguments[0])
                                          .append(", which knows ")
                                          .append(names));
    if (equals == one.size() && i + 1 == arguments.size())
      throw Error(ErrorCode::invalid, name + " needs a value");
    words.options[name] = equals < one.size() ? one.substr(equals + 1) : arguments[++i];
  }
  if (takes_file && words.file.empty())
    throw Error(ErrorCode::invalid, "iobench " + arguments[0] + " needs a FILE");
  return words;
}

// The daemon's own: as it would find it, started by this user.
std::string database_of(const Words& words) {
  std::string named = words.option("--database", "");
  if (!named.empty()) return named;
  return text_of(load_config(words.option("--config", ""), {}).settings.database);
}

std::string because(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

// A file under another name until it is whole; never over one that is there.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), partial_(path + ".partial") {
    if (access(path.c_str(), F_OK) == 0) refuse_existing();
    descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ < 0) throw Error(ErrorCode::unavailable, because("can't make " + partial_));
  }
  ~NewFile() {
    close(descriptor_);
    unlink(partial_.c_str());  // nothing, once it has its name
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& partial() const { return partial_; }

  void publish() {
    if (fsync(descriptor_) != 0)
      throw Error(ErrorCode::unavailable, because("can't keep " + path_));
    if (link(partial_.c_str(), path_.c_str()) == 0) return;
    if (errno == EEXIST) refuse_existing();
    // A file system without second names: nearly as good.
    if (access(path_.c_str(), F_OK) == 0) refuse_existing();
    if (rename(partial_.c_str(), path_.c_str()) != 0)
      throw Error(ErrorCode::unavailable, because("can't keep " + path_));
  }

 private:
  [[noreturn]] void refuse_existing() const {
    throw Error(ErrorCode::conflict, path_ + " is there already, and nothing is written over");
  }

  std::string path_, partial_;
  int descriptor_ = -1;
};

// "1 sweep", "2 sweeps"
std::string counted(std::int64_t count, const char* what) {
  return count_text(static_cast<std::uint64_t>(count)) + " " + what + (count == 1 ? "" : "s");
}

std::string contents(const storage::Inspection& found) {
  return counted(found.sweeps, "sweep") + ", " + counted(found.runs, "run") + ", " +
         counted(found.schedules, "schedule") + "; version " + std::to_string(found.version) +
         " of the tables";
}

}  // namespace

int backup(const std::vector<std::string>& arguments) {
  const Words words = read_words(arguments, {"--server"}, true);
  NewFile file(words.file);
  const std::uint64_t bytes =
      api::fetch_backup(words.option("--server", api::default_server), file.descriptor());
  const storage::Inspection found = storage::inspect(file.partial());
  if (!found.findings.empty())
    throw Error(ErrorCode::unavailable, "what arrived is damaged: " + found.findings.front());
  file.publish();
  std::printf("%s: %s, %s\n", words.file.c_str(), size_text(bytes).c_str(),
              contents(found).c_str());
  return status_good;
}

int restore(const std::vector<std::string>& arguments) {
  const Words words = read_words(arguments, {"--config", "--database"}, true);
  const std::string database = database_of(words);
  const storage::Restored done = storage::restore(database, words.file);
  std::printf("%s restored from %s: %s\n", database.c_str(), words.file.c_str(),
              contents(done.found).c_str());
  if (!done.kept_as.empty())
    std::printf("the database that was there is kept as %s\n", done.kept_as.c_str());
  return status_good;
}

int check(const std::vector<std::string>& arguments) {
  const Words words = read_words(arguments, {"--config", "--database"}, false);
  const std::string database = database_of(words);
  const storage::Inspection found = storage::inspect(database);
  const bool whole = found.findings.empty();
  std::printf("%s: %s\n", database.c_str(), whole ? "whole" : "damaged");
  if (found.version > 0) std::printf("%s\n", contents(found).c_str());
  std::printf("file %s, of it unused %s; log %s\n", size_text(found.file_bytes).c_str(),
              size_text(found.free_bytes).c_str(), size_text(found.log_bytes).c_str());
  for (std::size_t i = 0; i < std::min(findings_shown, found.findings.size()); ++i)
    std::printf("  %s\n", found.findings[i].c_str());
  if (found.findings.size() > findings_shown)
    std::printf("  and %zu findings more\n", found.findings.size() - findings_shown);
  if (!whole)
    std::printf(
        "Stop the daemon and restore a backup: iobench restore FILE. What can still be read "
        "is served.\n");
  return whole ? status_good : status_failed;
}

}  // namespace iobenchd::client
