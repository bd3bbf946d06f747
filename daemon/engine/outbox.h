// The engine's end of the socket to the service: frames out, one byte in. A service that doesn't
// read must not stop a run: a tick waits for the next one, and the last frames wait a minute, not
// for ever. One owner: the control thread.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/model/frame.h"

namespace iobenchd::engine {

class Outbox {
 public:
  enum class Heard { nothing, stop, end };  // end: the service is gone

  Outbox(int control_fd, std::uint64_t started_ns) noexcept;

  // Receives the load; false when the service is gone before.
  [[nodiscard]] bool receive(Load& load);

  // A tick may be sent only while this is true; its figures then go with the next one.
  [[nodiscard]] bool idle() const noexcept { return unsent_.empty(); }
  // Numbers the frame and stamps it; sends what the socket takes.
  void post(Frame& frame, FrameKind kind, Phase phase);
  // Where the run is: a failure says whether anything was begun, and the service may then try
  // another loop instead.
  void enter(Phase phase) noexcept { phase_ = phase; }
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  // Waits until everything is sent; false when the service doesn't take it.
  [[nodiscard]] bool flush();

  // Sleeps until the service or `news_fd` (-1: none) has something, or `until_ns`; goes on sending
  // meanwhile.
  [[nodiscard]] Heard listen(int news_fd, std::uint64_t until_ns);

 private:
  void send_some();
  [[nodiscard]] Heard hear();

  int control_fd_;
  std::uint64_t started_ns_;
  std::uint32_t sequence_ = 0;
  Phase phase_ = Phase::starting;
  bool gone_ = false;
  std::vector<char> unsent_;
};

}  // namespace iobenchd::engine
