#include "daemon/engine/failure.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace iobenchd::engine {
namespace {

// Truncates; always NUL-terminated.
template <std::size_t N>
void copy_text(std::array<char, N>& target, std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), N - 1);
  std::copy_n(text.begin(), length, target.begin());
  target[length] = '\0';
}

}  // namespace

FailureBody make_failure(std::string_view operation, int error_number, std::uint64_t offset_bytes,
                         std::string_view text) noexcept {
  FailureBody failure{};
  failure.error_number = error_number;
  failure.offset_bytes = offset_bytes;
  copy_text(failure.operation, operation);
  copy_text(failure.text, text);
  return failure;
}

const char* cure(int error_number) noexcept {
  switch (error_number) {
    case EIO:
      return "the disk reports an error: the kernel's log says which; don't trust this disk";
    case ENOSPC:
    case EDQUOT:
      return "no room left: free some space, or ask for a smaller size";
    case EINVAL:
      return "the target refuses this block size or offset: use a multiple of its sector size, or "
             "direct=false";
    case ENXIO:
    case ENODEV:
      return "the device is gone";
    case EFBIG:
      return "the file system or a limit doesn't allow a file this large: ask for a smaller size";
    case EOPNOTSUPP:
      return "the target doesn't know this operation: leave out hipri or fsync";
    case EROFS:
    case EPERM:
    case EACCES:
    case EBADF:
      return "the target isn't open for this: it may be read-only";
    case ENOMEM:
    case EAGAIN:
      return "the machine is short of memory: ask for less iodepth, numjobs or block size";
    default:
      return "the kernel's log may say more";
  }
}

const char* cure_of_sync(int error_number) noexcept {
  if (error_number == EINVAL || error_number == EOPNOTSUPP)
    return "the target has nothing to sync: leave fsync out";
  return cure(error_number);
}

}  // namespace iobenchd::engine
