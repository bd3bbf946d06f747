#include "api/render.h"
#include "api/render_values.h"

namespace iobenchd::api {

// What can be asked for stands under the names that POST takes, then how it went.
Json render_schedule(const SweepSchedule& schedule) {
  const Recurrence& when = schedule.when;
  Json json;
  json["id"] = schedule.id;
  json["label"] = schedule.label;
  json["every"] = when.every_ns != 0 ? seconds(when.every_ns) : Json(nullptr);
  json["daily"] = when.daily_minute ? Json(time_of_day_text(*when.daily_minute)) : Json(nullptr);
  json["jitter"] = seconds(when.jitter_ns);
  json["max_load"] = schedule.max_load ? number(*schedule.max_load) : Json(nullptr);
  json["paused"] = schedule.paused;
  json["sweep"] = render_spec(schedule.spec);
  json["created_at"] = time_or_null(schedule.created_at_ns);
  json["next_at"] = time_or_null(schedule.next_at_ns);
  json["waits_for"] = text_or_null(std::string(to_string(schedule.waits_for)));
  json["last_at"] = time_or_null(schedule.last_at_ns);
  json["last_sweep_id"] = known(schedule.last_sweep_id != 0, schedule.last_sweep_id);
  json["last_outcome"] = text_or_null(std::string(to_string(schedule.last_outcome)));
  json["last_error"] = text_or_null(schedule.last_error);
  json["missed"] = schedule.missed;
  json["regression"] = nullptr;
  if (schedule.regression)
    json["regression"] = {{"since", time_or_null(schedule.regression->since_ns)},
                          {"sweep_id", schedule.regression->sweep_id},
                          {"sentence", schedule.regression->sentence}};
  return json;
}

}  // namespace iobenchd::api
