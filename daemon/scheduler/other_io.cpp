#include "daemon/scheduler/other_io.h"

#include <algorithm>
#include <utility>

namespace iobenchd::scheduler {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

OtherIo::OtherIo(const MachineProbe& machine, std::vector<std::string> leaves, milliseconds round,
                 bool reads_only)
    : machine_(machine), leaves_(std::move(leaves)), round_(round), reads_only_(reads_only) {
  restart();
}

DeviceCounters OtherIo::read() const {
  DeviceCounters sum;
  sum.known = machine_.device_counters && !leaves_.empty();
  if (!sum.known) return sum;
  for (const std::string& leaf : leaves_) {
    const DeviceCounters one = machine_.device_counters(leaf);
    sum.known = sum.known && one.known;
    sum.read_ios += one.read_ios;
    sum.read_bytes += one.read_bytes;
    if (reads_only_) continue;
    sum.write_ios += one.write_ios;
    sum.write_bytes += one.write_bytes;
  }
  return sum;
}

void OtherIo::restart(Clock::time_point now) {
  before_ = read();
  began_at_ = now;
  our_bytes_ = 0;
  rounds_disturbed_ = 0;
  quiet_for_ = milliseconds(0);
  others_per_s_ = 0;
  blind_ = !before_.known;
}

void OtherIo::notice(std::uint64_t read_bytes, std::uint64_t write_bytes, Clock::time_point now) {
  our_bytes_ += read_bytes + (reads_only_ ? 0 : write_bytes);
  if (now - began_at_ < round_) return;
  const DeviceCounters counters = read();
  blind_ = !counters.known;
  if (blind_) return;
  judge(counters, std::chrono::duration<double>(now - began_at_).count());
  quiet_for_ = others_per_s_ < others_ios_per_s
                   ? quiet_for_ + duration_cast<milliseconds>(now - began_at_)
                   : milliseconds(0);
  before_ = counters;
  began_at_ = now;
  our_bytes_ = 0;
}

// What is beyond ours, in I/Os of the size that the device has seen.
void OtherIo::judge(const DeviceCounters& now, double seconds) {
  const auto moved = [](std::uint64_t after, std::uint64_t before) {
    return after > before ? static_cast<double>(after - before) : 0.0;
  };
  const double bytes =
      moved(now.read_bytes, before_.read_bytes) + moved(now.write_bytes, before_.write_bytes);
  const double ios =
      moved(now.read_ios, before_.read_ios) + moved(now.write_ios, before_.write_ios);
  const auto ours = static_cast<double>(our_bytes_);
  const double beyond = std::max(0.0, bytes - ours);
  others_per_s_ = bytes > 0 ? beyond / bytes * ios / seconds : 0;
  const bool too_much = beyond > others_share * ours && others_per_s_ > others_ios_per_s;
  rounds_disturbed_ = too_much ? rounds_disturbed_ + 1 : 0;
}

}  // namespace iobenchd::scheduler
