// The daemon's own test files: "iobenchd-<uuid>.0", ".1", ... in the scratch directory. Functions
// of the file system; safe from any thread as long as two don't work on one sweep's files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iobenchd::scheduler {

inline constexpr std::string_view scratch_prefix = "iobenchd-";

[[nodiscard]] std::string scratch_name(const std::string& uuid);
// The uuids of the sweeps that have files there, each once.
[[nodiscard]] std::vector<std::string> scratch_uuids(const std::string& directory);
// Removes every file of one sweep. Returns what could not be removed and why; empty: all is gone.
[[nodiscard]] std::string remove_scratch(const std::string& directory, const std::string& uuid);

}  // namespace iobenchd::scheduler
