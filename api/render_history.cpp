#include "api/render_history.h"

#include <cmath>

#include "api/render_values.h"

namespace iobenchd::api {

namespace {

void add_identity(Json& json, const Identity& identity) {
  json["serial"] = text_or_null(identity.serial);
  json["target"] = text_or_null(identity.target);
  json["host"] = text_or_null(identity.host);
  add_setting(json, identity.setting);
  json["ioengine"] = known(identity.ioengine != IoEngine::automatic, to_string(identity.ioengine));
  json["direct"] = identity.direct;
  json["size_class"] = identity.size_class;
  json["workload"] = text_or_null(identity.workload);
}

Json render_host(const Series& series, const analysis::HistoryPoint& point) {
  if (point.circumstances >= series.circumstances.size()) return nullptr;
  return text_or_null(series.circumstances[point.circumstances].host);
}

Json render_point(const Series& series, const analysis::HistoryPoint& point) {
  Json json;
  json["started_at"] = time_or_null(point.started_at_ns);
  json["sweep_id"] = point.sweep_id;
  json["run_ids"] = point.run_ids;
  json["repeats"] = point.run_ids.size();
  json["iops"] = number(point.iops);
  json["latency_mean_ns"] = known(point.latency_mean_ns > 0, point.latency_mean_ns);
  json["latency_p99_ns"] = known(point.latency_p99_ns > 0, point.latency_p99_ns);
  json["host"] = render_host(series, point);
  json["pinned"] = point.pinned;
  return json;
}

Json render_baseline(const std::optional<analysis::Baseline>& baseline) {
  if (!baseline) return nullptr;
  return {{"kind", baseline->pinned ? "pinned" : "rolling"},
          {"sweep_ids", baseline->sweep_ids},
          {"iops", number(baseline->iops)}};
}

Json render_newest(const std::optional<analysis::NewestVerdict>& newest) {
  if (!newest) return nullptr;
  const auto& found = newest->comparison;
  Json json;
  json["sweep_id"] = newest->sweep_id;
  json["change"] = known(found.has_value(), found ? to_string(found->change) : "");
  json["regression"] = found && is_worse(found->change);
  json["ratio"] = known(found.has_value(), found ? found->ratio : 0);
  json["ci95"] = nullptr;
  if (found && found->ci95) {
    json["ci95"] = {{"low", number(found->ci95->first)}, {"high", number(found->ci95->second)}};
  }
  json["p"] = found && found->p ? number(*found->p) : Json(nullptr);
  json["sentence"] = newest->sentence;
  return json;
}

Json render_change(const analysis::HistoryPoint& point, const analysis::ChangePoint& change) {
  return {{"at", time_or_null(point.started_at_ns)},
          {"sweep_id", point.sweep_id},
          {"before", number(change.before)},
          {"after", number(change.after)},
          {"ratio", number(change.ratio)},
          {"p", number(change.p)},
          {"sentence", analysis::change_sentence(change)}};
}

Json render_mark(const analysis::HistoryPoint& point, const analysis::Mark& mark) {
  return {{"at", time_or_null(point.started_at_ns)},
          {"sweep_id", point.sweep_id},
          {"field", mark.field},
          {"from", mark.from},
          {"to", mark.to}};
}

}  // namespace

Json render_series(const Series& series, const analysis::History& history, std::int64_t since_ns) {
  const auto shown = [&](std::size_t at) { return history.points[at].started_at_ns >= since_ns; };
  Json json;
  add_identity(json, series.identity);
  Json& points = json["points"] = Json::array();
  for (const analysis::HistoryPoint& point : history.points) {
    if (point.started_at_ns >= since_ns) points.push_back(render_point(series, point));
  }
  json["older_left_off"] = series.older_left_off || (!history.points.empty() && !shown(0));
  json["baseline"] = render_baseline(history.baseline);
  json["newest"] = render_newest(history.newest);
  Json& changes = json["change_points"] = Json::array();
  for (const analysis::ChangePoint& change : history.changes.found) {
    if (shown(change.at)) changes.push_back(render_change(history.points[change.at], change));
  }
  json["no_change_points"] = nullptr;
  if (const auto& none = history.changes.none) {
    json["no_change_points"] = {{"name", none->name}, {"sentence", none->sentence}};
  }
  Json& left_out = json["left_out"] = Json::array();
  for (const analysis::LeftOut& value : history.changes.left_out) {
    if (!shown(value.at)) continue;
    left_out.push_back({{"sweep_id", history.points[value.at].sweep_id}, {"reason", value.reason}});
  }
  Json& marks = json["marks"] = Json::array();
  for (const analysis::Mark& mark : history.marks) {
    if (shown(mark.at)) marks.push_back(render_mark(history.points[mark.at], mark));
  }
  return json;
}

std::vector<Json> render_series_lines(const Series& series, const analysis::History& history,
                                      std::int64_t since_ns) {
  std::vector<Json> lines;
  auto change = history.changes.found.begin();
  auto mark = history.marks.begin();
  for (std::size_t at = 0; at < history.points.size(); ++at) {
    const analysis::HistoryPoint& point = history.points[at];
    Json line;
    add_identity(line, series.identity);
    line.update(render_point(series, point));  // its host is the identity's, where that has one
    const bool changed = change != history.changes.found.end() && change->at == at;
    line["change_ratio"] = known(changed, changed ? change->ratio : 0);
    if (changed) ++change;
    Json& marks = line["marks"] = Json::array();
    for (; mark != history.marks.end() && mark->at == at; ++mark)
      marks.push_back(mark->field + ": " + mark->from + " -> " + mark->to + ";");
    const auto& newest = history.newest;
    const bool judged = at + 1 == history.points.size() && newest && newest->comparison;
    line["change"] = known(judged, judged ? to_string(newest->comparison->change) : "");
    if (point.started_at_ns >= since_ns) lines.push_back(std::move(line));
  }
  return lines;
}

Json series_columns() {
  analysis::History one;
  one.points.resize(1);
  return render_series_lines(Series{}, one, 0).front();
}

}  // namespace iobenchd::api
