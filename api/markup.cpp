#include "api/markup.h"

#include <nlohmann/json.hpp>

namespace iobenchd::api {

namespace {

// Models of disks aren't always UTF-8; a page in two encodings is none.
std::string valid_utf8(std::string_view text) {
  using Json = nlohmann::json;
  const std::string dumped =
      Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(dumped).get<std::string>();
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        out += (byte < 0x20 && c != '\n') || byte == 0x7F ? ' ' : c;
      }
    }
  }
  return out;
}

}  // namespace iobenchd::api
