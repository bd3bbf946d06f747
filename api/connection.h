// A client's connection: its bytes in and out, and the request under way. Never blocks. One owner
// at a time: the loop, or the worker that answers; it moves between them whole.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/access.h"
#include "api/head.h"
#include "api/http.h"
#include "api/listener.h"

namespace iobenchd::api {

using Clock = std::chrono::steady_clock;

// A request that was let through.
struct Exchange {
  const Route* route = nullptr;
  Request request;           // its query and body are filled in when it is answered
  std::string query;         // canonical: "a=1&b=%20"
  std::string body;          // as far as it has come
  std::size_t length = 0;    // of the whole body
  bool close = false;        // after the answer
  bool http_1_0 = false;     // doesn't know chunks
  bool wants_nudge = false;  // "100 Continue" before it sends the body
};

enum class Stage : std::uint8_t {
  head,       // idle, or a head is coming in
  body,       // the rest of a body is coming in
  answering,  // a worker's
  writing,    // an answer is going out
  draining    // said all; reads until the client hangs up, so that it sees the answer
};

struct Connection {
  Descriptor socket;
  Door door = Door::loopback;
  std::string peer;
  Stage stage = Stage::head;
  Clock::time_point deadline;
  Clock::time_point idle_since;  // in the stage head, with no input
  Clock::time_point write_by;    // all of the answer
  std::string input;
  HeadScan scan;
  std::optional<Exchange> exchange;
  std::string output;
  std::size_t sent_bytes = 0;
  bool is_fresh = false;  // input came with an earlier request and hasn't been looked at
  bool close_after = false;
  bool is_dead = false;  // a worker found it gone, or streamed on it to the end
  std::uint32_t answered = 0;
  std::size_t held_bytes = 0;  // of bodies, in the loop's account

  [[nodiscard]] std::size_t unsent() const { return output.size() - sent_bytes; }
};

enum class Io : std::uint8_t { some, later, gone };

// Appends what has arrived, `most` bytes at most. `gone`: end of stream or an error.
[[nodiscard]] Io receive(const Connection& connection, std::string& into, std::size_t most);
// Sends what it can of connection.output; `some` when all of it is out.
[[nodiscard]] Io send_output(Connection& connection);

// The bytes of a small answer that the loop gives by itself: refusals, OPTIONS.
[[nodiscard]] std::string plain_answer(const Response& response, bool close, bool without_body);

}  // namespace iobenchd::api
