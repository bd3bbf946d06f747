#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "daemon/sandbox.h"

namespace iobenchd {
namespace {

constexpr const char* promises =
    "stdio "   // memory, clocks, the sockets it holds
    "rpath "   // the database, the token file, zone information
    "wpath "   // the database and its log
    "cpath "   // rollback files of the database, scratch files to delete
    "fattr "   // SQLite gives its log the mode of the database
    "flock "   // the database's locks
    "inet "    // to listen for HTTP
    "unix "    // the Unix socket, and the launcher's
    "recvfd "  // engines' sockets come from the launcher
    "vminfo";  // CPU times by sysctl

std::string directory_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/'));
}

std::string show(const std::string& path, const char* permissions) {
  if (path.empty() || unveil(path.c_str(), permissions) == 0 || errno == ENOENT) return {};
  return "unveil " + path + ": " + std::strerror(errno);
}

}  // namespace

std::string confine_service(const Settings& settings) {
  std::string trouble = show(directory_of(text_of(settings.database)), "rwc");
  if (trouble.empty()) trouble = show(text_of(settings.scratch_dir), "rwc");
  if (trouble.empty()) trouble = show(text_of(settings.token_file), "r");
  if (trouble.empty()) trouble = show("/usr/share/zoneinfo", "r");
  for (std::uint32_t i = 0; i < settings.listen_count && trouble.empty(); ++i) {
    const std::string address = text_of(settings.listen[i]);
    if (address.rfind("unix:", 0) == 0) trouble = show(directory_of(address.substr(5)), "rwc");
  }
  if (trouble.empty() && unveil(nullptr, nullptr) != 0)
    trouble = std::string("unveil: ") + std::strerror(errno);
  if (trouble.empty() && pledge(promises, nullptr) != 0)
    trouble = std::string("pledge: ") + std::strerror(errno);
  return trouble;
}

}  // namespace iobenchd
