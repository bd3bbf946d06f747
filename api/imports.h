// A published table -> a sweep with one run a row. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

// What the table itself doesn't say.
struct ImportFacts {
  std::optional<std::uint32_t> block_bytes;  // none: 4096
  std::optional<std::uint32_t> iodepth;      // none: what the notes say ("iodepth 32"), else 1
  std::optional<IoEngine> ioengine;          // none: unknown
  std::string os, target, host, label;       // empty: unknown
};

struct ImportedTable {
  Sweep sweep;
  std::vector<Run> runs;
};

// Columns rw, numjobs, iops and any of bandwidth_mib_per_s, latency_mean_us, note, in any order.
// Throws Error{invalid} with every wrong cell: its line, its column and the reason.
[[nodiscard]] ImportedTable parse_import(std::string_view csv, const ImportFacts& facts);

}  // namespace iobenchd::api
