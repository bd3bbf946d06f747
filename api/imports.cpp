#include "api/imports.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "api/csv.h"
#include "api/parse.h"
#include "api/parse_fields.h"
#include "daemon/model/error.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t wrong_most = 50;
constexpr double mib = 1024.0 * 1024.0;
// A rounded table is a third of a percent off; a table of another block size is off by factors.
constexpr double bandwidth_tolerance = 0.1;

constexpr std::array<std::string_view, 6> column_names{
    "rw", "numjobs", "bandwidth_mib_per_s", "iops", "latency_mean_us", "note"};
constexpr std::array<std::string_view, 3> needed_columns{"rw", "numjobs", "iops"};

// One table on its way in: reads cells by column name, collects what is wrong.
class TableReader {
 public:
  explicit TableReader(const CsvTable& table) : table_(table) { check_columns(); }

  void refuse(const CsvRow& row, std::string_view column, const std::string& reason) {
    if (wrong_.size() < wrong_most) {
      wrong_.push_back({"line " + std::to_string(row.line) + ", " + std::string(column), reason});
    }
  }

  [[nodiscard]] std::string_view cell(const CsvRow& row, std::string_view column) const {
    const auto found = std::find(table_.columns.begin(), table_.columns.end(), column);
    if (found == table_.columns.end()) return {};
    return row.cells[static_cast<std::size_t>(found - table_.columns.begin())];
  }

  // 0 where the cell is empty: not printed.
  double decimal(const CsvRow& row, std::string_view column, double most) {
    const std::string_view text = cell(row, column);
    if (text.empty()) return 0;
    const auto value = parse_decimal(text);
    if (value && *value > 0 && *value <= most) return *value;
    refuse(row, column, refusal(text, "a number above 0 such as 473.0, without units or commas,"));
    return 0;
  }

  void finish() { throw_if_wrong(std::move(wrong_)); }

 private:
  void check_columns() {
    for (const std::string_view needed : needed_columns) {
      if (std::find(table_.columns.begin(), table_.columns.end(), needed) == table_.columns.end()) {
        wrong_.push_back({std::string(needed), "this column is missing in the header"});
      }
    }
    std::vector<std::string> seen;
    for (const std::string& column : table_.columns) {
      const bool known =
          std::find(column_names.begin(), column_names.end(), column) != column_names.end();
      const bool twice = std::find(seen.begin(), seen.end(), column) != seen.end();
      if (!known) {
        wrong_.push_back({column.substr(0, 60),
                          "unknown column; known are rw, numjobs, bandwidth_mib_per_s, iops, "
                          "latency_mean_us, note"});
      } else if (twice) {
        wrong_.push_back({column, "this column is there twice"});
      }
      seen.push_back(column);
    }
    if (table_.rows.empty()) wrong_.push_back({"", "there are no rows under the header"});
    throw_if_wrong(std::exchange(wrong_, {}));
  }

  const CsvTable& table_;
  std::vector<FieldError> wrong_;
};

// "iodepth 32 asked for" in the notes is as good as a column.
std::uint32_t iodepth_of(const std::vector<std::string>& notes) {
  constexpr std::string_view word = "iodepth ";
  for (const std::string& note : notes) {
    const std::size_t at = note.find(word);
    if (at == std::string::npos) continue;
    std::uint32_t depth = 0;
    const char* first = note.data() + at + word.size();
    const auto parsed = std::from_chars(first, note.data() + note.size(), depth);
    if (parsed.ec == std::errc{} && depth >= 1 && depth <= max_iodepth) return depth;
  }
  return 1;
}

// Bandwidth is IOPS times the block size, in every table there is.
void check_sum(TableReader& reader, const CsvRow& row, const Run::Imported& figures,
               std::uint32_t block_bytes) {
  if (figures.bandwidth_bytes_per_s <= 0 || figures.iops <= 0) return;
  const double blocks = figures.bandwidth_bytes_per_s / figures.iops;
  if (std::abs(blocks / block_bytes - 1) <= bandwidth_tolerance) return;
  std::array<char, 64> implied{};
  std::snprintf(implied.data(), implied.size(), "%.0f", blocks);
  reader.refuse(row, "bandwidth_mib_per_s",
                "bandwidth / iops is " + std::string(implied.data()) +
                    " bytes, but the block size is " + size_text(block_bytes) +
                    "; give the table's own as ?bs=, and check that the unit is MiB/s (2^20)");
}

Run read_row(TableReader& reader, const CsvRow& row, const Setting& common) {
  constexpr double iops_most = 1e12, bandwidth_most = 1e9, latency_most = 1e12;
  Run run;
  run.state = RunState::done;
  run.setting = common;
  const auto rw = parse_rw(reader.cell(row, "rw"));
  if (!rw) {
    reader.refuse(row, "rw", refusal(reader.cell(row, "rw"), "read, write, randread or randwrite"));
  }
  run.setting.rw = rw.value_or(Rw::randread);
  const std::string_view jobs = reader.cell(row, "numjobs");
  std::uint32_t numjobs = 0;
  const auto parsed = std::from_chars(jobs.data(), jobs.data() + jobs.size(), numjobs);
  if (parsed.ec != std::errc{} || parsed.ptr != jobs.data() + jobs.size() || numjobs < 1 ||
      numjobs > max_numjobs) {
    reader.refuse(row, "numjobs", refusal(jobs, whole_range(1, max_numjobs).need));
  }
  run.setting.numjobs = numjobs;
  run.imported.iops = reader.decimal(row, "iops", iops_most);
  if (reader.cell(row, "iops").empty()) reader.refuse(row, "iops", "must not be empty");
  run.imported.bandwidth_bytes_per_s =
      reader.decimal(row, "bandwidth_mib_per_s", bandwidth_most) * mib;
  run.imported.latency_mean_ns = reader.decimal(row, "latency_mean_us", latency_most) * 1000;
  check_sum(reader, row, run.imported, common.block_bytes);
  if (run.imported.bandwidth_bytes_per_s <= 0) {
    run.imported.bandwidth_bytes_per_s = run.imported.iops * common.block_bytes;
  }
  return run;
}

std::string notes_of(const CsvTable& table, const TableReader& reader) {
  std::string notes;
  for (const std::string& note : table.notes) append_note(notes, note);
  for (const CsvRow& row : table.rows) {
    const std::string_view note = reader.cell(row, "note");
    if (note.empty()) continue;
    append_note(notes, std::string(reader.cell(row, "rw")) + " " +
                           std::string(reader.cell(row, "numjobs")) + ": " + std::string(note));
  }
  return notes;
}

}  // namespace

ImportedTable parse_import(std::string_view csv, const ImportFacts& facts) {
  const CsvTable table = parse_csv(csv, import_runs_most);
  TableReader reader(table);
  Setting common;
  common.block_bytes = facts.block_bytes.value_or(4096);
  common.iodepth = facts.iodepth.value_or(iodepth_of(table.notes));
  std::vector<Run> runs;
  for (const CsvRow& row : table.rows) {
    Run& run = runs.emplace_back(read_row(reader, row, common));
    run.measurement.ioengine = facts.ioengine.value_or(IoEngine::automatic);
  }
  reader.finish();
  return finish_import(std::move(runs), facts, notes_of(table, reader));
}

}  // namespace iobenchd::api
