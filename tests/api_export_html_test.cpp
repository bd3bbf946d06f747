// The report: one file, well-formed, without a script or a way out, with every figure in it.
#include <doctest/doctest.h>

#include <cctype>
#include <string>
#include <vector>

#include "api/markup.h"
#include "api/svg_chart.h"
#include "tests/api_export_house.h"

using namespace iobenchd;
using namespace iobenchd::export_test;

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What is wrong with the nesting of tags, or "".
std::string nesting_error(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.empty()) return "an empty tag";
    if (tag[0] == '!') continue;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return "closes " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

std::string report_of(const Sweep& sweep, const std::vector<Run>& runs) {
  House house;
  house.keep(sweep, runs);
  return house.exported(1, "html");
}

std::vector<Run> mixed_runs() {
  std::vector<Run> runs = curve_of_reads();
  for (const std::uint32_t numjobs : {1U, 2U, 4U}) {
    runs.push_back(measured_run(Rw::randrw, numjobs, 5'000 * numjobs));
    runs.push_back(measured_run(Rw::randrw, numjobs, 5'100 * numjobs));
    runs.back().repeat = 1;
  }
  return runs;
}

}  // namespace

TEST_CASE("a report is well-formed and loads, runs and links to nothing") {
  const std::string text = report_of(done_sweep("nightly"), mixed_runs());
  CHECK(text.starts_with("<!DOCTYPE html>\n"));
  CHECK(nesting_error(text) == "");
  for (const char* way_out : {"http:", "https:", "<script", "javascript:", "src=", "href=", "url(",
                              "@import", "<link", "<iframe", "<img", "onload", "onclick"}) {
    CAPTURE(way_out);
    CHECK(!says(text, way_out));
  }
}

TEST_CASE("a report holds the answer and every point's figures") {
  Sweep sweep = done_sweep("nightly");
  sweep.answer = "4 jobs. Beyond, latency doubles.";
  const std::string text = report_of(sweep, mixed_runs());
  CHECK(says(text, "<p class=\"answer\">4 jobs. Beyond, latency doubles.</p>"));
  for (const char* figure :
       {"<td>10 000</td>", "<td>20 000</td>", "<td>40 000</td>", "<td>41 000</td>", "<td>39.1</td>",
        "<td>160.2</td>", "<td>100.0</td>", "<td>80.4</td>", "<td>120.0</td>"}) {
    CAPTURE(figure);
    CHECK(says(text, figure));
  }
  CHECK(says(text, "randread, bs 4k, iodepth 1"));
  CHECK(says(text, "reads/s"));  // of the mix, apart
  CHECK(says(text, "± "));       // its points were measured twice
  CHECK(says(text, "Linux 6.1"));
  CHECK(says(text, "color-scheme: light"));
  CHECK(says(text, "@media print"));
}

TEST_CASE("a label is text in a report, whatever it says") {
  Sweep sweep = done_sweep("<script>alert(1)</script>\"'&");
  sweep.notes = "</td><img src=x onerror=alert(1)>";
  const std::string text = report_of(sweep, curve_of_reads());
  CHECK(!says(text, "<script"));
  CHECK(!says(text, "<img"));
  CHECK(says(text, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
  CHECK(nesting_error(text) == "");
}

TEST_CASE("markup, control characters and bytes that are no UTF-8 are escaped") {
  CHECK(api::escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(api::escaped("a\x01\x7F\tb") == "a   b");
  CHECK(api::escaped("\xC3\xA4 \xFF") == "\xC3\xA4 \xEF\xBF\xBD");
}

TEST_CASE("charts have a title and a description, a band, axes with units and a line a curve") {
  const std::string text = report_of(done_sweep("x"), mixed_runs());
  CHECK(says(text, "<svg role=\"img\" aria-labelledby=\"chart1t chart1d\""));
  CHECK(says(text, "<title id=\"chart1t\">IOPS over jobs, logarithmic</title>"));
  CHECK(says(text, "<title id=\"chart2t\">Mean and p99 latency over jobs, logarithmic</title>"));
  CHECK(says(text, "4 jobs: 40 000 IOPS"));
  CHECK(says(text, "fill-opacity"));
  CHECK(says(text, "randrw, bs 4k, iodepth 1: p99"));
  CHECK(says(text, "100 µs"));
}

TEST_CASE("a chart's scale begins and ends at round numbers, and its marks lie on it") {
  api::Chart chart;
  chart.title = "t";
  chart.x_text = [](double value) { return std::to_string(static_cast<int>(value)); };
  chart.y_text = [](double value) { return "y" + std::to_string(static_cast<int>(value)); };
  api::ChartLine line;
  line.marks = {{1, 0, std::nullopt, "a"}, {10, 41'000, std::nullopt, "b"}};
  chart.lines = {line};
  const std::string text = api::svg_chart(chart, 1);
  CHECK(says(text, ">y0<"));
  CHECK(says(text, ">y50000<"));
  CHECK(says(text, ">y10000<"));
  CHECK(says(text, "<circle cx=\"68.0\" cy=\"260.0\""));  // one job, nothing: lower left
  CHECK(says(text, "<circle cx=\"494.0\""));              // ten jobs: the right end
}

TEST_CASE("a chart of one value, of none and of nonsense is still a picture") {
  api::Chart chart;
  chart.x_text = chart.y_text = [](double) { return std::string("v"); };
  CHECK(nesting_error(api::svg_chart(chart, 1)) == "");
  api::ChartLine line;
  line.marks = {{1, 0, std::nullopt, ""}};
  chart.lines = {line};
  chart.is_log_y = true;
  const std::string text = api::svg_chart(chart, 1);
  CHECK(nesting_error(text) == "");
  CHECK(!says(text, "nan"));
  CHECK(!says(text, "inf"));
}
