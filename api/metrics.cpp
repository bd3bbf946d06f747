// GET /metrics: what Prometheus asks for, in its text format 0.0.4. Names carry base units; a
// counter ends in _total.
#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/server.h"
#include "daemon/version.h"

namespace iobenchd::api {

namespace {

// One family after the other, each with its HELP and TYPE.
class MetricsText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string>>;

  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
  }
  void value(double value, Labels labels = {}) {
    text_ += name_;
    const char* before = "{";
    for (const auto& [label, content] : labels) {
      text_ += before + std::string(label) + "=\"" + escaped(content) + "\"";
      before = ",";
    }
    if (labels.size() > 0) text_ += "}";
    text_ += " " + number(value) + "\n";
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  // Label values may be anything; three characters have a meaning there.
  static std::string escaped(const std::string& content) {
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
  // To the millisecond in this century, and without an exponent.
  static std::string number(double value) {
    std::array<char, 64> text{};
    const bool whole = std::floor(value) == value;
    std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.3f", value);
    return text.data();
  }

  std::string name_, text_;
};

double in_seconds(std::int64_t wall_ns) {
  const std::int64_t wall_ms = wall_ns / 1'000'000;
  return static_cast<double>(wall_ms) / 1e3;
}

void add_schedules(MetricsText& metrics, const std::vector<SweepSchedule>& schedules) {
  const auto id = [](const SweepSchedule& schedule) { return std::to_string(schedule.id); };
  metrics.family("iobenchd_schedule_regression", "gauge",
                 "1: the schedule's newest sweep was worse than those before it.");
  for (const SweepSchedule& schedule : schedules)
    metrics.value(schedule.regression ? 1 : 0, {{"schedule", id(schedule)}});
  metrics.family("iobenchd_schedule_last_run_timestamp_seconds", "gauge",
                 "When the schedule's last sweep was queued; none: not yet.");
  for (const SweepSchedule& schedule : schedules)
    if (schedule.last_at_ns != 0)
      metrics.value(in_seconds(schedule.last_at_ns), {{"schedule", id(schedule)}});
  metrics.family("iobenchd_schedule_next_run_timestamp_seconds", "gauge",
                 "When the schedule's next sweep is due; none: it is paused.");
  for (const SweepSchedule& schedule : schedules)
    if (schedule.next_at_ns != 0)
      metrics.value(in_seconds(schedule.next_at_ns), {{"schedule", id(schedule)}});
  metrics.family("iobenchd_schedule_missed_runs_total", "counter",
                 "Runs that were due and not made.");
  for (const SweepSchedule& schedule : schedules)
    metrics.value(static_cast<double>(schedule.missed), {{"schedule", id(schedule)}});
}

}  // namespace

Response get_metrics(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  MetricsText metrics;
  metrics.family("iobenchd_build_info", "gauge", "Always 1; its labels tell the build.");
  metrics.value(1, {{"version", std::string(program_version)},
                    {"build_type", std::string(build_type)},
                    {"compiler", std::string(compiler)}});
  metrics.family("iobenchd_queue_length", "gauge", "Sweeps that wait.");
  metrics.value(context.scheduler.queued());
  metrics.family("iobenchd_sweeps_running", "gauge", "Sweeps under way.");
  metrics.value(context.scheduler.running());
  if (context.schedules != nullptr) add_schedules(metrics, context.schedules->list());
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics.take();
  return response;
}

}  // namespace iobenchd::api
