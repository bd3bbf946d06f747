// What the I/Os of a sweep are like: the fields of a Workload, and how often a point is measured.
// One owner on one thread.
#pragma once

#include "api/parse_fields.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

inline constexpr std::uint32_t repeats_most = 100;

// A whole number, or {"min": 3, "max": 10, "ci_percent": 5}: until the interval is that narrow.
void read_repeats(FieldReader& fields, SweepSpec& spec);
// {"rounds": 25, "round_s": 60}, or null.
void read_steady_state(FieldReader& fields, SweepSpec& spec);
void read_workload(FieldReader& fields, SweepSpec& spec);

}  // namespace iobenchd::api
