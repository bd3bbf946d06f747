// Every doubt that can be seen in one run. A doubt is kept in two halves, what was seen and what
// to do, so that the doubts of many points can be folded into one sentence (fold.h). Pure; safe
// from any thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"
#include "daemon/model/verdict.h"

namespace iobenchd::analysis {

struct Doubt {
  std::string name;
  Severity severity = Severity::info;
  std::string seen;    // "only 3.20 of 32 I/Os were in flight": a clause, in numbers
  std::string advice;  // whole sentences: what it means, what to do
  double weight = 0;   // how bad, to find the worst among doubts of one name
};

// `spec` is what was asked for, null where unknown: with it the working set is known even where the
// target's size says nothing, and so is an engine that isn't the one asked for.
[[nodiscard]] std::vector<Doubt> run_doubts(const Run& run, const SweepSpec* spec);

[[nodiscard]] Verdict verdict_of(const Doubt& doubt);

}  // namespace iobenchd::analysis
