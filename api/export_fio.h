// A sweep in fio's words: its options, and its own JSON with histograms (json+). Pure; safe from
// any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

using FioOption = std::pair<std::string, std::string>;

// "randread-bs4k-iodepth1-numjobs8"
[[nodiscard]] std::string fio_job_name(const Setting& setting);
// What is the same at all points, and what names one. `run`: one of the point's (null: none was
// measured), for what the engine really used.
[[nodiscard]] std::vector<FioOption> fio_common_options(const Sweep& sweep, const Run* run);
[[nodiscard]] std::vector<FioOption> fio_point_options(const Sweep& sweep, const Setting& setting,
                                                       const Run* run);
// What fio can't be told, one sentence each.
[[nodiscard]] std::vector<std::string> without_fio_equivalent(const Sweep& sweep, const Run* run);

// fio's JSON: the head, one entry of "jobs" for each run that is done (drift checks aside), the
// tail. Names and types are those of fio 3.33's json+ with lat_percentiles=1; what isn't known is
// 0, as fio has it.
[[nodiscard]] std::string fio_json_head(const Sweep& sweep, std::string_view program_version);
[[nodiscard]] nlohmann::ordered_json fio_json_job(const Sweep& sweep, const Run& run,
                                                  std::uint32_t group);
inline constexpr std::string_view fio_json_tail = "\n],\n\"disk_util\" : []\n}\n";

}  // namespace iobenchd::api
