#include "api/openapi.h"

#include "api/answers.h"
#include "api/handlers.h"
#include "api/parse_query.h"

namespace iobenchd::api {

Response get_openapi(const Context&, const Request& request) {
  QueryReader(request, {}).finish();
  Response response;
  response.body = std::string(openapi_json());
  return with_etag(request, std::move(response));
}

}  // namespace iobenchd::api
