// The report: one file that needs no network, no script and no other file, for a mail, a wiki or
// paper. Simple tables and inline SVG; colours are explicit, so that no dark mode spoils them.
#include <array>

#include "api/export_charts.h"
#include "api/exports.h"
#include "api/markup.h"
#include "api/text_table.h"
#include "api/text_values.h"

namespace iobenchd::api {

namespace {

// Well-formed as XML, too: what opens closes.
constexpr std::string_view style = R"css(
html { color-scheme: light; background: #ffffff; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 24px 20px 40px; max-width: 860px; background: #ffffff;
  color: #1f2328; line-height: 1.5;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 17px; font-weight: 600; color: #57606a; margin: 0 0 4px; }
h2 { font-size: 17px; font-weight: 600; margin: 32px 0 8px; }
p { margin: 0 0 10px; }
p.answer { font-size: 22px; line-height: 1.35; font-weight: 600; margin: 0 0 16px;
  text-wrap: balance; }
p.error { color: #a40e26; }
ul { margin: 0 0 10px; padding-left: 0; list-style: none; }
ul.doubts li { margin: 0 0 8px; padding: 6px 12px; border-left: 4px solid #8c959f;
  background: #f6f8fa; }
ul.doubts li.caution { border-left-color: #bf8700; background: #fff8e5; }
ul.doubts li.invalid { border-left-color: #cf222e; background: #ffebe9; }
svg { display: block; width: 100%; max-width: 760px; height: auto; margin: 8px 0 16px; }
svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; margin: 0 0 10px; }
table.points { width: 100%; }
caption { text-align: left; color: #57606a; padding: 0 0 6px; }
th, td { padding: 4px 10px; border-bottom: 1px solid #e3e6ea; text-align: right;
  vertical-align: top; white-space: nowrap; font-variant-numeric: tabular-nums; }
th { font-weight: 600; color: #57606a; border-bottom: 1px solid #8c959f; }
th.text, td.text { text-align: left; }
tr.best td { background: #e6f2fa; font-weight: 600; }
table.facts th { border-bottom: 1px solid #e3e6ea; padding-left: 0; }
table.facts td { text-align: left; white-space: pre-line; overflow-wrap: anywhere; }
p.foot { color: #57606a; font-size: 13px; margin-top: 28px; }
@media (max-width: 560px) {
  body { padding: 16px 12px 28px; }
  p.answer { font-size: 20px; }
  table { font-size: 13px; }
  th, td { padding: 4px 6px; }
}
@media print {
  body { padding: 0; max-width: none; font-size: 11pt; -webkit-print-color-adjust: exact;
    print-color-adjust: exact; }
  h2 { break-after: avoid; }
  svg, tr, li { break-inside: avoid; }
  svg { max-width: 150mm; }
  div.wide { overflow: visible; }
  table { font-size: 9pt; }
  th, td { padding: 2pt 5pt; }
}
)css";

// A sentence: "1 024" and "12 %" stay on one line.
std::string prose(const std::string& sentence) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string text;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const bool inside =
        i > 0 && i + 1 < sentence.size() && sentence[i] == ' ' && is_digit(sentence[i - 1]);
    const bool holds = inside && (is_digit(sentence[i + 1]) || sentence[i + 1] == '%');
    text += holds ? "\u00a0" : std::string(1, sentence[i]);
  }
  return escaped(text);
}

std::string cell(const std::string& text, bool is_text = false) {
  return std::string(is_text ? "<td class=\"text\">" : "<td>") + escaped(text) + "</td>";
}

std::string head_cell(const std::string& text, bool is_text = false) {
  return std::string(is_text ? "<th class=\"text\" scope=\"col\">" : "<th scope=\"col\">") +
         escaped(text) + "</th>";
}

// What a table has beside its usual columns.
struct Extras {
  bool intervals = false, percentiles = false, fsyncs = false;
};

Extras extras_of(const SweepResult& result, const std::vector<std::size_t>& points) {
  Extras extras;
  for (const std::size_t index : points) {
    if (index >= result.points.size()) continue;
    const Point& point = result.points[index];
    extras.intervals = extras.intervals || point.iops_ci95.has_value();
    extras.percentiles = extras.percentiles || (!point.failed && point.has_percentiles);
    extras.fsyncs = extras.fsyncs || point.fsync.has_value();
  }
  return extras;
}

std::string figure_names(const Extras& extras) {
  std::string row = head_cell("MiB/s") + head_cell("IOPS");
  if (extras.intervals) row += head_cell("95 %");
  row += head_cell("mean µs");
  if (extras.percentiles) {
    for (const char* name : {"p50 µs", "p99 µs", "p99.9 µs", "max µs"}) row += head_cell(name);
  }
  if (extras.fsyncs) row += head_cell("fsync p99 µs");
  return row + head_cell("note", true);
}

std::string microseconds(bool is_known, double ns) {
  return cell(is_known ? decimal_text(ns / ns_per_us) : "-");
}

std::string p99_cell(const std::optional<DirectionFigures>& figures) {
  const bool any = figures && figures->latency_p99_ns != 0;
  return microseconds(any, any ? static_cast<double>(figures->latency_p99_ns) : 0);
}

std::string figures_of(const Point& point, const Extras& extras) {
  const bool good = !point.failed;
  const bool mean = good && point.has_latency;
  std::string row = cell(good ? decimal_text(point.bandwidth_bytes_per_s / bytes_per_mib) : "-") +
                    cell(good ? whole_text(point.iops) : "-");
  if (extras.intervals) row += cell(half_width_text(point));
  row += microseconds(mean, point.latency_mean_ns);
  if (extras.percentiles) {
    for (const std::uint64_t ns : {point.latency_p50_ns, point.latency_p99_ns,
                                   point.latency_p99_9_ns, point.latency_max_ns}) {
      row += cell(percentile_text(point, ns));
    }
  }
  if (extras.fsyncs) row += p99_cell(point.fsync);
  return row + cell(note_text(point), true);
}

std::string direction_cells(const std::optional<DirectionFigures>& figures) {
  const bool any = figures && figures->latency_mean_ns > 0;
  return cell(figures ? whole_text(figures->iops) : "-") +
         microseconds(any, any ? figures->latency_mean_ns : 0) + p99_cell(figures);
}

std::string axis_title(const std::string& axis) {
  return axis == "numjobs" ? "jobs" : axis == "iodepth" ? "depth" : "block";
}

std::uint32_t axis_number(const Curve& curve, const Setting& setting) {
  if (curve.axis == "bs") return setting.block_bytes;
  return curve.axis == "iodepth" ? setting.iodepth : setting.numjobs;
}

// Of a mix: what its reads were, and its writes.
std::string directions_table(const Curve& curve, const SweepResult& result) {
  if (!mixed(curve.setting.rw)) return "";
  std::string text = "<div class=\"wide\"><table class=\"points\">\n<thead><tr>" +
                     head_cell(axis_title(curve.axis));
  constexpr std::array names{"reads/s",  "read mean µs",  "read p99 µs",
                             "writes/s", "write mean µs", "write p99 µs"};
  for (const char* name : names) {
    text += head_cell(name);
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const std::size_t index : curve.points) {
    if (index >= result.points.size()) continue;
    const Point& point = result.points[index];
    text += "<tr>" + cell(axis_value(curve.axis, point.setting)) + direction_cells(point.read) +
            direction_cells(point.write) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string curve_section(const Curve& curve, const SweepResult& result, bool with_sentence) {
  const Extras extras = extras_of(result, curve.points);
  std::string text = "<h2>" + escaped(curve_heading(curve)) + "</h2>\n";
  const std::string sentence = curve_sentence(curve);
  if (with_sentence && !sentence.empty()) text += "<p>" + prose(sentence) + "</p>\n";
  text += "<div class=\"wide\"><table class=\"points\">\n<thead><tr>" +
          head_cell(axis_title(curve.axis)) + figure_names(extras) + "</tr></thead>\n<tbody>\n";
  for (const std::size_t index : curve.points) {
    if (index >= result.points.size()) continue;
    const Point& point = result.points[index];
    const bool best = curve.sweet_spot && curve.sweet_spot->at == axis_number(curve, point.setting);
    text += std::string(best ? "<tr class=\"best\">" : "<tr>") +
            cell(axis_value(curve.axis, point.setting)) + figures_of(point, extras) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n" + directions_table(curve, result);
}

std::string lone_section(const SweepResult& result) {
  const std::vector<std::size_t> lone = lone_points(result);
  if (lone.empty()) return "";
  const Extras extras = extras_of(result, lone);
  std::string text = "<h2>Points</h2>\n<div class=\"wide\"><table class=\"points\">\n<thead><tr>" +
                     head_cell("rw", true) + head_cell("bs") + head_cell("depth") +
                     head_cell("jobs") + figure_names(extras) + "</tr></thead>\n<tbody>\n";
  for (const std::size_t index : lone) {
    const Point& point = result.points[index];
    text += "<tr>" + cell(std::string(to_string(point.setting.rw)), true) +
            cell(block_text(point.setting.block_bytes)) +
            cell(std::to_string(point.setting.iodepth)) +
            cell(std::to_string(point.setting.numjobs)) + figures_of(point, extras) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string doubts(const std::vector<Verdict>& warnings) {
  if (warnings.empty()) return "";
  std::string text = "<h2>Doubts</h2>\n<ul class=\"doubts\">\n";
  for (const Verdict& doubt : warnings) {
    const std::string severity(to_string(doubt.severity));
    text.append("<li class=\"").append(severity).append("\"><strong>");
    text.append(escaped(doubt.name)).append("</strong> (").append(severity).append("): ");
    text.append(prose(doubt.sentence)).append("</li>\n");
  }
  return text + "</ul>\n";
}

std::string circumstances(const Exported& exported) {
  std::string text = "<h2>How it was measured</h2>\n<table class=\"facts\">\n<tbody>\n";
  for (const auto& [name, fact] : facts_of(exported)) {
    text += "<tr><th class=\"text\" scope=\"row\">" + escaped(name) + "</th>" + cell(fact, true) +
            "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

}  // namespace

std::string export_html(const Exported& exported) {
  const SweepResult& result = exported.result;
  const std::string title = escaped(title_of(exported.sweep));
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light\"/>\n<title>" +
      title + "</title>\n<style>" + std::string(style) + "</style>\n</head>\n<body>\n";
  text += "<h1>" + title + "</h1>\n<p class=\"answer\">" + prose(answer_of(exported)) + "</p>\n";
  if (!exported.sweep.error.empty()) {
    text += "<p class=\"error\">" + escaped(exported.sweep.error) + "</p>\n";
  }
  text += report_charts(result);
  const bool several = result.curves.size() > 1;
  for (const Curve& curve : result.curves) text += curve_section(curve, result, several);
  text += lone_section(result);
  text += doubts(result.warnings);
  text += circumstances(exported);
  text +=
      "<p class=\"foot\">IOPS and latencies are those of I/Os that completed between the end of "
      "the ramp and the deadline; latency counts from before submission, as fio’s lat does. "
      "Made by iobenchd.</p>\n</body>\n</html>\n";
  return text;
}

}  // namespace iobenchd::api
