// The tables, and how they became what they are. Owner's thread only, before anyone reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "storage/statement.h"

namespace iobenchd::storage {

[[nodiscard]] std::span<const char* const> migrations() noexcept;

// Brings an open database to version steps.size(), in one transaction. An existing one is copied to
// `<path>.before-v<version>` first. Throws Error{storage_full} when that copy doesn't fit,
// Error{unavailable} when the database is newer.
void migrate(Connection& writer, std::span<const char* const> steps);

}  // namespace iobenchd::storage
