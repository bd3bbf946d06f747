#include "daemon/scheduler/schedules.h"

#include <charconv>

#include "api/access.h"
#include "api/answers.h"
#include "api/audit.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/parse_schedule.h"
#include "api/render.h"
#include "api/server.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

scheduler::Schedules& schedules_of(const Context& context) {
  if (context.schedules == nullptr)
    throw Error(ErrorCode::unavailable, "schedules can't be had here");
  return *context.schedules;
}

// What is no number is no schedule's either.
std::int64_t id_of(const Request& request) {
  const std::string& name = request.parameters.at(0);
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  return error == std::errc{} && end == name.data() + name.size() ? id : 0;
}

std::string defaults_of(const Context& context) {
  return context.defaults_json ? context.defaults_json() : "";
}

}  // namespace

Response post_schedule(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const SweepSchedule wish = parse_schedule(request.body, defaults_of(context), SweepSchedule{});
  require_destroy(request.caller, wish.spec);
  const SweepSchedule made = schedules_of(context).create(wish);
  Response response = json_answer(201, render_schedule(made));
  response.headers.emplace_back("Location", "/api/v1/schedules/" + std::to_string(made.id));
  return response;
}

// A list like every other, but never so long that it needs a second page.
Response list_schedules(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  Json body;
  body["items"] = Json::array();
  for (const SweepSchedule& schedule : schedules_of(context).list())
    body["items"].push_back(render_schedule(schedule));
  body["next_cursor"] = nullptr;
  return json_answer(200, body);
}

Response get_schedule(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  return json_answer(200, render_schedule(schedules_of(context).find(id_of(request))));
}

Response patch_schedule(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  scheduler::Schedules& schedules = schedules_of(context);
  const std::int64_t id = id_of(request);
  const SweepSchedule wish = parse_schedule(request.body, defaults_of(context), schedules.find(id));
  require_destroy(request.caller, wish.spec);
  return json_answer(200, render_schedule(schedules.change(id, wish)));
}

Response delete_schedule(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const SweepSchedule schedule = schedules_of(context).find(id_of(request));
  schedules_of(context).remove(schedule.id);
  note(context, request, AuditKind::deleted, 204,
       "schedule " + std::to_string(schedule.id) +
           (schedule.label.empty() ? "" : ", labelled " + schedule.label));
  Response response;
  response.status = 204;
  return response;
}

}  // namespace iobenchd::api
