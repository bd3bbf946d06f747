// CRC-32C (Castagnoli's polynomial; RFC 3720, section 12.1 and appendix B.4), eight bytes a step:
// what tells a block that was written from one that has changed since. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iobenchd::engine {

[[nodiscard]] std::uint32_t crc32c(const std::byte* data, std::size_t bytes) noexcept;

}  // namespace iobenchd::engine
