// Every call's handler: decode, validate, do, respond. Each lives in the file of its noun
// (sweeps.cpp, runs.cpp, ...); the events' are declared in sse.h. Throw Error; safe from any
// thread.
#pragma once

#include <memory>
#include <string>

#include "api/http.h"
#include "daemon/model/curve.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

[[nodiscard]] Response post_sweep(const Context& context, const Request& request);
[[nodiscard]] Response list_sweeps(const Context& context, const Request& request);
[[nodiscard]] Response get_sweep(const Context& context, const Request& request);
[[nodiscard]] Response patch_sweep(const Context& context, const Request& request);
[[nodiscard]] Response cancel_sweep(const Context& context, const Request& request);
[[nodiscard]] Response delete_sweep(const Context& context, const Request& request);
[[nodiscard]] Response get_sweep_export(const Context& context, const Request& request);
[[nodiscard]] Response list_runs(const Context& context, const Request& request);
[[nodiscard]] Response get_run(const Context& context, const Request& request);
[[nodiscard]] Response get_comparison(const Context& context, const Request& request);
[[nodiscard]] Response list_baselines(const Context& context, const Request& request);
[[nodiscard]] Response get_history(const Context& context, const Request& request);
[[nodiscard]] Response list_targets(const Context& context, const Request& request);
[[nodiscard]] Response get_system(const Context& context, const Request& request);
[[nodiscard]] Response post_import(const Context& context, const Request& request);
[[nodiscard]] Response post_schedule(const Context& context, const Request& request);
[[nodiscard]] Response list_schedules(const Context& context, const Request& request);
[[nodiscard]] Response get_schedule(const Context& context, const Request& request);
[[nodiscard]] Response patch_schedule(const Context& context, const Request& request);
[[nodiscard]] Response delete_schedule(const Context& context, const Request& request);
[[nodiscard]] Response get_backup(const Context& context, const Request& request);
[[nodiscard]] Response list_audit(const Context& context, const Request& request);
[[nodiscard]] Response get_openapi(const Context& context, const Request& request);
[[nodiscard]] Response get_healthz(const Context& context, const Request& request);
[[nodiscard]] Response get_readyz(const Context& context, const Request& request);
[[nodiscard]] Response get_metrics(const Context& context, const Request& request);

// The sweep a path names, by number or by uuid. Throws Error{not_found}.
[[nodiscard]] Sweep find_sweep(const Context& context, const std::string& name);
[[nodiscard]] bool is_over(const Sweep& sweep) noexcept;
// From the runs, each time; what is finished is remembered.
[[nodiscard]] std::shared_ptr<const SweepResult> result_of(const Context& context,
                                                           const Sweep& sweep);
// ?wait=true: progress lines until the sweep is over, then its table and sentence.
[[nodiscard]] Response wait_for(const Context& context, const Sweep& sweep);

}  // namespace iobenchd::api
