// The article's table in Markdown, with what must be known to believe it.
#include "api/exports.h"
#include "api/text_table.h"
#include "api/text_values.h"

namespace iobenchd::api {

namespace {

// People's text in Markdown: what would be markup is escaped, and a line stays a line.
std::string plain(const std::string& text) {
  static constexpr std::string_view markup = "\\`*_{}[]<>#|~";
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (markup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string header() {
  return "| rw | bs | iodepth | jobs | MiB/s | IOPS | 95 % | mean µs | p99 µs | note |\n"
         "|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|\n";
}

std::string row_of(const Point& point) {
  const Setting& setting = point.setting;
  const bool mean = !point.failed && point.has_latency;
  std::string row = "| " + std::string(to_string(setting.rw)) + " | " +
                    block_text(setting.block_bytes) + " | " + std::to_string(setting.iodepth) +
                    " | " + std::to_string(setting.numjobs) + " | ";
  row += (point.failed ? "-" : decimal_text(point.bandwidth_bytes_per_s / bytes_per_mib)) + " | ";
  row += (point.failed ? "-" : whole_text(point.iops)) + " | ";
  row += half_width_text(point) + " | ";
  row += (mean ? decimal_text(point.latency_mean_ns / ns_per_us) : std::string("-")) + " | ";
  row += percentile_text(point, point.latency_p99_ns) + " | ";
  return row + note_text(point) + " |\n";
}

std::string table(const SweepResult& result, const std::vector<std::size_t>& points) {
  std::string text = header();
  for (const std::size_t index : points) {
    if (index < result.points.size()) text += row_of(result.points[index]);
  }
  return text + "\n";
}

std::string doubts(const std::vector<Verdict>& warnings) {
  std::string text;
  for (const Verdict& doubt : warnings) {
    text += "- **" + plain(doubt.name) + "** (" + std::string(to_string(doubt.severity)) +
            "): " + plain(doubt.sentence) + "\n";
  }
  return text.empty() ? "" : "## Doubts\n\n" + text + "\n";
}

}  // namespace

std::string export_markdown(const Exported& exported) {
  const SweepResult& result = exported.result;
  std::string text = "# " + plain(title_of(exported.sweep)) + "\n\n";
  text += "**" + plain(answer_of(exported)) + "**\n\n";
  if (!exported.sweep.error.empty()) text += "Error: " + plain(exported.sweep.error) + "\n\n";
  for (const Curve& curve : result.curves) {
    text += "## " + plain(curve_heading(curve)) + "\n\n" + table(result, curve.points);
    const std::string sentence = curve_sentence(curve);
    if (result.curves.size() > 1 && !sentence.empty()) text += plain(sentence) + "\n\n";
  }
  const std::vector<std::size_t> lone = lone_points(result);
  if (!lone.empty()) text += "## Points\n\n" + table(result, lone);
  text += doubts(result.warnings);
  text += "## How it was measured\n\n";
  for (const auto& [name, fact] : facts_of(exported)) {
    text += "- " + name + ": " + plain(fact) + "\n";
  }
  return text;
}

}  // namespace iobenchd::api
