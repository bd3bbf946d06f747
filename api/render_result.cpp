#include "api/render.h"
#include "api/render_values.h"

namespace iobenchd::api {

Json render_sweet_spot(const std::optional<SweetSpot>& spot) {
  if (!spot) return nullptr;
  return {{"at", spot->at},
          {"low", spot->low},
          {"high", spot->high},
          {"rule", spot->rule},
          {"confidence", number(spot->confidence)},
          {"confidence_basis", spot->confidence_basis},
          {"likely",
           {{"low", spot->likely_low},
            {"high", spot->likely_high},
            {"in_band", number(spot->likely_in_band)}}},
          {"sentence", spot->sentence}};
}

Json render_usl(const std::optional<Usl>& usl) {
  if (!usl) return nullptr;
  return {{"lambda", number(usl->lambda)},
          {"sigma", number(usl->sigma)},
          {"kappa", number(usl->kappa)},
          {"peak_numjobs", usl->peak_numjobs ? number(*usl->peak_numjobs) : Json(nullptr)},
          {"r2", number(usl->r2)}};
}

namespace {

void add_latency(Json& json, const Point& point) {
  const bool mean = !point.failed && point.has_latency;
  const bool all = mean && point.has_percentiles;
  json["latency_mean_ns"] = known(mean, point.latency_mean_ns);
  add_percentiles(json, all, point);
  json["concurrency"] = known(mean, point.concurrency);
  json["depth_attained"] = known(mean, point.depth_attained);
}

// Published tables have no CPU figures: what has no percentiles wasn't measured by an engine, ours
// or fio's.
void add_machine(Json& json, const Point& point) {
  const bool ours = !point.failed && point.has_percentiles;
  json["cpu_user_percent"] = known(ours, point.cpu_user_percent);
  json["cpu_system_percent"] = known(ours, point.cpu_system_percent);
  json["cpu_per_io_ns"] = known(ours, point.cpu_per_io_ns);
  json["load_average"] = known(ours && point.load_average >= 0, point.load_average);
  json["wakeup_delay_p99_ns"] =
      known(ours && point.wakeup_delay_p99_ns > 0, point.wakeup_delay_p99_ns);
}

Json render_interval(const Point& point) {
  if (point.failed || !point.iops_ci95) return nullptr;
  return {{"low", number(point.iops_ci95->first)}, {"high", number(point.iops_ci95->second)}};
}

void add_latency(Json& json, const DirectionFigures& figures) {
  const bool any = figures.latency_max_ns > 0;
  json["latency_mean_ns"] = known(any, figures.latency_mean_ns);
  add_percentiles(json, any, figures);
}

// Of a mixed workload; null where there is but one direction.
Json render_direction(const std::optional<DirectionFigures>& figures) {
  if (!figures) return nullptr;
  Json json;
  json["iops"] = number(figures->iops);
  json["bandwidth_bytes_per_s"] = number(figures->bandwidth_bytes_per_s);
  add_latency(json, *figures);
  return json;
}

// An fsync is no I/O and moves no bytes: it has a rate and latencies.
Json render_fsyncs(const std::optional<DirectionFigures>& figures) {
  if (!figures) return nullptr;
  Json json;
  json["fsyncs_per_s"] = number(figures->iops);
  add_latency(json, *figures);
  return json;
}

Json render_point(const Point& point) {
  Json json;
  add_setting(json, point.setting);
  json["repeats"] = point.repeats;
  json["failed"] = point.failed;
  json["iops"] = known(!point.failed, point.iops);
  json["iops_ci95"] = render_interval(point);
  json["bandwidth_bytes_per_s"] = known(!point.failed, point.bandwidth_bytes_per_s);
  add_latency(json, point);
  add_machine(json, point);
  json["read"] = render_direction(point.read);
  json["write"] = render_direction(point.write);
  json["fsync"] = render_fsyncs(point.fsync);
  json["note"] = text_or_null(point.note);
  json["verdicts"] = render_verdicts(point.verdicts);
  json["run_ids"] = point.run_ids;
  return json;
}

Json render_named(const std::optional<Named>& named) {
  if (!named) return nullptr;
  return {{"name", named->name}, {"sentence", named->sentence}};
}

Json render_opinion(const std::optional<Opinion>& opinion) {
  if (!opinion) return nullptr;
  return {{"at", opinion->at}, {"rule", opinion->rule}};
}

Json render_curve(const Curve& curve) {
  Json json;
  json["axis"] = curve.axis;
  add_setting(json, curve.setting);
  json[curve.axis] = nullptr;  // it is what varies
  json["sweet_spot"] = render_sweet_spot(curve.sweet_spot);
  json["no_sweet_spot"] = render_named(curve.no_sweet_spot);
  json["latency_first"] = render_opinion(curve.latency_first);
  json["throughput_first"] = render_opinion(curve.throughput_first);
  json["kneedle"] = render_opinion(curve.kneedle);
  json["under_limit"] = render_opinion(curve.under_limit);
  json["strain_numjobs"] = curve.strain_numjobs ? Json(*curve.strain_numjobs) : Json(nullptr);
  json["usl"] = render_usl(curve.usl);
  json["no_usl"] = render_named(curve.no_usl);
  json["verdicts"] = render_verdicts(curve.verdicts);
  return json;
}

}  // namespace

Json render_result(const SweepResult& result) {
  Json points = Json::array(), curves = Json::array();
  for (const Point& point : result.points) points.push_back(render_point(point));
  for (const Curve& curve : result.curves) curves.push_back(render_curve(curve));
  Json json;
  json["points"] = std::move(points);
  json["curves"] = std::move(curves);
  json["answer"] = text_or_null(result.answer);
  json["warnings"] = render_verdicts(result.warnings);
  return json;
}

}  // namespace iobenchd::api
