// What went wrong, in the one shape that leaves the engine. Safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "daemon/model/frame.h"

namespace iobenchd::engine {

[[nodiscard]] FailureBody make_failure(std::string_view operation, int error_number,
                                       std::uint64_t offset_bytes, std::string_view text) noexcept;

// What a person can do about an errno of a transfer.
[[nodiscard]] const char* cure(int error_number) noexcept;
// The same of an fsync.
[[nodiscard]] const char* cure_of_sync(int error_number) noexcept;

}  // namespace iobenchd::engine
