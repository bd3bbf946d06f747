#include "api/connection_loop.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "api/respond.h"
#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

// Connections over the cap that are being told so, or as many as the cap if that is less; beyond
// these a socket is just closed.
constexpr std::size_t turned_away_most = 64;
constexpr std::size_t accepted_most = 256;  // a round; then the others get their turn
constexpr std::chrono::milliseconds accept_pause{200};
constexpr std::chrono::milliseconds finish_time{300};

bool is_idle(const Connection& connection) {
  return connection.stage == Stage::head && connection.input.empty();
}

}  // namespace

ConnectionLoop::ConnectionLoop(std::vector<Listener> listeners, Judge judge, HandOver hand_over,
                               const LoopLimits& limits)
    : listeners_(std::move(listeners)),
      judge_(std::move(judge)),
      hand_over_(std::move(hand_over)),
      limits_(limits) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe(ends.data()) != 0) {
    throw Error(ErrorCode::unavailable, std::string("no pipe: ") + std::strerror(errno));
  }
  wake_read_.reset(ends[0]);
  wake_write_.reset(ends[1]);
  for (const int fd : ends) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  for (const Listener& listener : listeners_) addresses_.push_back(listener.address());
}

std::vector<std::string> ConnectionLoop::addresses() const {
  return addresses_;
}

void ConnectionLoop::give_back(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    returned_.push_back(std::move(connection));
  }
  wake();
}

void ConnectionLoop::stop_accepting() {
  is_stopping_ = true;
  wake();
}

void ConnectionLoop::finish() {
  is_finishing_ = true;
  wake();
}

// A full pipe wakes as well as one byte more would.
void ConnectionLoop::wake() {
  const char byte = 0;
  [[maybe_unused]] const ssize_t size = ::write(wake_write_.get(), &byte, 1);
}

void ConnectionLoop::run() {
  for (;;) {
    try {
      if (!round()) return;
    } catch (const std::exception& error) {  // out of memory: the next round may have more
      spdlog::error("http: {}", error.what());
    }
  }
}

bool ConnectionLoop::round() {
  std::erase(connections_, nullptr);
  watch();
  const int ready = ::poll(watched_.data(), static_cast<nfds_t>(watched_.size()), patience_ms());
  if (ready < 0 && errno != EINTR) {
    spdlog::error("http: poll: {}", std::strerror(errno));
  }
  const Clock::time_point now = Clock::now();
  std::array<char, 256> wakes;
  while (::read(wake_read_.get(), wakes.data(), wakes.size()) > 0) {
  }
  const std::size_t listeners = watched_listeners_;
  for (std::size_t i = 0; i < connections_.size() && ready > 0; ++i) {
    if (watched_[1 + listeners + i].revents != 0) proceed(connections_[i]);
  }
  for (std::size_t i = 0; i < listeners && ready > 0; ++i) {
    if (watched_[1 + i].revents != 0) accept_from(listeners_[i]);
  }
  take_back();
  if (is_stopping_) close_idle();
  expire(now);
  return !is_finished(now);
}

// The wake-up pipe, the listeners, the connections, in this order.
void ConnectionLoop::watch() {
  watched_.clear();
  watched_.push_back({wake_read_.get(), POLLIN, 0});
  watched_listeners_ = Clock::now() >= accept_again_ ? listeners_.size() : 0;
  for (std::size_t i = 0; i < watched_listeners_; ++i) {
    watched_.push_back({listeners_[i].fd(), POLLIN, 0});
  }
  for (const auto& connection : connections_) {
    const bool is_writing = connection->stage == Stage::writing;
    watched_.push_back(
        {connection->socket.get(), static_cast<short>(is_writing ? POLLOUT : POLLIN), 0});
  }
}

int ConnectionLoop::patience_ms() const {
  Clock::time_point next = Clock::now() + std::chrono::seconds(10);
  for (const auto& connection : connections_) next = std::min(next, connection->deadline);
  if (is_finishing_ && finish_by_ != Clock::time_point{}) next = std::min(next, finish_by_);
  if (watched_listeners_ < listeners_.size()) next = std::min(next, accept_again_);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 10'000));
}

void ConnectionLoop::take_back() {
  std::vector<std::unique_ptr<Connection>> returned;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    returned.swap(returned_);
  }
  for (std::unique_ptr<Connection>& connection : returned) {
    --away_;
    held_bytes_ -= std::exchange(connection->held_bytes, 0);
    if (connection->is_dead) continue;
    begin_writing(*connection);
    connections_.push_back(std::move(connection));
    proceed(connections_.back());
  }
}

