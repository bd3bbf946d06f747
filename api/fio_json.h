// fio's JSON (--output-format=json and json+, fio 3) -> a sweep. Pure; safe from any thread.
#pragma once

#include <string_view>

#include "api/imports.h"

namespace iobenchd::api {

// Several documents, one behind the other, with fio's warnings between them, make one sweep.
// Throws Error{invalid}: with line and column where it isn't JSON, else with document, job, field
// and reason of everything that is wrong.
[[nodiscard]] ImportedTable parse_fio_json(std::string_view text, const ImportFacts& facts);

}  // namespace iobenchd::api
