#include "api/answers.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/render.h"
#include "api/server.h"

namespace iobenchd::api {

// A list like every other, but never so long that it needs a second page.
Response list_targets(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  Json body;
  body["items"] = Json::array();
  for (const scheduler::TargetView& target : context.scheduler.targets()) {
    body["items"].push_back(render_target(target));
  }
  body["next_cursor"] = nullptr;
  return json_answer(200, body);
}

}  // namespace iobenchd::api
