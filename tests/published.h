// The published measurements as constants: "OpenBSD IO Benchmarking: How Many Jobs Are Worth It?",
// R. Sadowski, May 2025 (OpenBSD 7.7-current, Crucial P3 Plus 1 TB, fio, 4 KiB blocks, iodepth 32),
// and the 2017 table from misc@openbsd.org. And how tests make figures and runs of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daemon/analysis/figures.h"
#include "daemon/model/run.h"

namespace iobenchd::published {

struct Row {
  std::uint32_t numjobs;
  double bandwidth_mib_per_s, iops, latency_mean_us;
};

inline constexpr std::array<Row, 6> randread{{{1, 473.0, 121318, 26.41},
                                              {2, 808.3, 207333, 30.80},
                                              {4, 1302.4, 334219, 37.97},
                                              {8, 1712.0, 439728, 58.22},
                                              {18, 1715.6, 439661, 117.12},
                                              {32, 1618.6, 415603, 180.56}}};

inline constexpr std::array<Row, 6> randwrite{{{1, 265.6, 68223, 58.64},
                                               {2, 476.6, 122246, 63.27},
                                               {4, 829.9, 212610, 70.84},
                                               {8, 1259.1, 323439, 95.72},
                                               {18, 1428.1, 366830, 172.17},
                                               {32, 1408.2, 361404, 230.42}}};

inline std::vector<analysis::Figure> figures(std::span<const Row> rows) {
  std::vector<analysis::Figure> result;
  for (const Row& row : rows) result.push_back({row.numjobs, row.iops, row.latency_mean_us / 1e6});
  return result;
}

// As an import makes them: what was printed, the engine unknown.
inline std::vector<Run> runs(std::span<const Row> rows, Rw rw) {
  std::vector<Run> result;
  for (const Row& row : rows) {
    Run run;
    run.id = static_cast<std::int64_t>(result.size()) + 1;
    run.setting = {rw, 4096, 32, row.numjobs};
    run.state = RunState::done;
    run.imported_figures = true;
    run.imported = {row.iops, row.bandwidth_mib_per_s * 1048576, row.latency_mean_us * 1e3};
    run.measurement.ioengine = IoEngine::automatic;
    run.circumstances.os = "OpenBSD 7.7-current GENERIC.MP amd64";
    result.push_back(run);
  }
  return result;
}

// Writes, then reads.
inline std::vector<Run> both() {
  std::vector<Run> all = runs(randwrite, Rw::randwrite);
  for (const Run& run : runs(randread, Rw::randread)) all.push_back(run);
  return all;
}

// Figures without latency: {n, x}.
inline std::vector<analysis::Figure> rates(std::span<const std::uint32_t> n,
                                           std::span<const double> x) {
  std::vector<analysis::Figure> result;
  for (std::size_t i = 0; i < n.size(); ++i) result.push_back({n[i], x[i], 0});
  return result;
}

}  // namespace iobenchd::published
