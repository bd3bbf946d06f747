// What others measured -> a sweep with its runs. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

inline constexpr std::size_t import_runs_most = 1000;
inline constexpr std::size_t import_text_most = 200;  // bytes of a name, a host, a target

// What the file itself doesn't say.
struct ImportFacts {
  std::optional<std::uint32_t> block_bytes;  // none: 4096
  std::optional<std::uint32_t> iodepth;      // none: what a table's notes say, else 1
  std::optional<std::uint32_t> numjobs;      // of fio's terse output alone
  std::optional<Rw> rw;                      // the same
  std::optional<IoEngine> ioengine;          // none: unknown
  std::string os, target, host, label;       // empty: unknown
  std::string model, serial;                 // of the disk; the same
};

struct ImportedTable {
  Sweep sweep;
  std::vector<Run> runs;
};

// Columns rw, numjobs, iops and any of bandwidth_mib_per_s, latency_mean_us, note, in any order.
// Throws Error{invalid} with every wrong cell: its line, its column and the reason.
[[nodiscard]] ImportedTable parse_import(std::string_view csv, const ImportFacts& facts);

// What every import ends in: repeats counted, the runs completed by `facts`, a sweep around them
// that asks for their settings. Expects settings, states, figures and engines; a run that knows its
// own host, target or times keeps them.
[[nodiscard]] ImportedTable finish_import(std::vector<Run> runs, const ImportFacts& facts,
                                          std::string notes);
// One line more, as long as there is room for it.
void append_note(std::string& notes, const std::string& line);

}  // namespace iobenchd::api
