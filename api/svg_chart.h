// A line chart as inline SVG: logarithmic x, shaded bands, intervals, a legend; readable without
// colour (lines differ in their marks' titles and in dashes) and by a screen reader (title and
// desc). Colours are explicit: a dark page doesn't change them. Pure; safe from any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iobenchd::api {

struct ChartMark {
  double x = 0, y = 0;
  std::optional<std::pair<double, double>> interval;
  std::string title;  // "8 jobs: 439 728 IOPS"
};

struct ChartLine {
  std::string name;  // in the legend
  std::size_t colour = 0;
  bool is_dashed = false;
  std::vector<ChartMark> marks;
};

// From low to high along x, in the colour of its line.
struct ChartBand {
  double low = 0, high = 0;
  std::size_t colour = 0;
};

struct Chart {
  std::string title, description;
  std::string x_name, y_name;  // with their units
  bool is_log_y = false;
  std::function<std::string(double)> x_text, y_text;  // of ticks
  std::vector<ChartLine> lines;
  std::vector<ChartBand> bands;
};

// `id` makes the ids of one page distinct.
[[nodiscard]] std::string svg_chart(const Chart& chart, std::size_t id);

// "#0072b2": the palette tells eight colours apart, for the colour-blind too.
[[nodiscard]] const char* chart_colour(std::size_t index) noexcept;

}  // namespace iobenchd::api
