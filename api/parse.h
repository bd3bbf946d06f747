// JSON -> model. Collects every wrong field before it throws one Error{invalid}. Pure; safe from
// any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "daemon/model/sweep.h"

namespace iobenchd::api {

// A POST body: the preset's values, then `defaults_json` (the configuration's), then the body's
// own. An empty body is the default sweep. A document that isn't JSON throws Error{invalid} without
// fields (400); a wrong field throws with fields (422).
[[nodiscard]] SweepSpec parse_sweep(std::string_view body, std::string_view defaults_json);
// The configuration's `defaults`: the same fields, checked the same way.
[[nodiscard]] SweepSpec parse_sweep_fields(const nlohmann::ordered_json& fields, SweepSpec base);

}  // namespace iobenchd::api