// Who is here, counted once for all newcomers of a round. Who has its answer and only has to hang
// up takes nobody's place.
ConnectionLoop::Census ConnectionLoop::take_census() const {
  Census census;
  census.open = away_;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i] == nullptr) continue;
    ++census.open;
    if (connections_[i]->stage == Stage::draining) ++census.leaving;
    if (is_idle(*connections_[i])) census.idle.push_back(i);
  }
  if (census.open + accepted_most <= limits_.connections) census.idle.clear();
  std::sort(census.idle.begin(), census.idle.end(), [this](std::size_t one, std::size_t other) {
    return connections_[one]->idle_since > connections_[other]->idle_since;
  });
  return census;
}

// Whoever has asked for nothing the longest gives way to somebody who may, or a crowd of idle
// clients would keep everybody out. A newcomer's request has the time to arrive that as many others
// take to come as there are places.
bool ConnectionLoop::make_room(Census& census) {
  if (census.open - census.leaving < limits_.connections) return true;
  if (census.idle.empty()) return false;
  drop(connections_[census.idle.back()]);
  census.idle.pop_back();
  --census.open;
  return true;
}

void ConnectionLoop::accept_from(const Listener& listener) {
  Census census = take_census();
  // Not more than there are idle ones to give way: those who come now are not among them.
  const std::size_t most = std::clamp<std::size_t>(limits_.connections / 4, 1, accepted_most);
  for (std::size_t i = 0; i < most; ++i) {
    auto connection = std::make_unique<Connection>();
    const int fd = ::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      const bool is_quiet = errno == EAGAIN || errno == EWOULDBLOCK;
      if (is_quiet || errno == EINTR || errno == ECONNABORTED) return;
      spdlog::warn("http: accept: {}", std::strerror(errno));  // out of descriptors: wait for some
      accept_again_ = Clock::now() + accept_pause;
      return;
    }
    connection->socket.reset(fd);
    connection->door = listener.door();
    connection->peer = peer_name(fd);
    connection->deadline = Clock::now() + limits_.head_time;
    const int on = 1;
    if (listener.door() != Door::unix_socket) {
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    connection->idle_since = Clock::now();
    if (!make_room(census)) {
      const std::size_t turned_away = std::min(turned_away_most, limits_.connections);
      if (census.open >= limits_.connections + turned_away) continue;
      answer(*connection, problem(503, "too many connections are open"), true, false);
    }
    ++census.open;
    connections_.push_back(std::move(connection));
    if (connections_.back()->stage != Stage::writing) continue;
    proceed(connections_.back());
    const bool stays = connections_.back() != nullptr;
    if (!stays) --census.open;
    if (stays && connections_.back()->stage == Stage::draining) ++census.leaving;
  }
}

void ConnectionLoop::close_idle() {
  listeners_.clear();
  for (std::unique_ptr<Connection>& connection : connections_) {
    if (connection == nullptr) continue;
    const bool is_waiting = connection->stage == Stage::head || connection->stage == Stage::body;
    if (is_waiting) drop(connection);
  }
}

void ConnectionLoop::expire(Clock::time_point now) {
  for (std::unique_ptr<Connection>& connection : connections_) {
    if (connection == nullptr || now < connection->deadline) continue;
    const bool is_silent = connection->stage == Stage::head && connection->input.empty();
    const bool is_late = connection->stage == Stage::head || connection->stage == Stage::body;
    if (is_silent || !is_late) {
      drop(connection);
    } else {
      answer(*connection, problem(408, "the request came too slowly"), true, false);
      proceed(connection);
    }
  }
}

bool ConnectionLoop::is_finished(Clock::time_point now) {
  if (!is_finishing_) return false;
  if (finish_by_ == Clock::time_point{}) finish_by_ = now + finish_time;
  const bool is_writing =
      std::any_of(connections_.begin(), connections_.end(), [](const auto& connection) {
        return connection != nullptr && connection->stage == Stage::writing;
      });
  return now >= finish_by_ || (!is_writing && away_ == 0);
}

void ConnectionLoop::drop(std::unique_ptr<Connection>& connection) {
  held_bytes_ -= connection->held_bytes;
  connection.reset();
}

}  // namespace iobenchd::api
