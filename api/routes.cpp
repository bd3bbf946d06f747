// THE table: every call there is. openapi.json describes the same ones (a test compares them).
#include <array>

#include "api/handlers.h"
#include "api/http.h"
#include "api/sse.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::string_view json = "application/json";
constexpr std::string_view imports = "text/csv,application/json,text/plain";
constexpr bool long_lived = true, open_to_all = true;

// clang-format off
constexpr std::array<Route, 28> table{{
    {Method::post,  "/api/v1/sweeps",             post_sweep,       Duty::run, mib, json},
    {Method::get,   "/api/v1/sweeps",             list_sweeps,      Duty::read},
    {Method::get,   "/api/v1/sweeps/{id}",        get_sweep,        Duty::read},
    {Method::patch, "/api/v1/sweeps/{id}",        patch_sweep,      Duty::run, mib, json},
    {Method::del,   "/api/v1/sweeps/{id}",        delete_sweep,     Duty::destroy},
    {Method::post,  "/api/v1/sweeps/{id}/cancel", cancel_sweep,     Duty::run},
    {Method::get,   "/api/v1/sweeps/{id}/events", get_sweep_events, Duty::read, 0, {}, long_lived},
    {Method::get,   "/api/v1/sweeps/{id}/export", get_sweep_export, Duty::read},
    {Method::get,   "/api/v1/events",             get_events,       Duty::read, 0, {}, long_lived},
    {Method::get,   "/api/v1/runs",               list_runs,        Duty::read},
    {Method::get,   "/api/v1/runs/{id}",          get_run,          Duty::read},
    {Method::get,   "/api/v1/compare",            get_comparison,   Duty::read},
    {Method::get,   "/api/v1/baselines",          list_baselines,   Duty::read},
    {Method::get,   "/api/v1/history",            get_history,      Duty::read},
    {Method::get,   "/api/v1/targets",            list_targets,     Duty::read},
    {Method::get,   "/api/v1/system",             get_system,       Duty::read},
    {Method::post,  "/api/v1/imports",            post_import,      Duty::run, 64 * mib, imports},
    {Method::post,  "/api/v1/schedules",          post_schedule,    Duty::run, mib, json},
    {Method::get,   "/api/v1/schedules",          list_schedules,   Duty::read},
    {Method::get,   "/api/v1/schedules/{id}",     get_schedule,     Duty::read},
    {Method::patch, "/api/v1/schedules/{id}",     patch_schedule,   Duty::run, mib, json},
    {Method::del,   "/api/v1/schedules/{id}",     delete_schedule,  Duty::destroy},
    {Method::get,   "/api/v1/backup",             get_backup,       Duty::copy, 0, {}, long_lived},
    {Method::get,   "/api/v1/audit",              list_audit,       Duty::read},
    {Method::get,   "/api/v1/openapi.json",       get_openapi,      Duty::read},
    {Method::get,   "/healthz",                   get_healthz,      Duty::read, 0, {}, false,
                                                                    open_to_all},
    {Method::get,   "/readyz",                    get_readyz,       Duty::read},
    {Method::get,   "/metrics",                   get_metrics,      Duty::read},
}};
// clang-format on

}  // namespace

std::span<const Route> routes() noexcept {
  return table;
}

}  // namespace iobenchd::api
