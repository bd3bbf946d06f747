#include "daemon/engine/outbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <type_traits>

#include "daemon/engine/clock.h"

namespace iobenchd::engine {
namespace {

static_assert(std::is_trivially_copyable_v<Frame> && std::is_trivially_copyable_v<Load>);

constexpr std::uint64_t last_frames_patience_ns = 60'000'000'000;

constexpr std::uint64_t a_while_ns = 250'000'000;

timespec to_timespec(std::uint64_t ns) noexcept {
  timespec time{};
  time.tv_sec = static_cast<std::time_t>(ns / 1'000'000'000);
  time.tv_nsec = static_cast<long>(ns % 1'000'000'000);
  return time;
}

// ppoll and not poll: there is only the one on newer kinds of Linux, and the sandbox names it.
void wait_for(pollfd* waits, std::uint32_t count, std::uint64_t most_ns) noexcept {
  const timespec time = to_timespec(most_ns);
  ppoll(waits, count, &time, nullptr);
}

}  // namespace

Outbox::Outbox(int control_fd, std::uint64_t started_ns) noexcept
    : control_fd_(control_fd), started_ns_(started_ns) {
  fcntl(control_fd_, F_SETFL, O_NONBLOCK);
}

bool Outbox::receive(Load& load) {
  auto* const bytes = reinterpret_cast<char*>(&load);
  std::size_t have = 0;
  while (have < sizeof(load)) {
    const ssize_t length = read(control_fd_, bytes + have, sizeof(load) - have);
    if (length > 0) {
      have += static_cast<std::size_t>(length);
      continue;
    }
    if (length == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    pollfd wait{control_fd_, POLLIN, 0};
    wait_for(&wait, 1, a_while_ns);
  }
  return true;
}

void Outbox::post(Frame& frame, FrameKind kind, Phase phase) {
  frame.header = FrameHeader{};
  frame.header.kind = kind;
  frame.header.phase = phase;
  frame.header.sequence = sequence_++;
  frame.header.elapsed_ns = PosixClock::now() - started_ns_;
  const auto* const bytes = reinterpret_cast<const char*>(&frame);
  unsent_.insert(unsent_.end(), bytes, bytes + sizeof(frame));
  send_some();
}

void Outbox::send_some() {
  std::size_t sent = 0;
  while (sent < unsent_.size() && !gone_) {
    const ssize_t length =
        send(control_fd_, unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (length > 0) {
      sent += static_cast<std::size_t>(length);
    } else if (errno != EINTR) {
      gone_ = errno != EAGAIN && errno != ENOBUFS;
      break;
    }
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
}

bool Outbox::flush() {
  const std::uint64_t give_up_at = PosixClock::now() + last_frames_patience_ns;
  while (!unsent_.empty() && !gone_ && PosixClock::now() < give_up_at) {
    pollfd wait{control_fd_, POLLOUT, 0};
    wait_for(&wait, 1, a_while_ns);
    send_some();
  }
  return unsent_.empty() && !gone_;
}

Outbox::Heard Outbox::listen(int news_fd, std::uint64_t until_ns) {
  const short wanted = static_cast<short>(unsent_.empty() ? POLLIN : POLLIN | POLLOUT);
  std::array<pollfd, 2> waits{{{control_fd_, wanted, 0}, {news_fd, POLLIN, 0}}};
  const std::uint64_t now = PosixClock::now();
  wait_for(waits.data(), waits.size(), until_ns > now ? until_ns - now : 0);
  if ((waits[0].revents & POLLOUT) != 0) send_some();
  if (gone_) return Heard::end;
  if ((waits[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) return hear();
  return Heard::nothing;
}

Outbox::Heard Outbox::hear() {
  char byte = 0;
  const ssize_t length = read(control_fd_, &byte, 1);
  if (length > 0) return Heard::stop;
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return Heard::nothing;
  return Heard::end;
}

}  // namespace iobenchd::engine
