#include "api/export_charts.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "api/svg_chart.h"
#include "api/text_table.h"
#include "api/text_values.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t curves_a_chart = 6;

using Curves = std::vector<const Curve*>;

double axis_number(const std::string& axis, const Setting& setting) {
  if (axis == "bs") return setting.block_bytes;
  return axis == "iodepth" ? setting.iodepth : setting.numjobs;
}

std::string axis_name(const std::string& axis) {
  if (axis == "bs") return "block size, logarithmic";
  return axis == "iodepth" ? "I/O depth, logarithmic" : "jobs, logarithmic";
}

// "8 jobs", "depth 32", "64k"
std::string place_text(const std::string& axis, const Setting& setting) {
  std::string value = axis_value(axis, setting);
  if (axis == "bs") return value;
  if (axis == "iodepth") return "depth " + value;
  return value + (setting.numjobs == 1 ? " job" : " jobs");
}

// "50k", "1.2M": what a tick has room for.
std::string short_count(double value) {
  const bool millions = value >= 1e6;
  const double scaled = millions ? value / 1e6 : value >= 1e3 ? value / 1e3 : value;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g%s", scaled,
                millions       ? "M"
                : value >= 1e3 ? "k"
                               : "");
  return text.data();
}

std::string short_time(double ns) {
  std::array<char, 32> text{};
  if (ns >= 1e9) {
    std::snprintf(text.data(), text.size(), "%.3g s", ns / 1e9);
  } else if (ns >= 1e6) {
    std::snprintf(text.data(), text.size(), "%.3g ms", ns / 1e6);
  } else if (ns >= 1e3) {
    std::snprintf(text.data(), text.size(), "%.3g µs", ns / 1e3);
  } else {
    std::snprintf(text.data(), text.size(), "%.3g ns", ns);
  }
  return text.data();
}

std::string x_text_of(const std::string& axis, double value) {
  const auto whole = static_cast<std::uint32_t>(std::llround(value));
  return axis == "bs" ? block_text(whole) : std::to_string(whole);
}

Chart empty_chart(const std::string& axis) {
  Chart chart;
  chart.x_name = axis_name(axis);
  chart.x_text = [axis](double value) { return x_text_of(axis, value); };
  return chart;
}

void describe(Chart& chart, const ChartLine& line) {
  chart.description += line.name + ":";
  for (const ChartMark& mark : line.marks) chart.description += " " + mark.title + ";";
  chart.description += " ";
}

void add_band(Chart& chart, const Curve& curve, std::size_t colour) {
  if (!curve.sweet_spot) return;
  const SweetSpot& spot = *curve.sweet_spot;
  chart.bands.push_back({static_cast<double>(spot.low), static_cast<double>(spot.high), colour});
  const bool one = spot.low == spot.high;
  chart.description += "The shaded band is " + std::to_string(spot.low) +
                       (one ? "" : " to " + std::to_string(spot.high)) + ". ";
}

// A line of a curve's points, of those that have the figure.
template <typename Figure>
ChartLine line_of(const SweepResult& result, const Curve& curve, Figure figure) {
  ChartLine line;
  line.name = curve_heading(curve);
  for (const std::size_t index : curve.points) {
    if (index >= result.points.size() || result.points[index].failed) continue;
    ChartMark mark;
    mark.x = axis_number(curve.axis, result.points[index].setting);
    if (figure(result.points[index], mark)) line.marks.push_back(std::move(mark));
  }
  return line;
}

void add_line(Chart& chart, ChartLine line) {
  if (line.marks.empty()) return;
  describe(chart, line);
  chart.lines.push_back(std::move(line));
}

Chart iops_chart(const SweepResult& result, const Curves& curves, const std::string& axis) {
  Chart chart = empty_chart(axis);
  chart.title = "IOPS over " + chart.x_name;
  chart.y_name = "IOPS";
  chart.y_text = short_count;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    ChartLine line = line_of(result, *curves[i], [&](const Point& point, ChartMark& mark) {
      mark.y = point.iops;
      mark.interval = point.iops_ci95;
      mark.title = place_text(axis, point.setting) + ": " + whole_text(point.iops) + " IOPS";
      return std::isfinite(point.iops);
    });
    line.colour = i;
    add_line(chart, std::move(line));
    add_band(chart, *curves[i], i);
  }
  return chart;
}

Chart latency_chart(const SweepResult& result, const Curves& curves, const std::string& axis) {
  Chart chart = empty_chart(axis);
  chart.title = "Mean and p99 latency over " + chart.x_name;
  chart.y_name = "latency, logarithmic";
  chart.is_log_y = true;
  chart.y_text = short_time;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    ChartLine mean = line_of(result, *curves[i], [&](const Point& point, ChartMark& mark) {
      mark.y = point.latency_mean_ns;
      mark.title = place_text(axis, point.setting) + ": mean " + latency_text(mark.y);
      return point.has_latency && mark.y > 0;
    });
    ChartLine p99 = line_of(result, *curves[i], [&](const Point& point, ChartMark& mark) {
      mark.y = static_cast<double>(point.latency_p99_ns);
      mark.title = place_text(axis, point.setting) + ": p99 " + latency_text(mark.y);
      return point.has_percentiles && mark.y > 0;
    });
    mean.colour = p99.colour = i;
    p99.is_dashed = true;
    mean.name += ": mean";
    p99.name += ": p99";
    add_line(chart, std::move(mean));
    add_line(chart, std::move(p99));
    add_band(chart, *curves[i], i);
  }
  return chart;
}

}  // namespace

std::string report_charts(const SweepResult& result) {
  std::map<std::string, std::vector<Curves>> charts;  // by axis
  for (const Curve& curve : result.curves) {
    if (curve.points.size() < 2) continue;
    std::vector<Curves>& of_axis = charts[curve.axis];
    if (of_axis.empty() || of_axis.back().size() == curves_a_chart) of_axis.emplace_back();
    of_axis.back().push_back(&curve);
  }
  std::string text;
  std::size_t id = 0;
  for (const auto& [axis, groups] : charts) {
    for (const Curves& curves : groups) {
      for (const Chart& chart :
           {iops_chart(result, curves, axis), latency_chart(result, curves, axis)}) {
        if (!chart.lines.empty()) text += svg_chart(chart, ++id);
      }
    }
  }
  return text;
}

}  // namespace iobenchd::api
