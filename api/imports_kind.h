// What was posted to /imports: by its content type, and where that leaves a choice, by its shape.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace iobenchd::api {

enum class ImportKind : std::uint8_t { csv, own_export, fio_json, fio_terse };

// Throws Error{invalid}: none of them, with what would have been taken.
[[nodiscard]] ImportKind imports_kind(std::string_view content_type, std::string_view body);

}  // namespace iobenchd::api
