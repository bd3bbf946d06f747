// After a stop that was none: is the file still whole? All of it is read, on a thread and a
// read-only connection of its own. One owner.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "storage/damage.h"

namespace iobenchd::storage {

// A log with something in it is what a crash leaves behind; an orderly end takes it along.
[[nodiscard]] bool was_torn_away(const std::string& path) noexcept;

class QuickCheck {
 public:
  // Begins. What is wrong goes to `damage`, which outlives this.
  QuickCheck(std::string path, Damage& damage);
  ~QuickCheck();  // ends it early: at the next table at the latest
  QuickCheck(const QuickCheck&) = delete;
  QuickCheck& operator=(const QuickCheck&) = delete;

  [[nodiscard]] bool is_over() const noexcept { return over_; }

 private:
  void look_at_every_table();
  void run() noexcept;

  std::string path_;
  Damage& damage_;
  std::atomic<bool> stopping_{false}, over_{false};
  std::thread thread_;
};

}  // namespace iobenchd::storage
