// The loop that owns every socket: one poll(2) thread accepts, reads heads and bodies, writes
// answers and watches all deadlines, so that thousands of idle, slow or hostile clients cost no
// thread. Only whole requests leave it. run() is the thread's; the other functions are safe from
// any thread.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "api/connection.h"
#include "api/http.h"
#include "api/listener.h"

namespace iobenchd::api {

struct LoopLimits {
  std::size_t connections = 1000;
  std::uint32_t requests_per_connection = 100;
  std::size_t bodies_bytes = std::size_t{256} << 20;  // of all connections together
  std::chrono::milliseconds head_time{5000};
  std::chrono::milliseconds idle_time{10'000};
  std::chrono::milliseconds body_time{10'000};    // and a second more for each 256 KiB
  std::chrono::milliseconds write_time{10'000};   // without any progress
  std::chrono::milliseconds answer_time{60'000};  // and a second more for each 256 KiB
  std::chrono::milliseconds drain_time{2000};
};

class ConnectionLoop {
 public:
  using Judge = std::function<std::variant<Exchange, Response>(const Head&, const Connection&)>;
  using HandOver = std::function<void(std::unique_ptr<Connection>)>;

  ConnectionLoop(std::vector<Listener> listeners, Judge judge, HandOver hand_over,
                 const LoopLimits& limits);

  void run();  // until finish()
  // A worker has answered: output is what couldn't be sent at once, or is_dead is set.
  void give_back(std::unique_ptr<Connection> connection);
  void stop_accepting();  // closes the listeners and whoever is idle; answers still go out
  void finish();          // run() returns once all answers are out, 300 ms later at most
  [[nodiscard]] std::vector<std::string> addresses() const;

 private:
  void wake();
  [[nodiscard]] bool round();  // false: the last one
  void watch();
  [[nodiscard]] int patience_ms() const;
  void take_back();
  struct Census {
    std::size_t open = 0, leaving = 0;
    std::vector<std::size_t> idle;  // places in connections_; the longest idle is last
  };
  [[nodiscard]] Census take_census() const;
  [[nodiscard]] bool make_room(Census& census);
  void accept_from(const Listener& listener);
  void close_idle();
  void expire(Clock::time_point now);
  [[nodiscard]] bool is_finished(Clock::time_point now);

  // One connection, as far as it can go now (connection_steps.cpp). A step may end it or hand it
  // over (the pointer is then empty); it returns whether another can follow at once.
  using Owner = std::unique_ptr<Connection>;
  void proceed(Owner& connection);
  [[nodiscard]] bool step(Owner& connection);
  [[nodiscard]] bool receive_head(Owner& connection);
  [[nodiscard]] bool read_head(Owner& connection);
  [[nodiscard]] bool begin_body(Owner& connection, Exchange exchange, std::size_t head_bytes);
  [[nodiscard]] bool receive_body(Owner& connection);
  [[nodiscard]] bool write_on(Owner& connection);
  [[nodiscard]] bool drain(Owner& connection);
  void hand_over(Owner& connection);
  void begin_writing(Connection& connection) const;
  void answer(Connection& connection, const Response& response, bool close, bool without_body);
  void drop(Owner& connection);

  std::vector<Listener> listeners_;
  std::vector<std::string> addresses_;
  Judge judge_;
  HandOver hand_over_;
  LoopLimits limits_;
  Descriptor wake_read_, wake_write_;
  std::atomic<bool> is_stopping_ = false, is_finishing_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> returned_;  // guarded by mutex_
  // The loop's own from here.
  std::vector<std::unique_ptr<Connection>> connections_;
  std::size_t away_ = 0;        // connections that workers hold
  std::size_t held_bytes_ = 0;  // of bodies
  std::vector<pollfd> watched_;
  std::size_t watched_listeners_ = 0;  // of this round
  Clock::time_point accept_again_{};
  Clock::time_point finish_by_{};
};

}  // namespace iobenchd::api
