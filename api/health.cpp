#include "api/answers.h"
#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/respond.h"
#include "api/server.h"
#include "daemon/version.h"

namespace iobenchd::api {

// The process answers: that is all it says.
Response get_healthz(const Context&, const Request& request) {
  QueryReader(request, {}).finish();
  return json_answer(200, {{"status", "ok"}, {"program_version", program_version}});
}

// Work would be accepted.
Response get_readyz(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const std::string trouble = context.store.trouble();
  if (!trouble.empty()) return problem(503, "not ready: " + trouble, {{"database", trouble}});
  return json_answer(200, {{"status", "ready"}});
}

}  // namespace iobenchd::api
