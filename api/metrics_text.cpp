#include "api/metrics_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace iobenchd::api {
namespace {

// Label values may be anything; three characters have a meaning there.
std::string escaped(const std::string& content) {
  std::string text;
  for (const char c : content) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

// As many digits as a double surely has: a time to the microsecond, and counts whole.
std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  return text.data();
}

}  // namespace

void MetricsText::family(const char* name, const char* type, const char* help) {
  name_ = name;
  text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
}

void MetricsText::value(double value, const Labels& labels) {
  if (std::isfinite(value)) sample("", value, labels);
}

void MetricsText::histogram(std::span<const double> bounds, std::span<const double> at_most,
                            double sum, double count, const Labels& labels) {
  Labels with_bound = labels;
  with_bound.emplace_back("le", "");
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    with_bound.back().second = number(bounds[i]);
    sample("_bucket", at_most[i], with_bound);
  }
  with_bound.back().second = "+Inf";
  sample("_bucket", count, with_bound);
  sample("_sum", sum, labels);
  sample("_count", count, labels);
}

void MetricsText::sample(std::string_view ending, double value, const Labels& labels) {
  text_ += name_;
  text_ += ending;
  const char* before = "{";
  for (const auto& [label, content] : labels) {
    text_ += before + label + "=\"" + escaped(content) + "\"";
    before = ",";
  }
  if (!labels.empty()) text_ += "}";
  text_ += " " + number(value) + "\n";
}

}  // namespace iobenchd::api
