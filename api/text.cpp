// The table, the sentence and the doubts, for people with a terminal.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "api/render.h"
#include "api/text_table.h"
#include "api/text_values.h"
#include "daemon/model/clock.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

using Row = TextRow;

constexpr std::string_view absent = "-";

std::string p99_text(const std::optional<DirectionFigures>& figures) {
  if (!figures || figures->latency_p99_ns == 0) return std::string(absent);
  return decimal_text(static_cast<double>(figures->latency_p99_ns) / ns_per_us);
}

// What a table has beside its usual columns.
struct Extras {
  bool intervals = false;   // points were measured more than once
  bool directions = false;  // a mixed workload: both apart, behind what they are together
  bool fsyncs = false;
};

void consider(Extras& extras, const Point& point) {
  extras.intervals = extras.intervals || point.iops_ci95;
  extras.directions = extras.directions || mixed(point.setting.rw);
  extras.fsyncs = extras.fsyncs || point.fsync;
}

void append_directions(Row& row, const Point& point) {
  const std::string none(absent);
  row.push_back(point.read ? whole_text(point.read->iops) : none);
  row.push_back(point.write ? whole_text(point.write->iops) : none);
  row.push_back(p99_text(point.read));
  row.push_back(p99_text(point.write));
}

// What every table shows of a point behind the columns that name it.
void append_figures(Row& row, const Point& point, const Extras& extras) {
  const bool mean = !point.failed && point.has_latency;
  const bool percentiles = mean && point.has_percentiles && point.latency_p99_ns > 0;
  const std::string none(absent);
  row.push_back(point.failed ? none : decimal_text(point.bandwidth_bytes_per_s / bytes_per_mib));
  row.push_back(point.failed ? none : whole_text(point.iops));
  if (extras.intervals) row.push_back(half_width_text(point));
  row.push_back(mean ? decimal_text(point.latency_mean_ns / ns_per_us) : none);
  row.push_back(percentiles ? decimal_text(static_cast<double>(point.latency_p99_ns) / ns_per_us)
                            : none);
  if (extras.directions) append_directions(row, point);
  if (extras.fsyncs) row.push_back(p99_text(point.fsync));
  row.push_back(note_text(point));
}

void append_figure_names(Row& row, const Extras& extras) {
  for (const char* name : {"MiB/s", "IOPS"}) row.emplace_back(name);
  if (extras.intervals) row.emplace_back("95 %");
  for (const char* name : {"mean µs", "p99 µs"}) row.emplace_back(name);
  if (extras.directions) {
    for (const char* name : {"reads/s", "writes/s", "read p99 µs", "write p99 µs"})
      row.emplace_back(name);
  }
  if (extras.fsyncs) row.emplace_back("fsync p99 µs");
  row.emplace_back("note");
}

std::string curve_text(const Curve& curve, const std::vector<Point>& points, bool with_sentence) {
  std::vector<Row> rows{{curve.axis}};
  Extras extras;
  for (const std::size_t index : curve.points) {
    if (index < points.size()) consider(extras, points[index]);
  }
  append_figure_names(rows.front(), extras);
  for (const std::size_t index : curve.points) {
    if (index >= points.size()) continue;
    Row row{axis_value(curve.axis, points[index].setting)};
    append_figures(row, points[index], extras);
    rows.push_back(std::move(row));
  }
  std::string text = curve_heading(curve) + "\n" + table_text(rows);
  if (with_sentence && curve.sweet_spot) text += curve.sweet_spot->sentence + "\n";
  if (with_sentence && curve.no_sweet_spot) text += curve.no_sweet_spot->sentence + "\n";
  return text + "\n";
}

