// The whole of the arithmetic behind one door: runs in, answer out. Pure functions of their
// arguments, deterministic (resampling is seeded), safe from any thread. Never throws on nonsense:
// a named reason is the answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daemon/model/curve.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::analysis {

// One run in one line of numbers. Of an imported run: what the source printed.
[[nodiscard]] RunSummary summarise(const Run& run);

// Every doubt about one run that can be seen in the run alone.
[[nodiscard]] std::vector<Verdict> run_verdicts(const Run& run, const SweepSpec* spec = nullptr);

// Points, curves, answer and doubts of a sweep from its runs, in any order; failed ones are left
// out of the numbers.
[[nodiscard]] SweepResult analyse(const SweepSpec& spec, std::span<const Run> runs);

}  // namespace iobenchd::analysis
