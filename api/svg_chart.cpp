#include "api/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "api/markup.h"

namespace iobenchd::api {

namespace {

// The picture's own units; the page scales it.
constexpr double width = 520, plot_height = 230;
constexpr double left = 58, right = 16, top = 30, bottom = 44;
constexpr double legend_line = 19;
constexpr const char* ink = "#1f2328";
constexpr const char* faint = "#57606a";
constexpr const char* grid = "#e3e6ea";

std::string fixed(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

// 1, 2 or 5 times a power of ten: the smallest that is not below `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (step * power >= value * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

double round_down(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {5.0, 2.0}) {
    if (step * power <= value * (1 + 1e-9)) return step * power;
  }
  return power;
}

struct Scale {
  double low = 0, high = 1;
  bool is_log = false;
  std::vector<double> ticks;

  // 0 at the low end, 1 at the high one.
  [[nodiscard]] double share(double value) const {
    if (high <= low) return 0.5;
    if (is_log) return std::log(std::max(value, low) / low) / std::log(high / low);
    return (value - low) / (high - low);
  }
};

Scale linear_scale(double most) {
  constexpr double ticks_most = 5;
  Scale scale;
  const double step = round_up(std::max(most, 1e-9) / ticks_most);
  const double steps = std::ceil(most / step - 1e-9);
  scale.high = step * std::max(1.0, steps);
  const auto last = static_cast<int>(steps);
  scale.ticks.reserve(static_cast<std::size_t>(last) + 1);
  for (int i = 0; i <= last; ++i) scale.ticks.push_back(i * step);
  return scale;
}

Scale log_scale(double least, double most) {
  Scale scale;
  scale.is_log = true;
  scale.low = round_down(least);
  scale.high = round_up(most);
  if (scale.high <= scale.low) scale.high = 2 * scale.low;
  const bool crowded = scale.high / scale.low > 150;
  const auto first = static_cast<int>(std::floor(std::log10(scale.low)));
  const auto last = static_cast<int>(std::floor(std::log10(scale.high * 1.01)));
  for (int exponent = first; exponent <= last; ++exponent) {
    const double power = std::pow(10, exponent);
    for (const double step : {1.0, 2.0, 5.0}) {
      const double tick = step * power;
      if (crowded && step != 1.0) continue;
      if (tick >= scale.low * 0.99 && tick <= scale.high * 1.01) scale.ticks.push_back(tick);
    }
  }
  return scale;
}

struct Extent {
  double least = INFINITY, most = -INFINITY;
  void take(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

Scale y_scale_of(const Chart& chart) {
  constexpr double beyond_most = 1.25;  // a wide interval must not flatten the line
  Extent extent;
  for (const ChartLine& line : chart.lines) {
    for (const ChartMark& mark : line.marks) extent.take(mark.y);
  }
  const double highest = beyond_most * extent.most;
  for (const ChartLine& line : chart.lines) {
    for (const ChartMark& mark : line.marks) {
      if (mark.interval) extent.take(std::min(mark.interval->second, highest));
    }
  }
  if (!chart.is_log_y || !(extent.least > 0)) return linear_scale(std::max(extent.most, 0.0));
  return log_scale(extent.least, extent.most);
}

Scale x_scale_of(const Chart& chart) {
  std::set<double> values;
  for (const ChartLine& line : chart.lines) {
    for (const ChartMark& mark : line.marks) values.insert(mark.x);
  }
  Scale scale;
  scale.is_log = true;
  scale.ticks.assign(values.begin(), values.end());
  scale.low = values.empty() ? 1 : *values.begin();
  scale.high = values.empty() ? 1 : *values.rbegin();
  return scale;
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart), x_(x_scale_of(chart)), y_(y_scale_of(chart)) {}

  std::string svg(std::size_t id) {
    const double legend = legend_line * static_cast<double>(chart_.lines.size());
    const double height = top + plot_height + bottom + legend + 4;
    const std::string name = "chart" + std::to_string(id);
    out_ = "<svg role=\"img\" aria-labelledby=\"" + name + "t " + name + "d\" viewBox=\"0 0 " +
           fixed(width) + " " + fixed(height) + "\" width=\"" + fixed(width) + "\" height=\"" +
           fixed(height) + "\" font-size=\"12.5\">\n<title id=\"" + name + "t\">" +
           escaped(chart_.title) + "</title>\n<desc id=\"" + name + "d\">" +
           escaped(chart_.description) + "</desc>\n";
    out_ += "<rect x=\"0\" y=\"0\" width=\"" + fixed(width) + "\" height=\"" + fixed(height) +
            "\" fill=\"#ffffff\"/>\n";
    for (const ChartBand& band : chart_.bands) draw(band);
    draw_y_axis();
    draw_x_axis();
    for (const ChartLine& line : chart_.lines) draw(line);
    draw_legend();
    return out_ + "</svg>\n";
  }

 private:
  // Half a mark of air at both sides.
  [[nodiscard]] double x_at(double value) const {
    return left + 10 + x_.share(value) * (width - left - right - 20);
  }
  [[nodiscard]] double y_at(double value) const {
    return top + (1 - y_.share(value)) * plot_height;
  }

  void segment(double x1, double y1, double x2, double y2, const char* colour, double weight) {
    out_ += "<line x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" + fixed(x2) +
            "\" y2=\"" + fixed(y2) + "\" stroke=\"" + colour + "\" stroke-width=\"" +
            fixed(weight) + "\"/>\n";
  }
  void label(double x, double y, const char* anchor, const char* colour, const std::string& text) {
    out_ += "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" + anchor +
            "\" fill=\"" + colour + "\">" + escaped(text) + "</text>\n";
  }

  void draw(const ChartBand& band) {
    constexpr double narrowest = 8;  // a band of one number is seen, too
    const double from = x_at(band.low), to = x_at(band.high);
    const double wide = std::max(to - from, narrowest);
    out_ += "<rect x=\"" + fixed((from + to - wide) / 2) + "\" y=\"" + fixed(top) + "\" width=\"" +
            fixed(wide) + "\" height=\"" + fixed(plot_height) + "\" fill=\"" +
            chart_colour(band.colour) + "\" fill-opacity=\"0.14\"/>\n";
  }

  void draw_y_axis() {
    for (const double tick : y_.ticks) {
      const double y = y_at(tick);
      segment(left, y, width - right, y, grid, 1);
      label(left - 7, y + 4.3, "end", faint, chart_.y_text(tick));
    }
    label(left, top - 14, "start", ink, chart_.y_name);
  }

  // Every measured value has a tick; labels stand where there is room, the ends first.
  void draw_x_axis() {
    const double base = top + plot_height;
    segment(left, base, width - right, base, "#8c959f", 1);
    double free_from = -INFINITY;
    for (std::size_t i = 0; i < x_.ticks.size(); ++i) {
      const double x = x_at(x_.ticks[i]);
      segment(x, base, x, base + 4, "#8c959f", 1);
      const std::string text = chart_.x_text(x_.ticks[i]);
      const double half = 4.0 * static_cast<double>(text.size());
      const std::string last = chart_.x_text(x_.ticks.back());
      const double reserved = x_at(x_.ticks.back()) - 4.0 * static_cast<double>(last.size()) - 6;
      const bool is_last = i + 1 == x_.ticks.size();
      if (x - half < free_from || (!is_last && x + half > reserved)) continue;
      label(x, base + 18, "middle", faint, text);
      free_from = x + half + 6;
    }
    label((left + width - right) / 2, base + 37, "middle", ink, chart_.x_name);
  }

  void draw(const ChartLine& line) {
    const char* colour = chart_colour(line.colour);
    for (const ChartMark& mark : line.marks) {
      if (!mark.interval) continue;
      const double low = std::clamp(mark.interval->first, y_.low, y_.high);
      const double high = std::clamp(mark.interval->second, y_.low, y_.high);
      segment(x_at(mark.x), y_at(low), x_at(mark.x), y_at(high), colour, 1);
    }
    out_ += "<polyline fill=\"none\" stroke=\"" + std::string(colour) +
            "\" stroke-width=\"2\" stroke-linejoin=\"round\"";
    if (line.is_dashed) out_ += " stroke-dasharray=\"6 4\"";
    out_ += " points=\"";
    for (const ChartMark& mark : line.marks) {
      out_ += fixed(x_at(mark.x)) + "," + fixed(y_at(mark.y)) + " ";
    }
    out_ += "\"/>\n";
    for (const ChartMark& mark : line.marks) {
      out_ += "<circle cx=\"" + fixed(x_at(mark.x)) + "\" cy=\"" + fixed(y_at(mark.y)) +
              "\" r=\"3.2\" fill=\"" + (line.is_dashed ? "#ffffff" : colour) + "\" stroke=\"" +
              colour + "\" stroke-width=\"1.4\"><title>" + escaped(mark.title) +
              "</title></circle>\n";
    }
  }

  void draw_legend() {
    double y = top + plot_height + bottom + 8;
    for (const ChartLine& line : chart_.lines) {
      out_ += "<line x1=\"" + fixed(left) + "\" y1=\"" + fixed(y) + "\" x2=\"" + fixed(left + 30) +
              "\" y2=\"" + fixed(y) + "\" stroke=\"" + chart_colour(line.colour) +
              "\" stroke-width=\"2\"";
      if (line.is_dashed) out_ += " stroke-dasharray=\"6 4\"";
      out_ += "/>\n";
      label(left + 38, y + 4.3, "start", ink, line.name);
      y += legend_line;
    }
  }

  const Chart& chart_;
  Scale x_, y_;
  std::string out_;
};

}  // namespace

std::string svg_chart(const Chart& chart, std::size_t id) {
  return Drawing(chart).svg(id);
}

const char* chart_colour(std::size_t index) noexcept {
  constexpr std::array<const char*, 8> colours{"#0072b2", "#d55e00", "#009e73", "#a3457f",
                                               "#b37400", "#2f9fd0", "#5b5b5b", "#7a3e9d"};
  return colours[index % colours.size()];
}

}  // namespace iobenchd::api
