// How long an engine may be silent before it counts as hung, and what else takes time. Plain
// values; tests shorten them.
#pragma once

#include <chrono>

namespace iobenchd::scheduler {

struct Deadlines {
  std::chrono::milliseconds setup{30'000};    // from birth to the first I/O
  std::chrono::milliseconds silence{30'000};  // without a completion
  // Writing the scratch file counts progress in syncs of 256 MiB: slow disks need their time.
  std::chrono::milliseconds layout_silence{120'000};
  std::chrono::milliseconds stop_grace{250};  // between the stop byte and the kill
  std::chrono::milliseconds reap{5'000};      // from the last word to the reaping
};

struct Timing {
  Deadlines deadlines;
  double reference_s = 5, short_reference_s = 1;  // of wake-up delays, before a sweep
  // Before the first write to a device: a cancel in it keeps what is there.
  std::chrono::milliseconds grace{10'000};
  std::chrono::milliseconds storage_retry{1'000};
  std::chrono::milliseconds tend_every{60'000};   // the store's housekeeping, when nothing runs
  std::chrono::milliseconds yield_round{1'000};   // how long each look at others' I/O lasts
  std::chrono::milliseconds yield_quiet{10'000};  // without it, before a point is tried again
};

}  // namespace iobenchd::scheduler
