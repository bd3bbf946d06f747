#include "daemon/scheduler/rounds.h"

#include <algorithm>
#include <vector>

#include "daemon/analysis/steady_state.h"

namespace iobenchd::scheduler {
namespace {

std::span<const Measurement> window_of(std::span<const Measurement> rounds) {
  return rounds.last(std::min(rounds.size(), analysis::steady_rounds));
}

double iops_of(const Measurement& round) {
  if (round.measured_ns == 0) return 0;
  return static_cast<double>(round.read.ios + round.write.ios) * 1e9 /
         static_cast<double>(round.measured_ns);
}

void add(Traffic& sum, const Traffic& one) {
  sum.ios += one.ios;
  sum.bytes += one.bytes;
  sum.errors += one.errors;
  sum.latency.merge(one.latency);
}

void add_jobs(std::vector<JobFigures>& sum, const std::vector<JobFigures>& jobs) {
  for (const JobFigures& one : jobs) {
    const auto same = std::find_if(sum.begin(), sum.end(),
                                   [&](const JobFigures& job) { return job.job == one.job; });
    if (same == sum.end()) {
      sum.push_back(one);
      continue;
    }
    same->read_ios += one.read_ios;
    same->write_ios += one.write_ios;
    same->latency_sum_ns += one.latency_sum_ns;
    same->latency_max_ns = std::max(same->latency_max_ns, one.latency_max_ns);
    same->measured_ns += one.measured_ns;
    same->cpu_user_ns += one.cpu_user_ns;
    same->cpu_system_ns += one.cpu_system_ns;
  }
}

// The seconds of all rounds, one after the other: what led to the window is its ramp.
std::vector<Sample> samples_of(std::span<const Measurement> rounds, std::size_t counted) {
  std::vector<Sample> all;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (Sample sample : rounds[i].samples) {
      sample.second = static_cast<std::uint32_t>(all.size());
      sample.ramp = sample.ramp || i + counted < rounds.size();
      all.push_back(sample);
    }
  }
  return all;
}

void add_costs(Measurement& sum, const Measurement& one) {
  sum.cpu_user_ns += one.cpu_user_ns;
  sum.cpu_system_ns += one.cpu_system_ns;
  sum.voluntary_context_switches += one.voluntary_context_switches;
  sum.involuntary_context_switches += one.involuntary_context_switches;
  sum.minor_page_faults += one.minor_page_faults;
  sum.major_page_faults += one.major_page_faults;
  sum.verified_bytes += one.verified_bytes;
  sum.device_read_ios += one.device_read_ios;
  sum.device_write_ios += one.device_write_ios;
  sum.device_read_bytes += one.device_read_bytes;
  sum.device_write_bytes += one.device_write_bytes;
  sum.device_counters_known = sum.device_counters_known && one.device_counters_known;
}

}  // namespace

bool are_steady(std::span<const Measurement> rounds) {
  if (rounds.size() < analysis::steady_rounds) return false;
  std::vector<double> iops;
  iops.reserve(analysis::steady_rounds);
  for (const Measurement& round : window_of(rounds)) iops.push_back(iops_of(round));
  return *std::max_element(iops.begin(), iops.end()) > 0 && analysis::steadiness(iops).steady();
}

Measurement merge_rounds(std::span<const Measurement> rounds) {
  const std::span<const Measurement> window = window_of(rounds);
  if (window.empty()) return {};
  Measurement sum = window.front();
  sum.samples = samples_of(rounds, window.size());
  sum.rounds = static_cast<std::uint32_t>(rounds.size());
  sum.rounds_steady = are_steady(rounds);
  for (const Measurement& one : window.subspan(1)) {
    sum.measured_ns += one.measured_ns;
    add(sum.read, one.read);
    add(sum.write, one.write);
    add(sum.fsync, one.fsync);
    add_jobs(sum.jobs, one.jobs);
    add_costs(sum, one);
    sum.machine_cpu_busy_percent =
        std::max(sum.machine_cpu_busy_percent, one.machine_cpu_busy_percent);
    sum.load_average = one.load_average;
    if (one.wakeup_delay.p99_ns > sum.wakeup_delay.p99_ns) sum.wakeup_delay = one.wakeup_delay;
    sum.in_flight_max = std::max(sum.in_flight_max, one.in_flight_max);
  }
  return sum;
}

}  // namespace iobenchd::scheduler
