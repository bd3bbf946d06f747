// Our own export on its way back: the same sweep, with its uuid, runs, histograms and samples.
// Pure; safe from any thread.
#pragma once

#include <nlohmann/json.hpp>

#include "api/imports.h"

namespace iobenchd::api {

// By its shape: whether this document is one of ours, whatever is in it.
[[nodiscard]] bool is_own_export(const nlohmann::ordered_json& document) noexcept;

// Throws Error{invalid} with every wrong field, or the first fifty of them.
[[nodiscard]] ImportedTable parse_own_export(const nlohmann::ordered_json& document);

}  // namespace iobenchd::api
