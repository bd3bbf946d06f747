// The hub: what happens, told to whoever listens. Publishing never waits: each subscriber has a
// bounded queue and is dropped when it is full (its `next` then says so); it reconnects and asks
// for the truth with GET. Safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "daemon/model/event.h"

namespace iobenchd::events {

inline constexpr std::size_t subscriber_queue_limit = 256;
inline constexpr std::size_t replay_limit = 1024;  // run and state events kept for Last-Event-ID

class Subscription;

class Hub {
 public:
  Hub();
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  // Gives run and state events the next sequence number (they grow over restarts: the first is the
  // wall clock in microseconds).
  void publish(Event event);

  // sweep_id 0: all sweeps. after_seq: replays kept events with a greater number first. Null when
  // `most` listen already.
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

class Subscription {
 public:
  ~Subscription();
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
