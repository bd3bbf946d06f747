// The published tables that ship with the program, as the same nouns that an import makes; none of
// them is in the database. Immutable after the first call; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/imports.h"
#include "daemon/model/curve.h"

namespace iobenchd::api {

inline constexpr std::string_view baseline_prefix = "baseline:";

struct Baseline {
  std::string id;          // "baseline:openbsd60-2017-raw"
  std::string title;       // for a list
  std::string name;        // in a sentence: "OpenBSD 6.0's raw device"
  std::string short_name;  // beside others of its source: "the raw device"
  std::string source;      // who published it, where and when
  std::string hardware, os;
  std::vector<std::string> unknown;  // what wasn't published
  ImportedTable table;
  SweepResult result;  // as a sweep has it; no run of it is in the database
};

[[nodiscard]] std::span<const Baseline> baselines();
[[nodiscard]] const Baseline* find_baseline(std::string_view id);

// One device ("rsd0c", "sd0c") of the table of 2017: columns device, pattern, threads, block_kib
// and total_mb_per_s, where MB is 10^6 bytes and an empty cell wasn't published. Throws
// Error{invalid}.
[[nodiscard]] ImportedTable parse_openbsd60(std::string_view csv, std::string_view device);

// storage/baselines, byte for byte.
[[nodiscard]] std::string_view openbsd77_2025_csv() noexcept;
[[nodiscard]] std::string_view openbsd60_2017_csv() noexcept;

}  // namespace iobenchd::api
