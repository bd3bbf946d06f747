// Model -> JSON, and the text a person wants from curl. Pure; safe from any thread. Field names are
// the model's own.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "daemon/model/curve.h"
#include "daemon/model/event.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"
#include "daemon/model/sweep_schedule.h"
#include "daemon/scheduler/scheduler.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json render_spec(const SweepSpec& spec);
[[nodiscard]] Json render_plan(const Plan& plan);
// As a list shows it. GET /sweeps/{id} adds the members of render_result.
[[nodiscard]] Json render_sweep(const Sweep& sweep, const std::optional<Progress>& progress,
                                std::optional<std::uint32_t> position);
[[nodiscard]] Json render_result(const SweepResult& result);  // points, curves, answer, warnings
[[nodiscard]] Json render_sweet_spot(const std::optional<SweetSpot>& spot);
[[nodiscard]] Json render_usl(const std::optional<Usl>& usl);
[[nodiscard]] Json render_run_summary(const RunSummary& run);
[[nodiscard]] Json render_run(const Run& run, const RunSummary& summary,
                              std::span<const Verdict> verdicts);
[[nodiscard]] Json render_target(const scheduler::TargetView& target);
[[nodiscard]] Json render_system(const Circumstances& system);
[[nodiscard]] Json render_circumstances(const Circumstances& facts);
[[nodiscard]] Json render_progress(const Progress& progress);
[[nodiscard]] Json render_schedule(const SweepSchedule& schedule);
[[nodiscard]] Json render_event(const Event& event);

// The article's table (numjobs, MiB/s, IOPS, mean latency, p99, note), the answer, its doubts
// folded into one line. Used by the API's ?format=text and by `iobench run`.
[[nodiscard]] std::string render_text(const Sweep& sweep, const SweepResult& result);
// One line: "run 3 of at most 9, randread 4k, depth 1, 4 jobs: 12 345 IOPS, 80.1 µs; 32 s left".
[[nodiscard]] std::string render_progress_line(const Progress& progress);

}  // namespace iobenchd::api
