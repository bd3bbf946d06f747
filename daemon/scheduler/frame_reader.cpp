#include "daemon/scheduler/frame_reader.h"

#include <sys/socket.h>

#include <cerrno>
#include <type_traits>

namespace iobenchd::scheduler {

static_assert(std::is_trivially_copyable_v<Frame>);  // it is filled byte by byte

FrameReader::FrameReader() : frame_(std::make_unique<Frame>()) {}

FrameReader::Result FrameReader::read(int socket) {
  if (filled_ == sizeof(Frame)) filled_ = 0;  // the last one has been looked at
  while (filled_ < sizeof(Frame)) {
    char* const to = reinterpret_cast<char*>(frame_.get()) + filled_;
    const ssize_t got = recv(socket, to, sizeof(Frame) - filled_, MSG_DONTWAIT);
    if (got > 0) {
      filled_ += static_cast<std::size_t>(got);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return Result::again;
    } else {
      return Result::closed;  // end of file, or ECONNRESET where it left our Load unread
    }
  }
  check_frame(*frame_, sequence_);
  ++sequence_;
  return Result::frame;
}

}  // namespace iobenchd::scheduler
