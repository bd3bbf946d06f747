// A history -> JSON, lines of a table, and the text a person wants from curl. Pure; safe from any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/render.h"
#include "daemon/analysis/history.h"
#include "daemon/model/history.h"

namespace iobenchd::api {

// Points, changes and marks from `since_ns` on; what was before has been judged by, and is not
// shown.
[[nodiscard]] Json render_series(const Series& series, const analysis::History& history,
                                 std::int64_t since_ns);
// The same flat: one object a point, oldest first, each with its identity. Every one has the
// members of `series_columns`.
[[nodiscard]] std::vector<Json> render_series_lines(const Series& series,
                                                    const analysis::History& history,
                                                    std::int64_t since_ns);
[[nodiscard]] Json series_columns();
// A heading, a line a point (date, IOPS, latency, host, what changed), the verdict.
[[nodiscard]] std::string render_series_text(const Series& series, const analysis::History& history,
                                             std::int64_t since_ns);

}  // namespace iobenchd::api
