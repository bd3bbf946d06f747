// Runs for tests: one that nobody can doubt, to be spoiled.
#pragma once

#include <cstdint>

#include "daemon/model/run.h"

namespace iobenchd::tests {

// So many reads of the run's block size in so much time, 100 us each.
inline void set_traffic(Run& run, std::uint64_t ios, std::uint64_t measured_ns) {
  Measurement& m = run.measurement;
  m.measured_ns = measured_ns;
  m.read = Traffic{};
  m.read.ios = ios;
  m.read.bytes = ios * run.setting.block_bytes;
  m.read.latency.buckets[bucket_index(100'000)] = ios;
  m.read.latency.count = ios;
  m.read.latency.sum_ns = ios * 100'000;
  m.read.latency.min_ns = m.read.latency.max_ns = 100'000;
}

// 30 s of direct random reads by one job, 10 000 a second at 100 us, on a quiet machine.
inline Run clean_run() {
  Run run;
  run.id = 1;
  run.setting = {Rw::randread, 4096, 1, 1};
  run.state = RunState::done;
  run.circumstances.os = "Linux 6.1";
  run.circumstances.build_type = "Release";
  run.circumstances.memory_bytes = std::uint64_t{8} << 30;
  run.circumstances.target_bytes = std::uint64_t{4} << 30;
  Measurement& m = run.measurement;
  m.ioengine = IoEngine::io_uring;
  m.direct = true;
  m.machine_cpu_busy_percent = 40;
  m.wakeup_delay = {3000, 60'000, 150'000, 900'000};
  m.wakeup_reference = {500, 50'000, 120'000, 800'000};
  for (std::uint32_t second = 0; second < 30; ++second) {
    Sample sample;
    sample.second = second;
    sample.span_ns = 1'000'000'000;
    sample.read_ios = 10'000;
    m.samples.push_back(sample);
  }
  set_traffic(run, 300'000, 30'000'000'000);
  return run;
}

}  // namespace iobenchd::tests
