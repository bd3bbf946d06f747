// The parts of a run that more than one document shows. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "daemon/model/run.h"

namespace iobenchd::api {

[[nodiscard]] nlohmann::ordered_json render_engine_flags(std::uint32_t flags);
[[nodiscard]] std::optional<std::uint32_t> parse_engine_flag(std::string_view name);
// Pairs [midpoint in ns, count] of the buckets that hold anything, ascending.
[[nodiscard]] nlohmann::ordered_json render_histogram(const Histogram& histogram);
[[nodiscard]] nlohmann::ordered_json render_samples(std::span<const Sample> samples);
[[nodiscard]] nlohmann::ordered_json render_jobs(std::span<const JobFigures> jobs);

}  // namespace iobenchd::api
