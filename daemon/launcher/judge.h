// May this target be opened for this run? Pure arithmetic on facts and settings, apart from the
// file system calls that opener.cpp makes around it. Safe from any thread.
#pragma once

#include <string>

#include "daemon/model/control.h"
#include "daemon/model/settings.h"
#include "daemon/model/target.h"

namespace iobenchd::launcher {

// The first allow-list entry whose pattern matches the resolved path; null when none does.
[[nodiscard]] const AllowedTarget* find_allowed(const Settings& settings,
                                                const std::string& real_path);
// "iobenchd-" and then letters, digits, dots, dashes and underscores: no path, no hidden file.
[[nodiscard]] bool is_scratch_name(const std::string& name);
// Why the request itself makes no sense, whatever its target; empty when it does.
[[nodiscard]] std::string refuse_request(const OpenRun& request);
// Why this target is refused, with the cure; empty when it may be opened. `own_exclusive`: we hold
// it exclusively ourselves, so that an exclusive open of the judge's own must have failed.
[[nodiscard]] std::string refuse_target(const TargetFacts& facts, const OpenRun& request,
                                        const Settings& settings, bool own_exclusive);

// What facts_of says of a device that somebody (maybe ourselves) opened with O_EXCL.
inline constexpr const char* exclusive_use = "opened exclusively";

}  // namespace iobenchd::launcher
