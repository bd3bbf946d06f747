// Prometheus' text format 0.0.4: one family after the other, each with its HELP and TYPE. A plain
// value; one owner.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iobenchd::api {

class MetricsText {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // What follows belongs to it. A counter's name ends in _total.
  void family(const char* name, const char* type, const char* help);
  // A sample; nothing where the value is no number.
  void value(double value, const Labels& labels = {});
  // Buckets with their upper bounds, each holding those before it, then +Inf, the sum, the count.
  void histogram(std::span<const double> bounds, std::span<const double> at_most, double sum,
                 double count, const Labels& labels);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void sample(std::string_view ending, double value, const Labels& labels);

  std::string name_, text_;
};

}  // namespace iobenchd::api
