#include "api/client_call.h"

#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "api/client.h"
#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

constexpr int patience_s = 10;
constexpr std::string_view unix_prefix = "unix:";

bool is_unix(const std::string& server) {
  return server.compare(0, unix_prefix.size(), unix_prefix) == 0;
}

}  // namespace

Caller::Caller(std::string server)
    : server_(std::move(server)),
      over_unix_(is_unix(server_)),
      client_(over_unix_ ? server_.substr(unix_prefix.size()) : server_) {
  if (!client_.is_valid()) no_answer("that is no address such as " + std::string(default_server));
  if (over_unix_) client_.set_address_family(AF_UNIX);
  client_.set_connection_timeout(patience_s);
  client_.set_read_timeout(patience_s);
}

httplib::Headers Caller::headers(const std::string& accept) const {
  httplib::Headers headers{{"Accept", accept}};
  // A path is no name that a server would take for its own.
  if (over_unix_) headers.emplace("Host", "localhost");
  return headers;
}

void Caller::no_answer(const std::string& why) const {
  throw Error(ErrorCode::unavailable, "no iobenchd answers at " + server_ + " (" + why +
                                          "); is it running? --server names another place");
}

void Caller::no_answer(httplib::Error error) const {
  no_answer(error == httplib::Error::Connection ? "nothing listens there"
                                                : httplib::to_string(error));
}

void Caller::refused(int status, const std::string& body) const {
  const std::string detail = problem_detail(body);
  if (detail.empty()) no_answer("status " + std::to_string(status));
  throw Error(ErrorCode::unavailable, "iobenchd at " + server_ + " says: " + detail);
}

std::string problem_detail(const std::string& body) {
  const auto problem = nlohmann::json::parse(body, nullptr, false);
  if (!problem.is_object()) return "";
  const auto detail = problem.find("detail");
  return detail != problem.end() && detail->is_string() ? detail->get<std::string>() : "";
}

}  // namespace iobenchd::api
