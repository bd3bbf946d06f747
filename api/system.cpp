#include "api/answers.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/render.h"
#include "api/server.h"

namespace iobenchd::api {

Response get_system(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  return json_answer(200, render_system(context.scheduler.system()));
}

}  // namespace iobenchd::api
