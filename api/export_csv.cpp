// One line a point: first the six columns of the article's table, by the names that the CSV import
// takes, then every field that a point has.
#include <array>
#include <cstdio>

#include "api/answers.h"
#include "api/exports.h"
#include "api/render.h"
#include "api/render_values.h"
#include "api/text_values.h"

namespace iobenchd::api {

namespace {

constexpr std::array<std::string_view, 6> table_columns{
    "rw", "numjobs", "bandwidth_mib_per_s", "iops", "latency_mean_us", "note"};

// "iops_ci95": {"low": 1} -> "iops_ci95_low": 1; of verdicts their names.
Json flattened(const Json& point) {
  Json flat;
  for (const auto& [name, value] : point.items()) {
    if (value.is_object()) {
      for (const auto& [part, figure] : value.items())
        flat[std::string(name).append("_").append(part)] = figure;
    } else if (name == "verdicts") {
      flat[name] = Json::array();
      for (const Json& verdict : value) flat[name].push_back(verdict.at("name"));
    } else {
      flat[name] = value;
    }
  }
  return flat;
}

Json rendered(const Point& point) {
  SweepResult one;
  one.points = {point};
  return flattened(render_result(one).at("points").at(0));
}

// A point that has everything names all the columns.
std::vector<std::string> further_columns() {
  Point full;
  full.iops_ci95 = std::pair(1.0, 2.0);
  full.read.emplace();
  full.write = full.fsync = full.read;
  std::vector<std::string> names;
  const Json flat = rendered(full);
  for (const auto& [name, unused] : flat.items()) {
    bool shown = false;
    for (const std::string_view column : table_columns) shown = shown || column == name;
    if (!shown) names.push_back(name);
  }
  return names;
}

// Without an exponent, which tables don't have.
Json fixed(bool is_known, double value) {
  if (!is_known) return nullptr;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return std::string(text.data());
}

Json table_row(const Point& point) {
  const bool mean = !point.failed && point.has_latency;
  Json row;
  row["rw"] = to_string(point.setting.rw);
  row["numjobs"] = point.setting.numjobs;
  row["bandwidth_mib_per_s"] = fixed(!point.failed, point.bandwidth_bytes_per_s / bytes_per_mib);
  row["iops"] = fixed(!point.failed, point.iops);
  row["latency_mean_us"] = fixed(mean, point.latency_mean_ns / ns_per_us);
  row["note"] = note_text(point);
  return row;
}

// A note is a line, whatever is in it.
void add_note(std::string& text, const std::string& note) {
  text += "# ";
  for (const char c : note) text += c == '\n' || c == '\r' ? ' ' : c;
  text += '\n';
}

}  // namespace

std::string export_csv(const Exported& exported) {
  std::string text;
  add_note(text, title_of(exported.sweep));
  add_note(text, answer_of(exported));
  for (const Verdict& doubt : exported.result.warnings) {
    add_note(text, std::string(to_string(doubt.severity)) + ": " + doubt.sentence);
  }
  for (const auto& [name, fact] : facts_of(exported)) {
    add_note(text, std::string(name).append(": ").append(fact));
  }
  const std::vector<std::string> further = further_columns();
  std::string line;
  for (const std::string_view name : table_columns) line += std::string(name) + ",";
  for (const std::string& name : further) line += name + ",";
  line.back() = '\n';
  text += line;
  for (const Point& point : exported.result.points) {
    Json row = table_row(point);
    const Json flat = rendered(point);
    for (const std::string& name : further) row[name] = flat.value(name, Json(nullptr));
    text += csv_line(row);
  }
  return text;
}

}  // namespace iobenchd::api
