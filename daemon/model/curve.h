// The answer: points, curves, sweet spot. Made by analysis from runs, whenever asked: runs are the
// only truth stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"
#include "daemon/model/verdict.h"

namespace iobenchd {

// The runs of one setting, repeats merged: medians of IOPS, percentiles from merged buckets.
struct Point {
  Setting setting;
  std::uint32_t repeats = 0;  // good runs in it
  double iops = 0;
  std::optional<std::pair<double, double>> iops_ci95;  // none with one run
  double bandwidth_bytes_per_s = 0;
  double latency_mean_ns = 0;
  std::uint64_t latency_min_ns = 0, latency_p50_ns = 0, latency_p90_ns = 0, latency_p99_ns = 0;
  std::uint64_t latency_p99_9_ns = 0, latency_p99_99_ns = 0, latency_max_ns = 0;
  double concurrency = 0, depth_attained = 0;
  double cpu_user_percent = 0, cpu_system_percent = 0, cpu_per_io_ns = 0, load_average = -1;
  std::uint64_t wakeup_delay_p99_ns = 0;
  // Apart, of a mixed workload: medians, and percentiles from merged buckets. None else.
  std::optional<DirectionFigures> read, write;
  std::optional<DirectionFigures> fsync;  // the same of fsyncs, which move no bytes; none were made
  std::string note;  // baseline, strong_scaling, scaling, near_peak, saturated, regression; empty
                     // where not on an axis
  std::vector<Verdict> verdicts;
  std::vector<std::int64_t> run_ids;
  bool failed = false;
  // False for imported tables. A percentile of 0 isn't known where the minimum is more: its source
  // didn't print it, or printed several whose buckets it kept to itself.
  bool has_latency = true, has_percentiles = true;
  std::vector<double> repeat_iops;  // for resampling
  // Each good run's own, for comparing; empty where they are unknown.
  std::vector<double> repeat_latency_mean_ns, repeat_latency_p99_ns;
  IoEngine ioengine = IoEngine::automatic;  // really used; automatic: unknown
  std::optional<bool> direct;               // really used; none: unknown
};

struct SweetSpot {
  std::uint32_t at = 0, low = 0, high = 0;
  std::string rule;  // balance, first
  double confidence = 0;
  std::string confidence_basis;  // "repeats" or "assumed 2 % noise"
  // What the answer would be 9 times in 10, were all of it measured again: holds low to high; and
  // how often it would lie in low to high. Below 0.8 the sentence gives likely_low to likely_high.
  std::uint32_t likely_low = 0, likely_high = 0;
  double likely_in_band = 1;
  std::string sentence;
};

struct Named {  // "no sweet spot, because": not_saturated, too_few_points, ...
  std::string name;
  std::string sentence;
};

struct Opinion {
  std::uint32_t at = 0;
  std::string rule;
};

struct Usl {
  double lambda = 0, sigma = 0, kappa = 0, r2 = 0;
  std::optional<double> peak_numjobs;  // none: no_peak
  double mean_error = 0, worst_error = 0;
};

struct Curve {
  std::string axis = "numjobs";     // numjobs, iodepth, bs
  Setting setting;                  // the axis' own field is 0
  std::vector<std::size_t> points;  // indices into SweepResult::points, ascending along the axis
  double noise = 0.02;
  std::optional<SweetSpot> sweet_spot;
  std::optional<Named> no_sweet_spot;  // set exactly when sweet_spot is not
  std::optional<Opinion> latency_first, throughput_first, kneedle, under_limit;
  std::optional<std::uint32_t> strain_numjobs;
  std::optional<Usl> usl;
  std::optional<Named> no_usl;
  std::vector<Verdict>
      verdicts;  // folded: those that all its points share, and the curve's own (drifted)
};

struct SweepResult {
  std::vector<Point> points;  // ascending by setting
  std::vector<Curve> curves;
  std::string answer;
  std::vector<Verdict> warnings;  // every doubt once, folded over curves
};

}  // namespace iobenchd
