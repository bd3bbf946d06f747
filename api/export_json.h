// A sweep as one JSON document that says everything the store keeps, so that its import is the same
// sweep again. Text before the runs, the runs one by one, text behind them: no document is ever
// whole in memory. Pure; safe from any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "daemon/model/curve.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

// The version of the document: the value of its first member.
inline constexpr std::string_view export_version_name = "iobenchd_export";
inline constexpr std::uint32_t export_version = 1;

// All of the document up to its first run. `result` is for whoever reads it; an import makes its
// own from the runs.
[[nodiscard]] std::string export_json_head(const Sweep& sweep, const SweepResult& result);
[[nodiscard]] nlohmann::ordered_json render_recorded_sweep(const Sweep& sweep);
[[nodiscard]] nlohmann::ordered_json render_recorded_run(const Run& run);
inline constexpr std::string_view export_json_tail = "\n]}\n";

// "2026-11-30T09:13:50.123456789Z": to the nanosecond, as the store has it; empty for 0.
[[nodiscard]] std::string exact_time(std::int64_t wall_ns);

}  // namespace iobenchd::api
