// How late a sleep of 10 ms wakes up: the stutter a person at the machine would feel. Owns one
// thread; the functions are the owner's alone.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "daemon/model/histogram.h"
#include "daemon/model/run.h"

namespace iobenchd::scheduler {

class WakeupProbe {
 public:
  WakeupProbe();  // begins
  ~WakeupProbe();
  WakeupProbe(const WakeupProbe&) = delete;
  WakeupProbe& operator=(const WakeupProbe&) = delete;

  void restart();  // forgets what it saw
  [[nodiscard]] WakeupDelay seen();

 private:
  void run();

  std::mutex mutex_;
  Histogram delays_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace iobenchd::scheduler
