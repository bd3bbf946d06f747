#include "api/static_files.h"

#include <algorithm>
#include <span>
#include <string>

#include "api/assets.h"
#include "api/head.h"
#include "api/respond.h"

namespace iobenchd::api {
namespace {

constexpr std::string_view content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

constexpr Route file_route{
    .method = Method::get, .pattern = "", .handler = get_static_file, .open_to_all = true};

const Asset* find_asset(std::string_view path) {
  const std::span<const Asset> all = assets();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Asset& asset) { return asset.path == path; });
  return found == all.end() ? nullptr : &*found;
}

// "br, gzip;q=0.5" yes; "gzip;q=0" no.
bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const std::size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string item = lower(trimmed(accept_encoding.substr(0, comma)));
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    if (media_type(item) != "gzip") continue;
    const std::size_t weight = item.find("q=");
    return weight == std::string::npos ||
           item.find_first_of("123456789", weight) != std::string::npos;
  }
  return false;
}

}  // namespace

const Route* static_route(std::string_view path) noexcept {
  return find_asset(path) == nullptr ? nullptr : &file_route;
}

Response get_static_file(const Context& /*context*/, const Request& request) {
  const Asset* asset = find_asset(request.path);
  if (asset == nullptr) return problem(404, "there is no such file");
  Response response;
  response.content_type = asset->content_type;
  const bool zipped = !asset->gzip_body.empty() && takes_gzip(request.header("accept-encoding"));
  response.body = zipped ? asset->gzip_body : asset->body;
  if (zipped) response.headers.emplace_back("Content-Encoding", "gzip");
  if (!asset->gzip_body.empty()) response.headers.emplace_back("Vary", "Accept-Encoding");
  response.headers.emplace_back(
      "Cache-Control", asset->immutable ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.emplace_back("Content-Security-Policy", content_security_policy);
  return response;
}

}  // namespace iobenchd::api
