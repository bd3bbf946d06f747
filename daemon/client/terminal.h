// Progress on standard error: one line that changes at a terminal, few lines elsewhere. One thread.
#pragma once

#include <string>

#include "daemon/model/event.h"

namespace iobenchd::client {

class ProgressDisplay {
 public:
  ProgressDisplay();
  ~ProgressDisplay();  // leaves a clean line
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void progress(const Progress& progress);
  void run(const RunSummary& run, const Progress& progress);
  void say(const std::string& line);

 private:
  void clear();

  bool terminal_;
  bool line_shown_ = false;
  SweepPhase phase_ = SweepPhase::waiting;
};

// Cut to `columns` characters, counted as a reader sees them.
[[nodiscard]] std::string fit(const std::string& line, std::size_t columns);

}  // namespace iobenchd::client
