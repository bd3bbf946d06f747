#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "daemon/sandbox.h"

namespace iobenchd {
namespace {

// Everything Landlock's first version knows, bit by bit as in linux/landlock.h.
constexpr std::uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t file_rights =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t work_rights = read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                                      LANDLOCK_ACCESS_FS_MAKE_SOCK;
constexpr std::uint64_t first_version_rights =
    work_rights | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
// Later versions' rights by number: older headers don't have them.
constexpr std::uint64_t refer_right = std::uint64_t{1} << 13;     // version 2
constexpr std::uint64_t truncate_right = std::uint64_t{1} << 14;  // version 3

std::string because(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

std::string directory_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/'));
}

class Ruleset {
 public:
  explicit Ruleset(std::uint64_t handled) : handled_(handled) {
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = handled;
    // The first version's struct had this one field; its size says which version speaks.
    number_ = static_cast<int>(
        syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0));
  }
  ~Ruleset() {
    if (number_ >= 0) close(number_);
  }
  Ruleset(const Ruleset&) = delete;
  Ruleset& operator=(const Ruleset&) = delete;

  // What isn't there needs no door.
  void allow(const std::string& path, std::uint64_t rights) {
    if (path.empty() || number_ < 0) return;
    const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (place < 0) return;
    struct stat info {};
    const bool directory = fstat(place, &info) == 0 && S_ISDIR(info.st_mode);
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights & handled_;
    if (!directory) rule.allowed_access &= file_rights | truncate_right;
    rule.parent_fd = place;
    if (syscall(SYS_landlock_add_rule, number_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0 &&
        trouble_.empty())
      trouble_ = because(("Landlock rule for " + path).c_str());
    close(place);
  }

  [[nodiscard]] std::string enforce() {
    if (number_ < 0) return because("Landlock ruleset");
    if (!trouble_.empty()) return trouble_;
    if (syscall(SYS_landlock_restrict_self, number_, 0) != 0) return because("Landlock");
    return {};
  }

 private:
  std::uint64_t handled_;
  int number_ = -1;
  std::string trouble_;
};

std::string restrict_files(const Settings& settings) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return "this kernel has no Landlock (5.13 or newer, built in and enabled, has); the service "
           "has its user's rights on files";
  std::uint64_t handled = first_version_rights, work = work_rights;
  if (version >= 2) handled |= refer_right;
  if (version >= 3) {
    handled |= truncate_right;
    work |= truncate_right;
  }
  Ruleset rules(handled);
  rules.allow(directory_of(text_of(settings.database)), work);
  rules.allow(text_of(settings.scratch_dir), work);
  for (std::uint32_t i = 0; i < settings.listen_count; ++i) {
    const std::string address = text_of(settings.listen[i]);
    if (address.rfind("unix:", 0) == 0) rules.allow(directory_of(address.substr(5)), work);
  }
  rules.allow(text_of(settings.token_file), read_rights);
  // Load average, CPU times, disk counters; the host's names and its time zone.
  for (const char* path : {"/proc", "/sys", "/etc", "/usr/share/zoneinfo", "/dev/urandom"})
    rules.allow(path, read_rights);
  rules.allow("/dev/null", read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE);
  return rules.enforce();
}

}  // namespace

std::string confine_service(const Settings& settings) {
  // Siblings share the user: none shall read this one's memory, where tokens are.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return because("PR_SET_DUMPABLE");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return because("PR_SET_NO_NEW_PRIVS");
  return restrict_files(settings);
}

}  // namespace iobenchd
