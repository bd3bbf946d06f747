// JSON -> model. Collects every wrong field before it throws one Error{invalid}. Pure; safe from
// any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/model/sweep.h"

namespace iobenchd::api {

class FieldReader;

// A POST body: the preset's values, then `defaults_json` (the configuration's), then the body's
// own. A default of the configuration that can't apply to this sweep is left out (fsync and verify
// where it only reads, hipri without io_uring or beside fsync, layout of a target). An empty body
// is the default sweep. A document that isn't JSON throws Error{invalid} without fields (400); a
// wrong field throws with fields (422).
[[nodiscard]] SweepSpec parse_sweep(std::string_view body, std::string_view defaults_json);
// The same, where it is a member of another document.
[[nodiscard]] SweepSpec parse_sweep_object(const nlohmann::ordered_json& fields,
                                           std::string_view defaults_json);
// The configuration's `defaults`: the same fields, checked the same way. What only some sweeps can
// have may be among them.
[[nodiscard]] SweepSpec parse_defaults(const nlohmann::ordered_json& fields);

// What a sweep that is over had been asked, as render_spec shows it: read with the same bounds but
// not judged, because nobody asks for it again. What is wrong is collected in the reader.
void read_recorded_spec(FieldReader& fields, SweepSpec& spec);

// What PATCH /sweeps/{id} may change.
struct SweepPatch {
  std::optional<std::string> label, notes;
  std::optional<bool> pinned;
};
[[nodiscard]] SweepPatch parse_patch(std::string_view body);

// Every field a POST body may have.
[[nodiscard]] std::span<const std::string_view> sweep_field_names() noexcept;

inline constexpr std::size_t label_bytes_most = 200;
inline constexpr std::size_t notes_bytes_most = 4000;

}  // namespace iobenchd::api
