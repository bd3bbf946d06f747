// pread and pwrite, one after the other: the loop that exists everywhere. `threads` is this loop in
// numjobs x iodepth threads.
#include <unistd.h>

#include <cerrno>

#include "daemon/engine/failure.h"
#include "daemon/engine/files.h"
#include "daemon/engine/serial_loop.h"

namespace iobenchd::engine {
namespace {

class PosixDevice {
 public:
  PosixDevice(Worker& worker, const Board& board, std::byte* block) noexcept
      : worker_(worker),
        files_(worker, board),
        block_(block),
        block_bytes_(board.load.block_bytes) {}

  [[nodiscard]] bool transfer(bool write, std::uint64_t offset) noexcept {
    const Place place = files_.at(offset);
    const auto at = static_cast<off_t>(place.offset_bytes);
    for (;;) {
      const ssize_t done = write ? pwrite(place.descriptor, block_, block_bytes_, at)
                                 : pread(place.descriptor, block_, block_bytes_, at);
      if (done == static_cast<ssize_t>(block_bytes_)) [[likely]]
        return true;
      if (done < 0 && errno == EINTR) continue;
      worker_.fail_transfer(write, done < 0 ? -errno : done, place.offset_bytes, block_bytes_);
      return false;
    }
  }

  [[nodiscard]] bool sync(std::uint64_t offset) noexcept {
    const Place place = files_.at(offset);
    if (fsync(place.descriptor) == 0) return true;
    worker_.fail("fsync", errno, place.offset_bytes, cure_of_sync(errno));
    return false;
  }

 private:
  Worker& worker_;
  const Files files_;
  std::byte* const block_;
  const std::uint32_t block_bytes_;
};

}  // namespace

std::unique_ptr<Loop> make_posix_loop(Worker& worker, const Board& board) {
  return make_serial_loop<PosixDevice>(worker, board);
}

}  // namespace iobenchd::engine
