#include "daemon/launcher/channel.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "daemon/model/error.h"

namespace iobenchd::launcher {
namespace {

constexpr std::size_t queue_limit = 256;

[[noreturn]] void distrust(const char* what) {
  throw Error(ErrorCode::internal, std::string("control message of the service: ") + what);
}

template <typename Message>
Message exactly(const std::vector<std::byte>& bytes) {
  if (bytes.size() != sizeof(Message)) distrust("wrong size");
  Message message;
  std::memcpy(&message, bytes.data(), sizeof message);
  return message;
}

template <std::size_t N>
void check_text(const std::array<char, N>& text) {
  if (std::find(text.begin(), text.end(), '\0') == text.end()) distrust("a text has no end");
}

FromService decode(const std::vector<std::byte>& bytes) {
  if (bytes.size() < sizeof(ControlHeader)) distrust("shorter than a header");
  ControlHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != ControlHeader{}.magic) distrust("no magic");
  switch (header.kind) {
    case ControlKind::ready: {
      const Ready ready = exactly<Ready>(bytes);
      check_text(ready.text);
      return ready;
    }
    case ControlKind::open_run: {
      const OpenRun run = exactly<OpenRun>(bytes);
      check_text(run.name);
      check_text(run.confirm);
      return run;
    }
    case ControlKind::kill_run:
      return exactly<KillRun>(bytes);
    case ControlKind::probe: {
      const Probe probe = exactly<Probe>(bytes);
      if (probe.question > ProbeQuestion::counters) distrust("an unknown question");
      check_text(probe.path);
      return probe;
    }
    case ControlKind::settings:
    case ControlKind::run_started:
    case ControlKind::run_ended:
    case ControlKind::probe_started:
    case ControlKind::stop:
      distrust("a kind that only the launcher sends");
  }
  distrust("unknown kind");
}

// -1 with errno, as sendmsg.
ssize_t send_one(int socket, const void* bytes, std::size_t size, int attached) {
  iovec part{const_cast<void*>(bytes), size};  // sendmsg reads only; its struct can't say so
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (attached >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &attached, sizeof attached);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Channel::Channel(Descriptor socket) : socket_(std::move(socket)) {
  const int flags = fcntl(socket_.number(), F_GETFL);
  fcntl(socket_.number(), F_SETFL, flags | O_NONBLOCK);
}

bool Channel::enqueue(const void* message, std::size_t size, Descriptor attached) {
  if (waiting_.size() >= queue_limit) return false;
  const auto* first = static_cast<const std::byte*>(message);
  waiting_.push_back({std::vector<std::byte>(first, first + size), std::move(attached)});
  flush();
  return true;
}

void Channel::flush() {
  while (!waiting_.empty()) {
    const Outgoing& next = waiting_.front();
    const ssize_t sent =
        send_one(socket_.number(), next.bytes.data(), next.bytes.size(), next.attached.number());
    if (sent < 0 && errno == EINTR) continue;
    const bool later = sent < 0 && (errno == EAGAIN || errno == ENOBUFS);
    if (later) return;
    if (sent < 0) closed_ = true;
    waiting_.pop_front();
  }
}

std::optional<FromService> Channel::receive() {
  // One more byte than the longest message, so that a longer one is noticed.
  std::vector<std::byte> bytes(std::max(sizeof(OpenRun), sizeof(Ready)) + 1);
  ssize_t length = 0;
  do {
    length = recv(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  } while (length < 0 && errno == EINTR);
  if (length < 0 && errno == EAGAIN) return std::nullopt;
  if (length <= 0) {
    closed_ = true;
    return std::nullopt;
  }
  bytes.resize(static_cast<std::size_t>(length));
  return decode(bytes);
}

}  // namespace iobenchd::launcher
