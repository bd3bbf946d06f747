#include "daemon/scheduler/vitals.h"

#include <utility>

namespace iobenchd::scheduler {

Vitals::Vitals(const MachineProbe& machine, std::vector<std::string> leaves)
    : machine_(machine), leaves_(std::move(leaves)), begin_(read()) {}

Vitals::Reading Vitals::read() const {
  Reading reading;
  if (machine_.cpu_time) reading.cpu = machine_.cpu_time();
  if (!machine_.device_bytes || leaves_.empty()) return reading;
  reading.device.known = true;
  for (const std::string& leaf : leaves_) {
    const DeviceBytes bytes = machine_.device_bytes(leaf);
    reading.device.known = reading.device.known && bytes.known;
    reading.device.read += bytes.read;
    reading.device.write += bytes.write;
  }
  return reading;
}

void Vitals::notice(Phase phase) {
  if (phase == Phase::starting || phase == Phase::ramp) {
    begin_ = read();
    wakeups_.restart();
  } else if (phase == Phase::drain && !ended_) {
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
  measurement.device_read_bytes = end_.device.read - begin_.device.read;
  measurement.device_write_bytes = end_.device.write - begin_.device.write;
}

}  // namespace iobenchd::scheduler
