#include <signal.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "daemon/model/failpoint.h"

namespace iobenchd {
namespace {

using Path = std::array<char, 1024>;

bool make_path(Path& path, const char* directory, const char* name, const char* end) noexcept {
  const int size =
      std::snprintf(path.data(), path.size(), "%s/failpoint-%s%s", directory, name, end);
  return size > 0 && static_cast<std::size_t>(size) < path.size();
}

}  // namespace

void failpoint(const char* name) noexcept {
  static const char* const directory = std::getenv("IOBENCHD_FAILPOINTS");
  if (directory == nullptr) return;
  Path armed, reached;
  if (!make_path(armed, directory, name, "") || !make_path(reached, directory, name, ".reached"))
    return;
  // Only one thread of all can rename it, and it does so once.
  if (std::rename(armed.data(), reached.data()) == 0) raise(SIGSTOP);
}

}  // namespace iobenchd
