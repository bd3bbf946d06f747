// Numbers as people write them, for sentences that get pasted into mails: what model/quantity
// doesn't know. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/model/load.h"
#include "daemon/model/sweep.h"

namespace iobenchd::analysis {

[[nodiscard]] std::string decimal(double value, int digits);  // "3.20"
[[nodiscard]] std::string count(double value);                // "121 318"
[[nodiscard]] std::string percent(double share);              // 0.732: "73 %"; 0.004: "0.4 %"
[[nodiscard]] std::string block_size(std::uint32_t bytes);    // "4k", as fio says it
[[nodiscard]] std::string plural(std::uint64_t n, std::string_view noun);  // "1 job", "8 jobs"
[[nodiscard]] std::string capitalised(std::string text);
[[nodiscard]] std::string lowered(std::string text);
// "reads" and "writes" of an Rw that has only one of them; else its fio name.
[[nodiscard]] std::string direction(Rw rw);

// "6 to 8 jobs", "depth 4", "16k to 64k blocks".
[[nodiscard]] std::string amount(std::string_view axis, std::uint32_t low, std::uint32_t high);
// A place on an axis, without the noun where it is clear: "32", "64k".
[[nodiscard]] std::string place(std::string_view axis, std::uint32_t n);
// What "more" is along an axis: "More jobs", "More depth", "Larger blocks".
[[nodiscard]] std::string more(std::string_view axis);
// What rises along an axis: IOPS, or bandwidth along block sizes.
[[nodiscard]] std::string throughput(std::string_view axis);

// A setting in a few words: "randread 4k, depth 32, 8 jobs".
[[nodiscard]] std::string setting_label(const Setting& setting);

}  // namespace iobenchd::analysis
