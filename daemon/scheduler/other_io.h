// What others do to the disks under a target, by the disks' own counters beside what an engine of
// ours says of itself. Bytes, as the verdict other_load has it: a device splits and joins I/Os, and
// moves each byte once. One owner, one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/scheduler/machine_probe.h"

namespace iobenchd::scheduler {

inline constexpr double others_share = 0.05;       // of our bytes
inline constexpr double others_ios_per_s = 5;      // of the device's own size
inline constexpr std::uint32_t others_rounds = 3;  // in a row

class OtherIo {
 public:
  using Clock = std::chrono::steady_clock;

  // `round`: how long each look lasts, a second. `reads_only`: writes take a journal along.
  OtherIo(const MachineProbe& machine, std::vector<std::string> leaves,
          std::chrono::milliseconds round, bool reads_only = false);

  // Forgets what was seen: a run begins, or the wait for quiet.
  void restart(Clock::time_point now = Clock::now());
  // What our engine did since the last call. At the end of a round the others' I/Os per second are
  // reckoned.
  void notice(std::uint64_t read_bytes, std::uint64_t write_bytes,
              Clock::time_point now = Clock::now());
  // Others did more than they may in the last three rounds.
  [[nodiscard]] bool disturbed() const noexcept { return rounds_disturbed_ >= others_rounds; }
  // Others did less than 5 I/Os a second, for so long up to now.
  [[nodiscard]] std::chrono::milliseconds quiet_for() const noexcept { return quiet_for_; }
  // I/Os a second of others in the last round that was over.
  [[nodiscard]] double others_per_s() const noexcept { return others_per_s_; }
  // The counters can't be read any more: nothing can be said.
  [[nodiscard]] bool blind() const noexcept { return blind_; }

 private:
  [[nodiscard]] DeviceCounters read() const;
  void judge(const DeviceCounters& now, double seconds);

  const MachineProbe& machine_;
  const std::vector<std::string> leaves_;
  const std::chrono::milliseconds round_;
  const bool reads_only_;
  DeviceCounters before_;
  Clock::time_point began_at_;
  std::uint64_t our_bytes_ = 0;
  std::uint32_t rounds_disturbed_ = 0;
  std::chrono::milliseconds quiet_for_{0};
  double others_per_s_ = 0;
  bool blind_ = false;
};

}  // namespace iobenchd::scheduler