// Points that lie on no curve, with everything that names them.
std::string lone_points_text(const SweepResult& result) {
  const std::vector<std::size_t> lone = lone_points(result);
  std::vector<Row> rows{{"rw", "bs", "iodepth", "numjobs"}};
  Extras extras;
  for (const std::size_t i : lone) consider(extras, result.points[i]);
  append_figure_names(rows.front(), extras);
  for (const std::size_t i : lone) {
    const Setting& setting = result.points[i].setting;
    Row row{std::string(to_string(setting.rw)), block_text(setting.block_bytes),
            std::to_string(setting.iodepth), std::to_string(setting.numjobs)};
    append_figures(row, result.points[i], extras);
    rows.push_back(std::move(row));
  }
  return rows.size() == 1 ? "" : table_text(rows) + "\n";
}

// One line, the worst first. "Remarks:" in it says where the doubts end: a number is no worse for
// them.
std::string doubts_text(const std::vector<Verdict>& warnings) {
  const std::string invalid = sentences(warnings, Severity::invalid);
  const std::string caution = sentences(warnings, Severity::caution);
  const std::string info = sentences(warnings, Severity::info);
  std::string line;
  if (!invalid.empty()) line = "Doubts (don't use these numbers):" + invalid + caution;
  if (invalid.empty() && !caution.empty()) line = "Doubts:" + caution;
  if (!info.empty()) line += std::string(line.empty() ? "" : " ") + "Remarks:" + info;
  return line.empty() ? "" : line + "\n";
}

std::string title_text(const Sweep& sweep) {
  std::string text =
      "Sweep " + std::to_string(sweep.id) + ", " + std::string(to_string(sweep.state));
  if (!sweep.spec.label.empty()) text += ", \"" + sweep.spec.label + "\"";
  if (!sweep.plan.target.empty()) text += ", " + sweep.plan.target;
  if (sweep.plan.size_bytes != 0) text += ", " + size_text(sweep.plan.size_bytes);
  if (!sweep.plan.ioengine.empty()) text += ", " + sweep.plan.ioengine;
  const std::string created = rfc3339(sweep.created_at_ns);
  if (!created.empty()) text += ", asked " + created;
  return text + "\n\n";
}

}  // namespace

std::string render_text(const Sweep& sweep, const SweepResult& result) {
  std::string text = title_text(sweep);
  const bool several = result.curves.size() > 1;
  for (const Curve& curve : result.curves) text += curve_text(curve, result.points, several);
  text += lone_points_text(result);
  const bool waits = sweep.state == SweepState::queued || sweep.state == SweepState::running;
  if (result.points.empty())
    text += waits ? "Nothing is measured yet.\n" : "No point was measured to its end.\n";
  if (!result.answer.empty()) text += result.answer + "\n";
  text += doubts_text(result.warnings);
  if (!sweep.error.empty()) text += "Error: " + sweep.error + "\n";
  return text;
}

std::string render_progress_line(const Progress& progress) {
  std::string text(to_string(progress.phase));
  if (progress.phase == SweepPhase::layout && progress.layout_total_bytes != 0) {
    text += " " + size_text(progress.layout_done_bytes) + " of " +
            size_text(progress.layout_total_bytes);
  } else if (progress.runs_total != 0) {
    const std::uint32_t run = std::min(progress.runs_done + 1, progress.runs_total);
    text += ", run " + std::to_string(run) + " of at most " + std::to_string(progress.runs_total);
  }
  if (progress.has_current) {
    const Setting& current = progress.current;
    text += ", " + std::string(to_string(current.rw)) + " " + block_text(current.block_bytes) +
            ", iodepth " + std::to_string(current.iodepth) + ", numjobs " +
            std::to_string(current.numjobs);
    if (progress.iops > 0) {
      text += ": " + count_text(static_cast<std::uint64_t>(std::llround(progress.iops))) +
              " IOPS, " + latency_text(progress.latency_mean_ns);
    }
  }
  if (progress.eta_s > 0) text += "; " + time_text(std::ceil(progress.eta_s)) + " left";
  return text + "\n";
}

}  // namespace iobenchd::api
