// Comparisons for people with a terminal: the table, what it comes to, and what doesn't match.
#include "api/render_compare.h"
#include "api/text_table.h"
#include "daemon/analysis/wording.h"

namespace iobenchd::api {

namespace {

constexpr const char* absent = "-";

// "Base: sweep 3, "quiet night", /dev/sd1c, CT1000P3PSSD8"
std::string side_text(const std::string& role, const ComparedSide& side) {
  const bool shipped = side.uuid.empty();
  std::string text = role + ": " + (shipped ? side.id : "sweep " + side.id);
  if (!side.label.empty()) text += ", \"" + side.label + "\"";
  for (const std::string* part : {&side.host, &side.os, &side.target, &side.model}) {
    if (!part->empty()) text += ", " + *part;
  }
  return text + "\n";
}

void append_setting(TextRow& row, const Setting& setting) {
  row.push_back(std::string(to_string(setting.rw)));
  row.push_back(block_text(setting.block_bytes));
  row.push_back(std::to_string(setting.iodepth));
  row.push_back(std::to_string(setting.numjobs));
}

std::string ratio_text(const std::optional<analysis::FigurePair>& figure) {
  return figure ? analysis::decimal(figure->comparison.ratio, 2) : absent;
}

std::string interval_text(const std::optional<analysis::FigurePair>& figure) {
  if (!figure || !figure->comparison.ci95) return absent;
  const auto& [low, high] = *figure->comparison.ci95;
  return analysis::decimal(low, 2) + " to " + analysis::decimal(high, 2);
}

std::string change_text(const std::optional<analysis::FigurePair>& figure) {
  if (!figure) return absent;
  std::string text(to_string(figure->comparison.change));
  for (char& c : text) {
    if (c == '_') c = ' ';
  }
  return text;
}

std::string pairs_text(const ComparedSide& base, const ComparedSide& with,
                       const analysis::SweepComparison& found) {
  std::vector<TextRow> rows{{"rw", "bs", "iodepth", "numjobs", "base IOPS", "IOPS", "ratio", "95 %",
                             "mean latency", "p99 latency", "change"}};
  for (const analysis::PointPair& pair : found.points) {
    const Point& one = base.sweep.result.points[pair.base];
    const Point& other = with.sweep.result.points[pair.with];
    TextRow row;
    append_setting(row, one.setting);
    if (other.setting.block_bytes != one.setting.block_bytes)
      row[1] += " / " + block_text(other.setting.block_bytes);
    if (other.setting.iodepth != one.setting.iodepth)
      row[2] += " / " + std::to_string(other.setting.iodepth);
    row.push_back(whole_text(one.iops));
    row.push_back(whole_text(other.iops));
    row.push_back(ratio_text(pair.iops));
    row.push_back(interval_text(pair.iops));
    row.push_back(ratio_text(pair.latency_mean_ns));
    row.push_back(ratio_text(pair.latency_p99_ns));
    row.push_back(change_text(pair.iops));
    rows.push_back(std::move(row));
  }
  return rows.size() == 1 ? "" : table_text(rows) + "\n";
}

std::string lines_text(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

std::string iops_or_absent(const std::optional<double>& value) {
  return value ? whole_text(*value) : absent;
}

}  // namespace

std::string comparison_text(const ComparedSide& base, const ComparedSide& with,
                            const analysis::SweepComparison& found) {
  std::string text = side_text("Base", base) + side_text("With", with) + "\n" +
                     pairs_text(base, with, found) + lines_text(found.summary);
  if (found.mismatches.empty()) return text;
  text += "\nWhat doesn't match:\n";
  for (const analysis::Mismatch& mismatch : found.mismatches) text += mismatch.sentence + "\n";
  return text;
}

std::string model_comparison_text(const ModelComparison& found) {
  std::string text = side_text("With", found.with) + "\n";
  std::vector<TextRow> rows{{"rw", "bs", "iodepth", "numjobs", "IOPS", "sweeps", "lowest", "median",
                             "highest", "faster than"}};
  for (const analysis::Standing& standing : found.standings.points) {
    const Point& point = found.with.sweep.result.points[standing.point];
    TextRow row;
    append_setting(row, point.setting);
    row.push_back(whole_text(point.iops));
    row.push_back(std::to_string(standing.earlier_sweeps));
    row.push_back(iops_or_absent(standing.low));
    row.push_back(iops_or_absent(standing.median_iops));
    row.push_back(iops_or_absent(standing.high));
    row.push_back(standing.percentile ? analysis::percent(*standing.percentile / 100) : absent);
    rows.push_back(std::move(row));
  }
  if (rows.size() > 1) text += table_text(rows) + "\n";
  return text + lines_text(found.standings.summary);
}

}  // namespace iobenchd::api
