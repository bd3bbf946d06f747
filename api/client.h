// What the client, `iobench`, needs of HTTP and JSON, behind plain types. Every function stands
// alone; safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "daemon/model/curve.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

inline constexpr const char* default_server = "http://127.0.0.1:8464";

// A field of a sweep as a command line spells it: {"bs", "4k,8k"}, {"numjobs", "1-32*2"},
// {"latency_limit", "p99:2ms"}, {"repeats", "3-10:5"}, {"steady_state", "25x60s"}.
struct TextField {
  std::string name, text;
  std::string place = {};  // stands for the name in what is wrong with it: "a.fio:5: blocksize"
};
// The same reader as a POST body's, so that the same is right and wrong; of fields with one name
// the last one holds. Throws Error{invalid} with every wrong field.
[[nodiscard]] SweepSpec spec_of_fields(std::span<const TextField> fields);

// What GET /sweeps/{id} answers for the sweep, and in `runs` what GET /runs/{id} answers for each.
[[nodiscard]] std::string sweep_report(const Sweep& sweep, const SweepResult& result,
                                       std::span<const Run> runs);

// The daemon's state in a few lines: what runs, what waits, the last answers; its targets as a
// table. `server`: "http://host:port" or "unix:/path". Throws Error{unavailable} when nobody
// answers there.
[[nodiscard]] std::string status_text(const std::string& server);
[[nodiscard]] std::string targets_text(const std::string& server);

// The daemon's whole database into an open file; returns its bytes. Throws Error{unavailable} where
// it doesn't arrive whole.
std::uint64_t fetch_backup(const std::string& server, int descriptor);

}  // namespace iobenchd::api
