// Rows to nouns and back: what the stores share. Columns are read by name. Owner's
// thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/run.h"
#include "daemon/model/sweep.h"
#include "storage/pages.h"
#include "storage/statement.h"

namespace iobenchd::storage {

// Lists as short texts. Parsers throw Error{unavailable}: what we wrote can't be read, so the file
// is damaged.
[[nodiscard]] std::string list_text(const std::vector<std::uint32_t>& numbers);  // "1,2,4"
[[nodiscard]] std::vector<std::uint32_t> parse_numbers(std::string_view text);
[[nodiscard]] std::string list_text(const std::vector<Rw>& values);  // "randread,randwrite"
[[nodiscard]] std::vector<Rw> parse_rws(std::string_view text);
[[nodiscard]] std::string list_text(const std::vector<Setting>& settings);  // "randread/4096/1/8"
[[nodiscard]] std::vector<Setting> parse_settings(std::string_view text);

// The word of an enum, or Error{unavailable} naming the word.
template <typename Parse>
[[nodiscard]] auto word(Statement& row, std::string_view column, Parse parse) {
  const std::string text = row.text(column);
  const auto value = parse(text);
  if (!value) {
    throw Error(ErrorCode::unavailable,
                "the database is damaged: " + std::string(column) + " is \"" + text + "\"");
  }
  return *value;
}

// The columns of a spec, which `sweeps` and `schedules` both have.
void bind_spec(Statement& statement, const SweepSpec& spec);
[[nodiscard]] SweepSpec read_spec(Statement& row);

void insert_sweep(Connection& connection, Sweep& sweep);  // fills in its id
[[nodiscard]] Sweep read_sweep(Statement& row);

// Deletes one that is over, with its runs and what only they needed; `even_pinned`: or leaves it
// alone. False: there is none like that.
[[nodiscard]] bool delete_sweep(Connection& connection, std::int64_t id, bool even_pinned);

// Identical circumstances share one row.
[[nodiscard]] std::int64_t keep_circumstances(Connection& connection,
                                              const Circumstances& circumstances);
[[nodiscard]] Circumstances read_circumstances(Connection& connection, std::int64_t id);
// Deletes it where no run needs it any more.
void drop_circumstances(Connection& connection, std::int64_t id);

// Finds the series a run that has ended belongs to, or begins it; a run that belongs to none stays
// out.
void keep_identity(Connection& connection, std::int64_t run_id);
// Deletes it where no run has it any more.
void drop_identity(Connection& connection, std::int64_t id);

void insert_measurement(Connection& connection, const Run& run);
void read_measurement(Connection& connection, Run& run);  // leaves a run without one alone
// What the source of an imported run printed of each direction.
void insert_printed_figures(Connection& connection, const Run& run);
void read_printed_figures(Connection& connection, Run& run);

// Where a page of runs ended: at that run, or where it was before it went with its sweep.
[[nodiscard]] ListPosition run_position(Connection& connection, std::int64_t before);

[[nodiscard]] RunSummary read_summary(Statement& row);
[[nodiscard]] Setting read_setting(Statement& row);

}  // namespace iobenchd::storage
