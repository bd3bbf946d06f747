// A history for people with a terminal: a line a sweep, what changed beside it, the verdict below.
#include <algorithm>
#include <array>
#include <cmath>

#include "api/render_history.h"
#include "daemon/analysis/wording.h"
#include "daemon/model/clock.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

constexpr std::string_view absent = "-";
constexpr std::size_t columns = 4;  // time, IOPS, mean latency, host; what changed stands behind

using Cells = std::array<std::string, columns>;
struct Line {
  Cells cells;
  std::string remark;
};

// "disk S1, randread 4k, 8 jobs, io_uring, direct, 4 GiB to 8 GiB"
std::string heading(const Identity& identity) {
  std::string text = identity.serial.empty() ? identity.target : "disk " + identity.serial;
  if (!identity.host.empty()) text += " of " + identity.host;
  text += ", " + analysis::setting_label(identity.setting);
  if (identity.ioengine != IoEngine::automatic)
    text += ", " + std::string(to_string(identity.ioengine));
  text += identity.direct ? ", direct" : ", not direct";
  if (identity.size_class > 0 && identity.size_class < 63) {
    const std::uint64_t least = std::uint64_t{1} << identity.size_class;
    text += ", " + size_text(least) + " to " + size_text(2 * least);
  }
  if (!identity.workload.empty()) text += ", " + identity.workload;
  return text + "\n";
}

// To the second: "2026-11-30T09:13:50Z".
std::string time_cell(std::int64_t wall_ns) {
  constexpr std::size_t to_seconds = 19;
  const std::string text = rfc3339(wall_ns);
  return text.empty() ? std::string(absent) : text.substr(0, to_seconds) + "Z";
}

Cells cells_of(const Series& series, const analysis::HistoryPoint& point) {
  const std::string none(absent);
  const bool has_host = point.circumstances < series.circumstances.size();
  const std::string host = has_host ? series.circumstances[point.circumstances].host : "";
  return {time_cell(point.started_at_ns),
          std::isfinite(point.iops) ? analysis::count(point.iops) : none,
          point.latency_mean_ns > 0 ? latency_text(point.latency_mean_ns) : none,
          host.empty() ? none : host};
}

void add_remark(Line& line, const std::string& remark) {
  line.remark += (line.remark.empty() ? "" : " ") + remark;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string table(const std::vector<Line>& lines) {
  std::array<std::size_t, columns> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < columns; ++i)
      widths[i] = std::max(widths[i], width_of(line.cells[i]));
  }
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string room(widths[i] - width_of(line.cells[i]), ' ');
      const bool left = i == 0 || i == columns - 1;
      row += "  " + (left ? line.cells[i] + room : room + line.cells[i]);
    }
    if (!line.remark.empty()) row += "  " + line.remark;
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace

std::string render_series_text(const Series& series, const analysis::History& history,
                               std::int64_t since_ns) {
  std::vector<Line> lines;
  lines.reserve(history.points.size());
  for (const analysis::HistoryPoint& point : history.points) {
    lines.push_back({cells_of(series, point), point.pinned ? "Pinned." : ""});
  }
  for (const analysis::ChangePoint& change : history.changes.found)
    add_remark(lines[change.at], analysis::change_sentence(change));
  for (const analysis::Mark& mark : history.marks)
    add_remark(lines[mark.at], mark.field + ": " + mark.from + " -> " + mark.to + ".");
  std::size_t hidden = 0;
  while (hidden < lines.size() && history.points[hidden].started_at_ns < since_ns) ++hidden;
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(hidden));
  lines.insert(lines.begin(), Line{{"time", "IOPS", "mean", "host"}, ""});
  std::string text = heading(series.identity) + table(lines);
  if (history.newest) text += history.newest->sentence + "\n";
  return text;
}

}  // namespace iobenchd::api
