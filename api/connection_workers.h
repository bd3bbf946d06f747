// The workers: threads that answer whole requests, eight at a time. A long answer (events, a large
// export) takes its thread out of the eight and another takes its place; at most 16 of each kind
// run, 15 minutes each. Safe from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "api/connection.h"
#include "api/front.h"

namespace iobenchd::api {

inline constexpr std::uint32_t workers_least = 8;
inline constexpr std::uint32_t long_answers_most = 16;  // of each kind

struct WorkerLimits {
  std::chrono::milliseconds stream_time{15 * 60 * 1000};
  std::chrono::milliseconds write_time{10'000};  // without any progress
};

class Workers {
 public:
  using GiveBack = std::function<void(std::unique_ptr<Connection>)>;

  Workers(Answer answer, GiveBack give_back, const WorkerLimits& limits);
  ~Workers();  // stop()
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void start();
  void submit(std::unique_ptr<Connection> connection);  // the loop's cap bounds the queue
  // Ends long answers, answers what was submitted (503 after a second), joins. Idempotent.
  void stop();

 private:
  class WorkerOutlet;
  void work();
  void answer(Front& front, Connection& connection);
  [[nodiscard]] bool take_place(bool for_long_lived_route);
  void leave_place(bool for_long_lived_route);
  void add_thread();  // with mutex_ held
  [[nodiscard]] bool is_stopping();

  Answer answer_;
  GiveBack give_back_;
  WorkerLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<std::unique_ptr<Connection>> queue_;
  std::vector<std::thread> threads_;
  std::uint32_t long_lived_ = 0, streams_ = 0;  // places taken
  bool is_stopping_ = false;
  Clock::time_point refuse_from_{};
};

}  // namespace iobenchd::api
