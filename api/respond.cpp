#include "api/respond.h"

#include <spdlog/spdlog.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "api/strict_json.h"

namespace iobenchd::api {
namespace {

void append_escaped(std::string& pointer, char c) {
  static constexpr char digits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  if (std::isalnum(byte) != 0 || c == '_' || c == '-' || c == '.') {
    pointer += c;
  } else if (c == '~') {
    pointer += "~0";
  } else if (c == '/') {
    pointer += "~1";
  } else {
    pointer += '%';
    pointer += digits[byte >> 4U];
    pointer += digits[byte & 0xFU];
  }
}

// "latency_limit.p99" -> "#/latency_limit/p99", "bs[1]" -> "#/bs/1": a JSON pointer as a URI
// fragment, as RFC 9457's own example has it.
std::string pointer_to(const std::string& field) {
  std::string pointer = field.empty() ? "#" : "#/";
  for (const char c : field) {
    if (c == ']') continue;
    if (c == '.' || c == '[') {
      pointer += '/';
    } else {
      append_escaped(pointer, c);
    }
  }
  return pointer;
}

int status_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid:
      return error.fields().empty() ? 400 : 422;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
      return 409;
    case ErrorCode::forbidden:
      return 403;
    case ErrorCode::confirmation_needed:
      return 428;
    case ErrorCode::queue_full:
      return 429;
    case ErrorCode::storage_full:
      return 507;
    case ErrorCode::unavailable:
      return 503;
    case ErrorCode::internal:
      return 500;
  }
  return 500;
}

nlohmann::ordered_json render(const Destruction& destruction) {
  const auto known = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  nlohmann::ordered_json json;
  json["path"] = destruction.path;
  json["model"] = known(destruction.model);
  json["serial"] = known(destruction.serial);
  json["size_bytes"] = destruction.size_bytes;
  json["signatures"] = nullptr;
  if (destruction.signatures) json["signatures"] = *destruction.signatures;
  json["confirm_phrase"] = destruction.confirm;
  return json;
}

Response problem_with(int status, std::string_view detail, const std::vector<FieldError>& fields,
                      const std::optional<Destruction>& destroys) {
  nlohmann::ordered_json body;
  body["type"] = "about:blank";
  body["title"] = status_title(status);
  body["status"] = status;
  body["detail"] = detail;
  if (!fields.empty()) {
    nlohmann::ordered_json& errors = body["errors"];
    for (const FieldError& field : fields) {
      errors.push_back({{"field", field.field},
                        {"pointer", pointer_to(field.field)},
                        {"message", field.message}});
    }
  }
  if (destroys) body["destroys"] = render(*destroys);
  Response response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body = to_text(body);
  response.headers.emplace_back("Cache-Control", "no-store");
  if (status == 429) response.headers.emplace_back("Retry-After", "30");
  if (status == 503) response.headers.emplace_back("Retry-After", "5");
  return response;
}

}  // namespace

Response problem(int status, std::string_view detail, const std::vector<FieldError>& fields) {
  return problem_with(status, detail, fields, std::nullopt);
}

Response problem(const Error& error) {
  const int status = status_of(error);
  if (status != 500) return problem_with(status, error.what(), error.fields(), error.destroys());
  spdlog::error("http: {}", error.what());
  return problem(500, "something is wrong inside the daemon; its log says what");
}

std::string_view status_title(int status) noexcept {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Internal Server Error";
  }
}

}  // namespace iobenchd::api
