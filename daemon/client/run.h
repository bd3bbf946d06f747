// `iobench run`: a daemon's whole way from sweep to answer, for one sweep and in one call. Starts
// threads and processes and ends them all.
#pragma once

#include <string>

#include "daemon/client/options.h"

namespace iobenchd::client {

// Exit statuses.
inline constexpr int status_good = 0, status_failed = 1, status_usage = 2, status_ctrl_c = 130;

// `program`: ours, by its full path. Returns the exit status. Throws Error{invalid} for what was
// typed, others for what went wrong.
[[nodiscard]] int run(const RunOptions& options, const std::string& program);

}  // namespace iobenchd::client
