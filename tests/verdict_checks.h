// What the tests of verdicts ask of a run. One thread.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/analysis.h"
#include "tests/runs.h"

namespace iobenchd::tests {

using analysis::run_verdicts;

inline std::vector<std::string> names_of(const std::vector<Verdict>& verdicts) {
  std::vector<std::string> names;
  for (const Verdict& verdict : verdicts) names.push_back(verdict.name);
  return names;
}

// The one verdict of a run that was spoiled in one way.
inline Verdict only_verdict(const Run& run) {
  const std::vector<Verdict> verdicts = run_verdicts(run);
  CAPTURE(names_of(verdicts).size());
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].sentence.find(". ") != std::string::npos);  // what was seen, then what to do
  CHECK(verdicts[0].sentence.ends_with('.'));
  return verdicts[0];
}

// IOPS of each second, in place of the steady ones. The totals follow.
inline void set_seconds(Run& run, const std::vector<std::uint64_t>& iops) {
  Measurement& m = run.measurement;
  m.samples.clear();
  std::uint64_t total = 0;
  for (const std::uint64_t ios : iops) {
    Sample sample;
    sample.second = static_cast<std::uint32_t>(m.samples.size());
    sample.span_ns = 1'000'000'000;
    sample.read_ios = ios;
    m.samples.push_back(sample);
    total += ios;
  }
  set_traffic(run, total, 1'000'000'000 * iops.size());
}

inline bool has(const Run& run, const std::string& name) {
  const std::vector<std::string> names = names_of(run_verdicts(run));
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace iobenchd::tests
