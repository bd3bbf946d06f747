// Small values as JSON has them: what isn't known, not finite or not yet is null. Pure; safe from
// any thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/model/clock.h"
#include "daemon/model/sweep.h"
#include "daemon/model/verdict.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <typename T>
[[nodiscard]] Json known(bool is_known, T value) {
  if (!is_known) return nullptr;
  if constexpr (std::is_floating_point_v<T>) return number(value);
  return value;
}

// latency_min_ns to latency_max_ns of a run, a point or a direction. What a source didn't print is
// 0 below a minimum that is more.
template <typename Source>
void add_percentiles(Json& to, bool is_known, const Source& from) {
  const auto printed = [&](std::uint64_t percentile_ns) {
    return known(is_known && (percentile_ns > 0 || from.latency_min_ns == 0), percentile_ns);
  };
  to["latency_min_ns"] = known(is_known, from.latency_min_ns);
  to["latency_p50_ns"] = printed(from.latency_p50_ns);
  to["latency_p90_ns"] = printed(from.latency_p90_ns);
  to["latency_p99_ns"] = printed(from.latency_p99_ns);
  to["latency_p99_9_ns"] = printed(from.latency_p99_9_ns);
  to["latency_p99_99_ns"] = printed(from.latency_p99_99_ns);
  to["latency_max_ns"] = known(is_known, from.latency_max_ns);
}

[[nodiscard]] inline Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

[[nodiscard]] inline Json time_or_null(std::int64_t wall_ns) {
  return text_or_null(rfc3339(wall_ns));
}

// Seconds, whole where they are: 3, 0.5.
[[nodiscard]] inline Json seconds(std::uint64_t ns) {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  if (ns % second_ns == 0) return ns / second_ns;
  return static_cast<double>(ns) / static_cast<double>(second_ns);
}

// rw, bs, iodepth, numjobs: the four members that name a setting wherever one stands.
inline void add_setting(Json& to, const Setting& setting) {
  to["rw"] = to_string(setting.rw);
  to["bs"] = setting.block_bytes;
  to["iodepth"] = setting.iodepth;
  to["numjobs"] = setting.numjobs;
}

[[nodiscard]] inline Json render_setting(const Setting& setting) {
  Json json;
  add_setting(json, setting);
  return json;
}

[[nodiscard]] inline Json render_verdicts(std::span<const Verdict> verdicts) {
  Json list = Json::array();
  for (const Verdict& verdict : verdicts) {
    list.push_back({{"name", verdict.name},
                    {"severity", to_string(verdict.severity)},
                    {"sentence", verdict.sentence}});
  }
  return list;
}

}  // namespace iobenchd::api
