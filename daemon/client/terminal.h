// Progress on standard error: one line that changes at a terminal, few lines elsewhere. One thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "daemon/model/event.h"
#include "daemon/model/run.h"

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
// Sentences broken between words so that no line is longer; what is indented is a table and stays.
[[nodiscard]] std::string wrap(const std::string& text, std::size_t columns);

// What a run that Ctrl-C ended had seen by then; empty where it was nothing.
[[nodiscard]] std::string interrupted_text(std::span<const Run> runs);

// The text as standard output should have it: wrapped where that is a terminal.
[[nodiscard]] std::string for_reader(const std::string& text);

}  // namespace iobenchd::client
