// Built with IOBENCHD_WEB=OFF: a page in plain HTML says so and shows the way without it.
#include <array>

#include "api/assets.h"

namespace iobenchd::api {
namespace {

constexpr std::array<Asset, 1> pages{{{"/", "text/html; charset=utf-8",
                                       R"(<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>iobenchd</title></head>
<body>
<h1>iobenchd</h1>
<p>This daemon was built without its dashboard. Everything works from a shell:</p>
<pre>curl -X POST http://127.0.0.1:8464/api/v1/sweeps
curl http://127.0.0.1:8464/api/v1/sweeps/1?format=text</pre>
<p><a href="/api/v1/openapi.json">What else may be asked</a></p>
</body>
</html>
)",
                                       "", false}}};

}  // namespace

std::span<const Asset> assets() noexcept {
  return pages;
}

}  // namespace iobenchd::api
