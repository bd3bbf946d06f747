#include "api/render_compare.h"

#include "api/render.h"
#include "api/render_values.h"

namespace iobenchd::api {

namespace {

Json render_side(const ComparedSide& side) {
  Json json;
  json["id"] = side.id;
  json["uuid"] = text_or_null(side.uuid);
  json["label"] = text_or_null(side.label);
  json["host"] = text_or_null(side.host);
  json["os"] = text_or_null(side.os);
  json["target"] = text_or_null(side.target);
  json["model"] = text_or_null(side.model);
  json["answer"] = text_or_null(side.answer);
  return json;
}

Json render_figure(const std::optional<analysis::FigurePair>& figure) {
  if (!figure) return nullptr;
  const analysis::Comparison& found = figure->comparison;
  Json json;
  json["base"] = number(figure->base);
  json["with"] = number(figure->with);
  json["ratio"] = number(found.ratio);
  json["ci95"] = nullptr;
  if (found.ci95)
    json["ci95"] = {{"low", number(found.ci95->first)}, {"high", number(found.ci95->second)}};
  json["p"] = found.p ? number(*found.p) : Json(nullptr);
  json["change"] = to_string(found.change);
  return json;
}

// What stands for the other side where it isn't the same.
Json setting_if_other(const Setting& base, const Setting& with) {
  return base == with ? Json(nullptr) : render_setting(with);
}

Json render_pair(const ComparedSide& base, const ComparedSide& with,
                 const analysis::PointPair& pair) {
  const Setting& setting = base.sweep.result.points[pair.base].setting;
  Json json;
  json["setting"] = render_setting(setting);
  json["with_setting"] = setting_if_other(setting, with.sweep.result.points[pair.with].setting);
  json["iops"] = render_figure(pair.iops);
  json["latency_mean_ns"] = render_figure(pair.latency_mean_ns);
  json["latency_p99_ns"] = render_figure(pair.latency_p99_ns);
  return json;
}

Json render_settings(const SweepResult& result, const std::vector<std::size_t>& indices) {
  Json list = Json::array();
  for (const std::size_t index : indices) {
    list.push_back(render_setting(result.points[index].setting));
  }
  return list;
}

Json ratio_of(double base, double with) {
  return base > 0 ? number(with / base) : Json(nullptr);
}

Json render_spots(const Curve& base, const Curve& with) {
  Json json;
  json["base"] = render_sweet_spot(base.sweet_spot);
  json["with"] = render_sweet_spot(with.sweet_spot);
  const bool both = base.sweet_spot && with.sweet_spot;
  json["ratio"] = both ? ratio_of(base.sweet_spot->at, with.sweet_spot->at) : Json(nullptr);
  return json;
}

Json render_fits(const Curve& base, const Curve& with) {
  Json json;
  json["base"] = render_usl(base.usl);
  json["with"] = render_usl(with.usl);
  const bool both = base.usl && with.usl;
  json["lambda_ratio"] = both ? ratio_of(base.usl->lambda, with.usl->lambda) : Json(nullptr);
  json["sigma_ratio"] = both ? ratio_of(base.usl->sigma, with.usl->sigma) : Json(nullptr);
  json["kappa_ratio"] = both ? ratio_of(base.usl->kappa, with.usl->kappa) : Json(nullptr);
  return json;
}

Json render_curve_pair(const Curve& base, const Curve& with) {
  Json json;
  json["axis"] = base.axis;
  add_setting(json, base.setting);
  json[base.axis] = nullptr;  // it is what varies
  json["with_setting"] = setting_if_other(base.setting, with.setting);
  if (!json["with_setting"].is_null()) json["with_setting"][base.axis] = nullptr;
  json["sweet_spot"] = render_spots(base, with);
  json["usl"] = render_fits(base, with);
  return json;
}

Json render_mismatches(const std::vector<analysis::Mismatch>& mismatches) {
  Json list = Json::array();
  for (const analysis::Mismatch& mismatch : mismatches) {
    list.push_back({{"field", mismatch.field},
                    {"base", mismatch.base},
                    {"with", mismatch.with},
                    {"sentence", mismatch.sentence}});
  }
  return list;
}

// The shipped tables that have this very setting.
Json render_beside(const Point& point) {
  Json list = Json::array();
  for (const Baseline& baseline : baselines()) {
    for (const Point& other : baseline.result.points) {
      if (other.setting != point.setting) continue;
      list.push_back({{"id", baseline.id},
                      {"iops", number(other.iops)},
                      {"ratio", ratio_of(other.iops, point.iops)}});
    }
  }
  return list;
}

Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json render_standing(const analysis::Standing& standing, const Point& point) {
  Json json;
  json["setting"] = render_setting(point.setting);
  json["iops"] = number(point.iops);
  json["earlier_sweeps"] = standing.earlier_sweeps;
  json["percentile"] = optional_number(standing.percentile);
  json["median_iops"] = optional_number(standing.median_iops);
  json["low"] = optional_number(standing.low);
  json["high"] = optional_number(standing.high);
  json["baselines"] = render_beside(point);
  json["sentence"] = standing.sentence;
  return json;
}

}  // namespace

Json render_baseline(const Baseline& baseline) {
  Json json;
  json["id"] = baseline.id;
  json["title"] = baseline.title;
  json["source"] = baseline.source;
  json["hardware"] = baseline.hardware;
  json["os"] = baseline.os;
  json["unknown"] = baseline.unknown;
  json["notes"] = baseline.table.sweep.notes;
  json.update(render_result(baseline.result));
  return json;
}

Json render_comparison(const ComparedSide& base, const ComparedSide& with,
                       const analysis::SweepComparison& found) {
  const SweepResult& base_result = base.sweep.result;
  const SweepResult& with_result = with.sweep.result;
  Json points = Json::array(), curves = Json::array();
  for (const auto& pair : found.points) points.push_back(render_pair(base, with, pair));
  for (const auto& pair : found.curves) {
    curves.push_back(
        render_curve_pair(base_result.curves[pair.base], with_result.curves[pair.with]));
  }
  Json json;
  json["base"] = render_side(base);
  json["with"] = render_side(with);
  json["mismatches"] = render_mismatches(found.mismatches);
  json["nearest_along"] = text_or_null(std::string(found.nearest_along));
  json["points"] = std::move(points);
  json["only_in_base"] = render_settings(base_result, found.only_in_base);
  json["only_in_with"] = render_settings(with_result, found.only_in_with);
  json["curves"] = std::move(curves);
  json["summary"] = found.summary;
  return json;
}

Json render_model_comparison(const ModelComparison& found) {
  Json standing = Json::array();
  for (const analysis::Standing& point : found.standings.points) {
    standing.push_back(render_standing(point, found.with.sweep.result.points[point.point]));
  }
  Json json;
  json["model"] = text_or_null(found.with.model);
  json["with"] = render_side(found.with);
  json["earlier_sweeps"] = found.earlier_sweeps;
  json["standing"] = std::move(standing);
  json["summary"] = found.standings.summary;
  return json;
}

}  // namespace iobenchd::api
