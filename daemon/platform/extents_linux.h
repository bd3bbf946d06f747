// Extents of a file that were allocated and never written (posix_fallocate): reads of them touch no
// disk, and st_blocks counts them like any other. Safe from any thread.
#pragma once

#include <cstdint>

namespace iobenchd::platform {

// By the filesystem's own map (FS_IOC_FIEMAP, Documentation/filesystems/fiemap.rst); what is in the
// page cache is written first, so that nothing counts as unwritten that only waits. 0 where the
// filesystem has no such map. Stops counting after 100 000 extents.
[[nodiscard]] std::uint64_t unwritten_bytes(int descriptor) noexcept;

}  // namespace iobenchd::platform
