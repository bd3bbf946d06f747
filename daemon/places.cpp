#include "daemon/places.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "daemon/model/error.h"
#include "daemon/version.h"

namespace iobenchd {
namespace {

constexpr mode_t private_mode = 0700;
constexpr mode_t public_mode = 0755;  // a socket's directory: who may use the socket must reach it

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

[[noreturn]] void refuse(const std::string& what, const std::string& cure) {
  throw Error(ErrorCode::unavailable, what + "; " + cure);
}

// Missing parents are made as mkdir -p does; the last one is the user's own.
void make_directory(const std::string& path, mode_t mode, const launcher::Identity& identity) {
  if (access(path.c_str(), F_OK) == 0) return;
  const std::string parent = directory_of(path);
  if (parent != path && access(parent.c_str(), F_OK) != 0) {
    const mode_t parent_mode = identity.change ? public_mode : private_mode;
    make_directory(parent, parent_mode, launcher::Identity{});
  }
  if (mkdir(path.c_str(), mode) != 0)
    refuse("can't make the directory " + path + ": " + std::strerror(errno),
           "make it, or name another with database and scratch_dir (-o database=/path/file)");
  if (identity.change && lchown(path.c_str(), identity.uid, identity.gid) != 0)
    refuse("can't give " + path + " to " + identity.user + ": " + std::strerror(errno),
           "chown it by hand");
}

// With the rights of who will write there.
void check_writable(const std::string& path, const launcher::Identity& identity) {
  struct stat info {};
  const bool directory = stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (!directory) refuse(path + " is not a directory", "move it away or name another");
  const bool stepped_down =
      identity.change && setegid(identity.gid) == 0 && seteuid(identity.uid) == 0;
  const int denied = faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS);
  const int error = errno;
  if (stepped_down && (seteuid(0) != 0 || setegid(0) != 0))
    refuse("can't take back root's rights", "start iobenchd as root itself");
  if (denied == 0) return;
  const std::string who = identity.change ? identity.user : "this user";
  refuse(
      "the directory " + path + " can't be written by " + who + " (" + std::strerror(error) + ")",
      "chown it to " + who + ", or name another with database and scratch_dir");
}

}  // namespace

launcher::Identity find_identity(const Config& config) {
  launcher::Identity identity;
  if (geteuid() != 0) return identity;
  const passwd* entry = getpwnam(config.user.c_str());
  if (entry == nullptr)
    refuse("started as root, but there is no user " + config.user + " to run as",
           "create it (Linux: useradd --system --no-create-home --home-dir /nonexistent --shell "
           "/usr/sbin/nologin " +
               config.user + "; OpenBSD: useradd -d /var/empty -s /sbin/nologin -L daemon " +
               config.user + ") or name another with \"user\"");
  if (entry->pw_uid == 0)
    refuse("\"user\": \"" + config.user + "\" is root", "name one without privileges");
  identity.change = true;
  identity.uid = entry->pw_uid;
  identity.gid = entry->pw_gid;
  identity.user = config.user;
  return identity;
}

void prepare_directories(const Config& config, const launcher::Identity& identity) {
  const Settings& settings = config.settings;
  for (const std::string& path :
       {directory_of(text_of(settings.database)), text_of(settings.scratch_dir)}) {
    make_directory(path, private_mode, identity);
    check_writable(path, identity);
  }
  for (std::uint32_t i = 0; i < settings.listen_count; ++i) {
    const std::string address = text_of(settings.listen[i]);
    if (address.rfind("unix:", 0) != 0) continue;
    const std::string path = directory_of(address.substr(5));
    make_directory(path, public_mode, identity);
    check_writable(path, identity);
  }
}

std::string absolute_path(const std::string& path) {
  if (path.empty() || path[0] == '/') return path;
  std::array<char, PATH_MAX> here{};
  if (getcwd(here.data(), here.size()) == nullptr) return path;
  return std::string(here.data()) + "/" + path;
}

std::string find_program(const std::string& argv0) {
  // A shell finds a bare name in PATH; so does this.
  std::string found = argv0;
  if (argv0.find('/') == std::string::npos) {
    const char* path = std::getenv("PATH");
    std::string rest = path != nullptr ? path : "";
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      found = rest.substr(0, end) + "/" + argv0;
      if (access(found.c_str(), X_OK) == 0) break;
      rest.erase(0, end + 1);
    }
  }
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(found.c_str(), nullptr),
                                                         &std::free);
  if (!real) refuse("can't find my own program as " + argv0, "start it by its full path");
  return real.get();
}

std::string find_engine(const std::string& program) {
  // Beside us in the build folder; in libexec once installed, wherever that was moved to.
  const std::string here = directory_of(program);
  const std::string moved = directory_of(here) + "/libexec/iobenchd/iobenchd-engine";
  const std::string installed = std::string(install_libexec_dir) + "/iobenchd/iobenchd-engine";
  for (const std::string& path : {here + "/iobenchd-engine", moved, installed}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  refuse("iobenchd-engine is neither beside " + program + " nor " + installed,
         "install the whole package");
}

}  // namespace iobenchd
