// The dashboard's files, embedded at build; none when built with IOBENCHD_WEB=OFF. Immutable data.
#pragma once

#include <span>
#include <string_view>

namespace iobenchd::api {

struct Asset {
  std::string_view path;          // "/", "/app-3f2a91c0.js"
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::string_view body;
  std::string_view gzip_body;  // precompressed; empty where it doesn't pay
  bool immutable = false;      // the name carries a hash: cache for a year
};

// Defined by the file that web/embed.cmake generates.
[[nodiscard]] std::span<const Asset> assets() noexcept;

}  // namespace iobenchd::api
