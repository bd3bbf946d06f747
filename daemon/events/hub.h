// The hub: what happens, told to whoever listens. Publishing never waits: each subscriber has a
// bounded queue and is dropped when it is full (its `next` then says so); it reconnects and asks
// for the truth with GET. Safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "daemon/model/clock.h"
#include "daemon/model/event.h"

namespace iobenchd::events {

inline constexpr std::size_t subscriber_limit = 64;  // streams and waiting requests together
inline constexpr std::size_t subscriber_queue_limit = 256;
inline constexpr std::size_t replay_limit = 1024;  // run and state events kept for Last-Event-ID

class Subscription;

class Hub {
 public:
  explicit Hub(WallClock now = wall_now_ns);
  ~Hub();  // close()
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  // Gives run and state events the next sequence number (they grow over restarts: the first is the
  // wall clock in microseconds).
  void publish(Event event);

  // sweep_id 0: all sweeps. after_seq: replays kept events with a greater number first; 0 replays
  // nothing. Null when `subscriber_limit` listen already, or after close().
  [[nodiscard]] std::unique_ptr<Subscription> subscribe(std::int64_t sweep_id,
                                                        std::uint64_t after_seq);

  // Wakes every subscriber with `closed`.
  void close();

 private:
  friend class Subscription;
  struct State;
  std::shared_ptr<State> state_;
};

enum class Next { event, timeout, dropped, closed };

// One listener's end; may outlive the hub. Used by one thread at a time.
class Subscription {
 public:
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  // Waits for the next event at most `timeout`.
  [[nodiscard]] Next next(Event& event, std::chrono::milliseconds timeout);

 private:
  friend class Hub;
  struct Queue;
  Subscription(std::shared_ptr<Hub::State> state, std::shared_ptr<Queue> queue);
  std::shared_ptr<Hub::State> state_;
  std::shared_ptr<Queue> queue_;
};

}  // namespace iobenchd::events
