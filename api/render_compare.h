// Comparisons and baselines -> JSON and text. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "api/baselines.h"
#include "daemon/analysis/compare_sweeps.h"
#include "daemon/analysis/standing.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

// One side of a comparison: what was measured, and what it is called. Empty: unknown.
struct ComparedSide {
  std::string id;    // as ?base= takes it
  std::string uuid;  // of a sweep
  std::string label, host, os, target, model, answer;
  analysis::ComparedSweep sweep;
};

// A sweep among the earlier ones of its disk model.
struct ModelComparison {
  ComparedSide with;
  std::uint32_t earlier_sweeps = 0;
  analysis::Standings standings;
};

[[nodiscard]] Json render_baseline(const Baseline& baseline);
[[nodiscard]] Json render_comparison(const ComparedSide& base, const ComparedSide& with,
                                     const analysis::SweepComparison& found);
[[nodiscard]] Json render_model_comparison(const ModelComparison& found);

// A table, the summary, and what doesn't match.
[[nodiscard]] std::string comparison_text(const ComparedSide& base, const ComparedSide& with,
                                          const analysis::SweepComparison& found);
[[nodiscard]] std::string model_comparison_text(const ModelComparison& found);

}  // namespace iobenchd::api
