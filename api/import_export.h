// Our own export on its way back: the same sweep, with its uuid, runs, histograms and samples.
// Pure; safe from any thread.
#pragma once

#include <nlohmann/json.hpp>

#include "api/imports.h"

namespace iobenchd::api {

// Throws Error{invalid} with every wrong field, or the first fifty of them.
[[nodiscard]] ImportedTable parse_own_export(const nlohmann::ordered_json& document);

}  // namespace iobenchd::api
