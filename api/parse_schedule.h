// JSON -> SweepSchedule. Collects every wrong field, those of the sweep in it as well, before it
// throws one Error{invalid}. Pure; safe from any thread.
#pragma once

#include <string_view>

#include "daemon/model/sweep_schedule.h"

namespace iobenchd::api {

// What the body says over `base`: an empty schedule for POST, the one that is changed for PATCH.
// `every` replaces `daily` and the other way round; a `sweep` replaces the whole sweep.
[[nodiscard]] SweepSchedule parse_schedule(std::string_view body, std::string_view defaults_json,
                                           SweepSchedule base);

}  // namespace iobenchd::api
