// What an engine says, after it was taken over by whatever a broken disk or a bug made of it.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

#include "daemon/model/error.h"
#include "daemon/model/frame.h"
#include "daemon/scheduler/frame_reader.h"
#include "tests/fuzz/targets.h"

namespace iobenchd::fuzz {
namespace {

void promise_sound(const Traffic& traffic) {
  std::uint64_t sum = 0;
  for (const std::uint64_t bucket : traffic.latency.buckets) sum += bucket;
  promise(sum == traffic.latency.count && sum == traffic.ios, "as many latencies as I/Os");
}

// With a NUL somewhere; nobody reads what stands behind it.
template <std::size_t N>
bool ends(const std::array<char, N>& text) {
  return std::find(text.begin(), text.end(), '\0') != text.end();
}

void promise_sound(const Frame& frame) {
  switch (frame.header.kind) {
    case FrameKind::tick:
      promise_sound(frame.body.tick.read);
      promise_sound(frame.body.tick.write);
      return;
    case FrameKind::jobs:
      promise(frame.body.jobs.count <= jobs_per_frame, "no more jobs than a frame holds");
      return;
    case FrameKind::final:
      promise_sound(frame.body.final.read);
      promise_sound(frame.body.final.write);
      return;
    case FrameKind::failure:
      promise(ends(frame.body.failure.text), "a text ends in its place");
      promise(ends(frame.body.failure.operation), "an operation ends in its place");
      return;
  }
  promise(false, "a frame is of a known kind");
}

}  // namespace

// A frame is 30 kB, nearly all of it buckets. The input overwrites a sound one in pieces: two bytes
// say where, one how much. What is left of it then comes through a socket as it is.
void frame(std::string_view input) {
  Frame whole;
  auto* const bytes = reinterpret_cast<char*>(&whole);
  std::size_t at = 0;
  while (at + 3 < input.size()) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(input[at + i]); };
    const std::size_t to = (byte(0) * std::size_t{256} + byte(1)) % sizeof(Frame);
    const std::size_t length =
        std::min({std::size_t{byte(2)} % 32 + 1, input.size() - at - 3, sizeof(Frame) - to});
    std::memcpy(bytes + to, input.data() + at + 3, length);
    at += 3 + length;
  }
  std::array<int, 2> pair{};
  promise(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) == 0, "there are sockets");
  (void)!send(pair[0], bytes, sizeof(Frame), MSG_DONTWAIT);
  (void)!send(pair[0], input.data(), std::min<std::size_t>(input.size(), 4096), MSG_DONTWAIT);
  close(pair[0]);
  scheduler::FrameReader reader;
  try {
    while (reader.read(pair[1]) == scheduler::FrameReader::Result::frame) {
      promise_sound(reader.frame());
    }
  } catch (const Error& error) {
    promise(error.code() == ErrorCode::internal, "a broken frame is an engine's fault");
  }
  close(pair[1]);
}

}  // namespace iobenchd::fuzz
