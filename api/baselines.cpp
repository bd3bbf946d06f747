#include "api/baselines.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "api/answers.h"
#include "api/csv.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/render_compare.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t rows_most = 1000;
constexpr double megabyte = 1e6;  // as the mail of 2017 counts, not 2^20
constexpr std::uint32_t kib = 1024;

std::string_view cell(const CsvTable& table, const CsvRow& row, std::string_view column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  if (found == table.columns.end()) {
    throw Error(ErrorCode::invalid, std::string(column), "this column is missing in the header");
  }
  return row.cells[static_cast<std::size_t>(found - table.columns.begin())];
}

std::uint32_t whole(const CsvTable& table, const CsvRow& row, std::string_view column) {
  const std::string_view text = cell(table, row, column);
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || value == 0) {
    throw Error(ErrorCode::invalid, "line " + std::to_string(row.line),
                "must be a whole number above 0: " + std::string(column));
  }
  return value;
}

// None: another device's row, or one without a figure.
std::optional<Run> read_row(const CsvTable& table, const CsvRow& row, std::string_view device) {
  if (cell(table, row, "device") != device) return std::nullopt;
  if (cell(table, row, "total_mb_per_s").empty()) return std::nullopt;
  const auto rw = parse_rw(cell(table, row, "pattern"));
  if (!rw) throw Error(ErrorCode::invalid, "line " + std::to_string(row.line), "no such pattern");
  Run run;
  run.state = RunState::done;
  run.imported_figures = true;
  run.setting = {*rw, whole(table, row, "block_kib") * kib, 1, whole(table, row, "threads")};
  run.imported.bandwidth_bytes_per_s = whole(table, row, "total_mb_per_s") * megabyte;
  run.imported.iops = run.imported.bandwidth_bytes_per_s / run.setting.block_bytes;
  run.measurement.ioengine = IoEngine::automatic;
  run.circumstances.os = "OpenBSD 6.0";
  run.circumstances.target = device;
  run.circumstances.model = "Samsung 850 Pro 256 GB";
  return run;
}

template <typename T>
void keep_distinct(std::vector<T>& values, T value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

SweepSpec spec_of(const std::vector<Run>& runs, std::string_view device) {
  SweepSpec spec;
  spec.target = device;
  spec.numjobs_auto = false;
  spec.rw.clear();
  spec.bs.clear();
  spec.runtime_ns = spec.ramp_time_ns = 0;  // not published
  for (const Run& run : runs) {
    keep_distinct(spec.rw, run.setting.rw);
    keep_distinct(spec.bs, run.setting.block_bytes);
    keep_distinct(spec.numjobs, run.setting.numjobs);
  }
  std::sort(spec.bs.begin(), spec.bs.end());
  std::sort(spec.numjobs.begin(), spec.numjobs.end());
  return spec;
}

void analyse(Baseline& baseline) {
  baseline.table.sweep.spec.label = baseline.title;
  baseline.result = analysis::analyse(baseline.table.sweep.spec, baseline.table.runs);
  // There is nothing to look up under them.
  for (Point& point : baseline.result.points) point.run_ids.clear();
  baseline.table.sweep.answer = baseline.result.answer;
}

Baseline openbsd77() {
  ImportFacts facts;
  facts.os = "OpenBSD 7.7-current GENERIC.MP amd64";
  Baseline baseline;
  baseline.id = "baseline:openbsd77-2025";
  baseline.title = "OpenBSD 7.7, 2025: random reads and writes, 1 to 32 jobs";
  baseline.name = baseline.short_name = "OpenBSD 7.7's table of 2025";
  baseline.source =
      "\"OpenBSD IO Benchmarking: How Many Jobs Are Worth It?\", R. Sadowski, May 2025";
  baseline.hardware = "Crucial P3 Plus 1 TB NVMe PCIe 4.0 x4 QLC (CT1000P3PSSD8)";
  baseline.os = facts.os;
  baseline.unknown = {"I/O engine", "direct I/O",        "CPU",
                      "memory",     "number of repeats", "latency percentiles"};
  baseline.table = parse_import(openbsd77_2025_csv(), facts);
  for (Run& run : baseline.table.runs) run.circumstances.model = "CT1000P3PSSD8";
  baseline.table.sweep.plan.size_bytes = std::uint64_t{64} << 30;  // "64 GB" as fio takes it
  analyse(baseline);
  return baseline;
}

Baseline openbsd60(std::string_view device, const std::string& kind) {
  Baseline baseline;
  baseline.id = "baseline:openbsd60-2017-" + kind;
  baseline.title =
      "OpenBSD 6.0, 2017: reads of the " + kind + " device (" + std::string(device) + ")";
  baseline.name = "OpenBSD 6.0's " + kind + " device";
  baseline.short_name = "the " + kind + " device";
  baseline.source = "misc@openbsd.org, February 2017, \"Mikael\"";
  baseline.hardware = "3.3 GHz Xeon E3, Samsung 850 Pro 256 GB SATA SSD";
  baseline.os = "OpenBSD 6.0";
  baseline.unknown = {"measuring program", "I/O engine", "size of what was read", "runtime",
                      "latency",           "memory",     "number of repeats"};
  baseline.table = parse_openbsd60(openbsd60_2017_csv(), device);
  analyse(baseline);
  return baseline;
}

}  // namespace

ImportedTable parse_openbsd60(std::string_view csv, std::string_view device) {
  const CsvTable table = parse_csv(csv, rows_most);
  ImportedTable result;
  for (const CsvRow& row : table.rows) {
    if (auto run = read_row(table, row, device)) result.runs.push_back(*std::move(run));
  }
  Sweep& sweep = result.sweep;
  sweep.state = SweepState::done;
  sweep.origin = Origin::imported;
  sweep.spec = spec_of(result.runs, device);
  sweep.runs_done = sweep.plan.runs = static_cast<std::uint32_t>(result.runs.size());
  sweep.plan.target = device;
  for (const std::string& note : table.notes) sweep.notes += note + "\n";
  for (const Run& run : result.runs) sweep.plan.settings.push_back(run.setting);
  return result;
}

std::span<const Baseline> baselines() {
  static const std::vector<Baseline> all{openbsd77(), openbsd60("rsd0c", "raw"),
                                         openbsd60("sd0c", "block")};
  return all;
}

const Baseline* find_baseline(std::string_view id) {
  for (const Baseline& baseline : baselines()) {
    if (baseline.id == id) return &baseline;
  }
  return nullptr;
}

// A list like every other, but never so long that it needs a second page.
Response list_baselines(const Context& /*context*/, const Request& request) {
  QueryReader(request, {}).finish();
  Json body;
  body["items"] = Json::array();
  for (const Baseline& baseline : baselines()) body["items"].push_back(render_baseline(baseline));
  body["next_cursor"] = nullptr;
  return json_answer(200, body);
}

}  // namespace iobenchd::api
