// What the loop does with one connection: head, body, hand over; answer, write, drain.
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "api/connection_loop.h"
#include "api/respond.h"

namespace iobenchd::api {
namespace {

constexpr std::size_t body_slice_bytes =
    std::size_t{256} * 1024;  // a round; then the others get their turn
constexpr std::string_view nudge = "HTTP/1.1 100 Continue\r\n\r\n";

bool is_idle(const Connection& connection) {
  return connection.stage == Stage::head && connection.input.empty();
}

}  // namespace

void ConnectionLoop::proceed(Owner& connection) {
  try {
    while (connection != nullptr && step(connection)) {
    }
  } catch (const std::exception& error) {  // out of memory: this client loses, the others don't
    spdlog::error("http: {}", error.what());
    if (connection != nullptr) drop(connection);
  }
}

bool ConnectionLoop::step(Owner& connection) {
  switch (connection->stage) {
    case Stage::head:
      return receive_head(connection);
    case Stage::body:
      return receive_body(connection);
    case Stage::writing:
      return write_on(connection);
    case Stage::draining:
      return drain(connection);
    case Stage::answering:
      break;
  }
  return false;
}

bool ConnectionLoop::receive_head(Owner& connection) {
  const bool was_idle = is_idle(*connection);
  // A pipelined request may be here already.
  if (!connection->is_fresh) {
    const std::size_t room = head_most_bytes - std::min(head_most_bytes, connection->input.size());
    const Io io = receive(*connection, connection->input, room);
    if (io == Io::gone) drop(connection);
    if (io != Io::some) return false;
  }
  connection->is_fresh = false;
  if (was_idle) connection->deadline = Clock::now() + limits_.head_time;
  return read_head(connection);
}

bool ConnectionLoop::read_head(Owner& connection) {
  const auto found = connection->scan.look(connection->input);
  if (std::holds_alternative<std::monostate>(found)) return false;
  if (const auto* refusal = std::get_if<Refusal>(&found)) {
    answer(*connection, problem(refusal->status, refusal->detail), true, false);
    return true;
  }
  const std::size_t size = std::get<std::size_t>(found);
  const auto parsed = parse_head(std::string_view(connection->input).substr(0, size));
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
    answer(*connection, problem(refusal->status, refusal->detail), true, false);
    return true;
  }
  const Head& head = std::get<Head>(parsed);
  auto judged = judge_(head, *connection);
  if (auto* exchange = std::get_if<Exchange>(&judged)) {
    return begin_body(connection, std::move(*exchange), size);
  }
  // A body that nobody will read can't be told from a next request: close.
  connection->input.erase(0, size);
  answer(*connection, std::get<Response>(judged), head.close || head.content_length > 0,
         head.method == Method::head);
  return true;
}

bool ConnectionLoop::begin_body(Owner& connection, Exchange exchange, std::size_t head_bytes) {
  std::string& input = connection->input;
  const std::size_t here = std::min(exchange.length, input.size() - head_bytes);
  exchange.body.assign(input, head_bytes, here);
  input.erase(0, head_bytes + here);
  if (connection->answered + 1 >= limits_.requests_per_connection) exchange.close = true;
  connection->exchange = std::move(exchange);
  connection->held_bytes = here;
  held_bytes_ += here;
  connection->stage = Stage::body;
  const std::size_t length = connection->exchange->length;
  if (here == length) {
    hand_over(connection);
    return false;
  }
  connection->deadline =
      Clock::now() + limits_.body_time + std::chrono::seconds(length / body_slice_bytes);
  // Lost only where the socket's buffer is full; the client then sends after a second anyway.
  if (connection->exchange->wants_nudge) {
    ::send(connection->socket.get(), nudge.data(), nudge.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  return true;
}

bool ConnectionLoop::receive_body(Owner& connection) {
  std::string& body = connection->exchange->body;
  const std::size_t length = connection->exchange->length;
  const std::size_t before = body.size();
  while (body.size() < length && body.size() - before < body_slice_bytes) {
    const Io io = receive(*connection, body, length - body.size());
    if (io == Io::later) break;
    if (io == Io::gone) {
      drop(connection);
      return false;
    }
  }
  connection->held_bytes += body.size() - before;
  held_bytes_ += body.size() - before;
  if (held_bytes_ > limits_.bodies_bytes) {
    answer(*connection, problem(503, "too many large bodies at once"), true, false);
    return true;
  }
  if (body.size() == length) hand_over(connection);
  return false;
}

void ConnectionLoop::hand_over(Owner& connection) {
  connection->stage = Stage::answering;
  ++away_;
  hand_over_(std::move(connection));
}

void ConnectionLoop::answer(Connection& connection, const Response& response, bool close,
                            bool without_body) {
  connection.close_after =
      close || is_stopping_ || connection.answered + 1 >= limits_.requests_per_connection;
  connection.output = plain_answer(response, connection.close_after, without_body);
  connection.sent_bytes = 0;
  held_bytes_ -= std::exchange(connection.held_bytes, 0);
  connection.exchange.reset();
  begin_writing(connection);
  spdlog::debug("http: {} {} (refused)", connection.peer, response.status);
}

void ConnectionLoop::begin_writing(Connection& connection) const {
  const Clock::time_point now = Clock::now();
  connection.stage = Stage::writing;
  connection.deadline = now + limits_.write_time;
  connection.write_by =
      now + limits_.answer_time + std::chrono::seconds(connection.unsent() / body_slice_bytes);
}

bool ConnectionLoop::write_on(Owner& connection) {
  const std::size_t before = connection->sent_bytes;
  const Io io = send_output(*connection);
  if (io == Io::gone) {
    drop(connection);
    return false;
  }
  if (io == Io::later) {
    if (connection->sent_bytes > before) {
      connection->deadline = std::min(Clock::now() + limits_.write_time, connection->write_by);
    }
    return false;
  }
  connection->output = {};
  connection->sent_bytes = 0;
  connection->exchange.reset();
  ++connection->answered;
  if (connection->close_after) {
    ::shutdown(connection->socket.get(), SHUT_WR);
    connection->input = {};
    connection->stage = Stage::draining;
    connection->deadline = Clock::now() + limits_.drain_time;
    return true;
  }
  connection->scan.restart();
  connection->stage = Stage::head;
  connection->is_fresh = !connection->input.empty();
  connection->idle_since = Clock::now();
  connection->deadline =
      Clock::now() + (connection->is_fresh ? limits_.head_time : limits_.idle_time);
  return connection->is_fresh;
}

// What the client still sends is thrown away, so that the kernel doesn't answer it with a reset,
// which would take our answer out of the client's hands.
bool ConnectionLoop::drain(Owner& connection) {
  connection->input.clear();
  const Io io = receive(*connection, connection->input, body_slice_bytes);
  connection->input.clear();
  if (io == Io::gone) drop(connection);
  return false;
}

}  // namespace iobenchd::api
