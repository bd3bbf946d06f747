// A database as large as a machine's whole life: fill-store DATABASE RUNS. Sweeps of a hundred
// runs, each run with a histogram of some 300 buckets and ten samples, over two years, of 20 disks
// of 5 models in 4 machines. Figures are made from the run's number alone. No daemon may have it
// open.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "daemon/analysis/summary.h"
#include "daemon/model/error.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"
#include "storage/store.h"

namespace {

using namespace iobenchd;

constexpr std::uint32_t runs_of_a_sweep = 100;
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t first_moment_ns = 1'700'000'000 * second_ns;
constexpr std::int64_t two_years_ns = 2 * 365 * 86'400 * second_ns;

// A few hundred buckets round the mean, thinner to both sides.
Histogram latencies(double mean_ns, std::uint64_t number) {
  Histogram histogram;
  for (int i = -150; i < 150; ++i) {
    const double value = mean_ns * std::exp(i / 100.0);
    const auto ns = static_cast<std::uint64_t>(value);
    const auto count = static_cast<std::uint64_t>(1000.0 / (1 + i * i / 400.0)) + number % 3;
    for (std::uint64_t n = 0; n < count && n < 20; ++n) histogram.add(ns);
  }
  return histogram;
}

Run run_of(std::uint64_t number, std::int64_t moment_ns) {
  constexpr Rw directions[] = {Rw::randread, Rw::randread, Rw::randread, Rw::randwrite, Rw::read};
  constexpr std::uint32_t jobs[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 64};
  Run run;
  const std::uint64_t sweep = number / runs_of_a_sweep;
  run.setting = {directions[sweep % 5], sweep % 7 == 0 ? 65536U : 4096U, sweep % 11 == 0 ? 32U : 1U,
                 jobs[number % 10]};
  run.repeat = static_cast<std::uint32_t>(number % runs_of_a_sweep / 10);
  run.state = RunState::done;
  run.started_at_ns = moment_ns;
  run.finished_at_ns = moment_ns + 10 * second_ns;
  const std::uint64_t disk = sweep % 20;
  run.circumstances.host = "host" + std::to_string(disk % 4);
  run.circumstances.os = "OpenBSD 7.7";
  run.circumstances.target = "/dev/rsd" + std::to_string(disk % 4) + "c";
  run.circumstances.model = "Disk of model " + std::to_string(disk % 5);
  run.circumstances.serial = "SERIAL" + std::to_string(disk);
  run.circumstances.target_bytes = std::uint64_t{1} << 40;
  Measurement& m = run.measurement;
  m.ioengine = sweep % 3 == 0 ? IoEngine::psync : IoEngine::io_uring;
  m.direct = true;
  m.measured_ns = static_cast<std::uint64_t>(10 * second_ns);
  m.read.latency = latencies(80'000.0 + 1000.0 * static_cast<double>(number % 97), number);
  m.read.ios = m.read.latency.count;
  m.read.bytes = m.read.ios * run.setting.block_bytes;
  for (std::uint32_t second = 0; second < 10; ++second) {
    Sample sample;
    sample.second = second;
    sample.span_ns = static_cast<std::uint64_t>(second_ns);
    sample.read_ios = m.read.ios / 10 + (number + second) % 13;
    sample.latency_mean_ns = 90'000 + number % 1000;
    sample.latency_p50_ns = 85'000;
    sample.latency_p99_ns = 240'000;
    sample.latency_max_ns = 900'000;
    m.samples.push_back(sample);
  }
  return run;
}

void fill(const char* path, std::uint64_t runs) {
  storage::Store store{std::string(path)};
  const std::uint64_t sweeps = runs / runs_of_a_sweep;
  for (std::uint64_t i = 0; i < sweeps; ++i) {
    const std::int64_t at_ns = first_moment_ns + two_years_ns / static_cast<std::int64_t>(sweeps) *
                                                     static_cast<std::int64_t>(i);
    Sweep sweep;
    sweep.spec.label = "night " + std::to_string(i);
    sweep.spec.rw = {Rw::randread};
    sweep.spec.numjobs = {1, 2, 4, 6, 8, 12, 16, 24, 32, 64};
    sweep.created_at_ns = sweep.started_at_ns = at_ns;
    sweep.finished_at_ns = at_ns + 1000 * second_ns;
    sweep.state = SweepState::done;
    sweep.answer = "6 to 8 jobs. Beyond, up to 64, latency triples and IOPS don't rise.";
    std::vector<Run> of_it;
    std::vector<RunSummary> summaries;
    for (std::uint32_t n = 0; n < runs_of_a_sweep; ++n) {
      of_it.push_back(run_of(i * runs_of_a_sweep + n, at_ns + n * 10 * second_ns));
      summaries.push_back(analysis::summarise(of_it.back()));
    }
    sweep.host = of_it.front().circumstances.host;
    sweep.plan.target = of_it.front().circumstances.target;
    sweep.runs_done = runs_of_a_sweep;
    static_cast<void>(store.runs().import(sweep, of_it, summaries));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("fill-store DATABASE RUNS\n", stderr);
    return 2;
  }
  try {
    fill(argv[1], std::strtoull(argv[2], nullptr, 10));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fill-store: %s\n", error.what());
    return 1;
  }
}
