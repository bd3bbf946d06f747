// How far a sweep is and how long it will take; told to the hub at most four times a second. Safe
// from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "daemon/events/hub.h"
#include "daemon/model/event.h"

namespace iobenchd::scheduler {

class ProgressBoard {
 public:
  ProgressBoard(events::Hub& hub, std::int64_t sweep_id);

  void count(std::uint32_t runs_done, std::uint32_t runs_total);
  // What the rest will take, from now on; counts down by itself until the next call.
  void expect(double seconds);
  void enter(SweepPhase phase);
  void enter(SweepPhase phase, const Setting& current);
  void wait_for(const std::string& what);  // empty: no longer
  void tick(double iops, double latency_mean_ns);
  // `rest_seconds`: what comes after the layout.
  void layout(std::uint64_t done_bytes, std::uint64_t total_bytes, double rest_seconds);

  [[nodiscard]] Progress now() const;

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] Progress now_locked() const;
  void tell();

  events::Hub& hub_;
  const std::int64_t sweep_id_;
  mutable std::mutex mutex_;
  Progress progress_;
  Clock::time_point born_ = Clock::now();
  Clock::time_point expected_at_ = born_;
  Clock::time_point layout_began_ = born_;
  Clock::time_point due_ = born_;
  double expected_seconds_ = 0;
};

}  // namespace iobenchd::scheduler
