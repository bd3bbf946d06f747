// Every failure's one way out: Error -> RFC 9457 problem+json with every wrong field. Pure
// functions; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

// status: any documented one. `detail` says what is wrong and the cure. A newline ends the body.
[[nodiscard]] Response problem(int status, std::string_view detail,
                               const std::vector<FieldError>& fields = {});
[[nodiscard]] Response problem(
    const Error& error);  // ErrorCode -> status; internal: generic text, details to the log

// "Not Found": what stands beside a status, in the title of a problem and on the status line.
[[nodiscard]] std::string_view status_title(int status) noexcept;

}  // namespace iobenchd::api
