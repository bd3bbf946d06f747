#include "api/text_values.h"

#include <algorithm>

#include "api/text_table.h"

namespace iobenchd::api {

std::string note_text(const Point& point) {
  if (point.failed) return "failed";
  std::string text = point.note;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string axis_value(const std::string& axis, const Setting& setting) {
  if (axis == "bs") return block_text(setting.block_bytes);
  return std::to_string(axis == "iodepth" ? setting.iodepth : setting.numjobs);
}

std::string curve_heading(const Curve& curve) {
  std::string text(to_string(curve.setting.rw));
  if (curve.axis != "bs") text += ", bs " + block_text(curve.setting.block_bytes);
  if (curve.axis != "iodepth") text += ", iodepth " + std::to_string(curve.setting.iodepth);
  if (curve.axis != "numjobs") text += ", numjobs " + std::to_string(curve.setting.numjobs);
  return text;
}

std::string sentences(const std::vector<Verdict>& warnings, Severity severity) {
  std::string text;
  for (const Verdict& verdict : warnings) {
    if (verdict.severity == severity) text += " " + verdict.sentence;
  }
  return text;
}

std::string percentile_text(const Point& point, std::uint64_t latency_ns) {
  const bool printed = latency_ns != 0 || point.latency_min_ns == 0;
  if (point.failed || !point.has_percentiles || !printed) return "-";
  return decimal_text(static_cast<double>(latency_ns) / ns_per_us);
}

std::string half_width_text(const Point& point) {
  if (point.failed || !point.iops_ci95) return "-";
  return "± " + whole_text((point.iops_ci95->second - point.iops_ci95->first) / 2);
}

std::vector<std::size_t> lone_points(const SweepResult& result) {
  std::vector<bool> on_curve(result.points.size(), false);
  for (const Curve& curve : result.curves) {
    for (const std::size_t index : curve.points) {
      if (index < on_curve.size()) on_curve[index] = true;
    }
  }
  std::vector<std::size_t> lone;
  for (std::size_t i = 0; i < on_curve.size(); ++i) {
    if (!on_curve[i]) lone.push_back(i);
  }
  return lone;
}

}  // namespace iobenchd::api
