// The launcher's end of the control socket. Sends never block: what the service doesn't take at
// once waits in a bounded queue. What it says is checked here, so that nobody behind this door
// sees a message of the wrong size or a text without an end. Single-threaded.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "daemon/launcher/process.h"
#include "daemon/model/control.h"

namespace iobenchd::launcher {

using FromService = std::variant<Ready, OpenRun, KillRun, Probe>;

class Channel {
 public:
  explicit Channel(Descriptor socket);  // made non-blocking

  // False once the queue is full: the service has stopped listening.
  template <typename Message>
  [[nodiscard]] bool send(const Message& message, Descriptor attached = Descriptor()) {
    return enqueue(&message, sizeof message, std::move(attached));
  }
  void flush();
  [[nodiscard]] bool wants_to_send() const noexcept { return !waiting_.empty(); }
  [[nodiscard]] int descriptor() const noexcept { return socket_.number(); }

  // The next message; none when there is nothing now. Sets closed() at end of file. Throws
  // Error{internal} on a message that no honest service sends.
  [[nodiscard]] std::optional<FromService> receive();
  [[nodiscard]] bool closed() const noexcept { return closed_; }

 private:
  struct Outgoing {
    std::vector<std::byte> bytes;
    Descriptor attached;
  };
  [[nodiscard]] bool enqueue(const void* message, std::size_t size, Descriptor attached);

  Descriptor socket_;
  std::deque<Outgoing> waiting_;
  bool closed_ = false;
};

}  // namespace iobenchd::launcher
