#include "daemon/scheduler/vitals.h"

#include <utility>

namespace iobenchd::scheduler {

Vitals::Vitals(const MachineProbe& machine, std::vector<std::string> leaves)
    : machine_(machine), leaves_(std::move(leaves)), begin_(read()) {}

Vitals::Reading Vitals::read() const {
  Reading reading;
  if (machine_.cpu_time) reading.cpu = machine_.cpu_time();
  if (!machine_.device_counters || leaves_.empty()) return reading;
  reading.device.known = true;
  for (const std::string& leaf : leaves_) {
    const DeviceCounters one = machine_.device_counters(leaf);
    reading.device.known = reading.device.known && one.known;
    reading.device.read_ios += one.read_ios;
    reading.device.write_ios += one.write_ios;
    reading.device.read_bytes += one.read_bytes;
    reading.device.write_bytes += one.write_bytes;
  }
  return reading;
}

void Vitals::notice(Phase phase) {
  if (phase == Phase::starting || phase == Phase::ramp) {
    begin_ = read();
    wakeups_.restart();
  } else if ((phase == Phase::drain || phase == Phase::verify) && !ended_) {
    ended_ = true;
    end_ = read();
    delays_ = wakeups_.seen();
  }
}

void Vitals::fill(Measurement& measurement) {
  notice(Phase::drain);
  measurement.wakeup_delay = delays_;
  if (machine_.load_average) measurement.load_average = machine_.load_average();
  const std::uint64_t total = end_.cpu.total - begin_.cpu.total;
  if (end_.cpu.total > begin_.cpu.total)
    measurement.machine_cpu_busy_percent =
        100.0 * static_cast<double>(end_.cpu.busy - begin_.cpu.busy) / static_cast<double>(total);
  measurement.device_counters_known = begin_.device.known && end_.device.known;
  if (!measurement.device_counters_known) return;
  measurement.device_read_ios = end_.device.read_ios - begin_.device.read_ios;
  measurement.device_write_ios = end_.device.write_ios - begin_.device.write_ios;
  measurement.device_read_bytes = end_.device.read_bytes - begin_.device.read_bytes;
  measurement.device_write_bytes = end_.device.write_bytes - begin_.device.write_bytes;
}

}  // namespace iobenchd::scheduler
