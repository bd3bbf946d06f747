// Names for new things. Safe from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace iobenchd::storage {

// RFC 9562, version 7: milliseconds since 1970, then 74 random bits.
[[nodiscard]] std::string uuid_v7(std::int64_t wall_ns);
// 53 random bits: as many as every reader of JSON keeps exactly.
[[nodiscard]] std::uint64_t random_seed();

}  // namespace iobenchd::storage
