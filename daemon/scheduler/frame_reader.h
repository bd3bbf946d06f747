// Frames out of an engine's socket, whole and checked. One owner, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "daemon/model/frame.h"

namespace iobenchd::scheduler {

class FrameReader {
 public:
  FrameReader();

  enum class Result { frame, again, closed };
  // Reads what is there of the next frame; never waits. `frame`: it is whole, see frame().
  // `closed`: the engine's end is gone; a part of a frame is dropped. Throws Error{internal} on a
  // frame no honest engine would send.
  [[nodiscard]] Result read(int socket);
  [[nodiscard]] const Frame& frame() const noexcept { return *frame_; }

 private:
  std::unique_ptr<Frame> frame_;  // 30 kB: not for a stack
  std::size_t filled_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace iobenchd::scheduler
