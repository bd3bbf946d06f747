// The configuration file -> Settings. JSON with // comments, strict; every error names file, line
// and key. Used before threads start.
#pragma once

#include <string>
#include <vector>

#include "daemon/model/settings.h"

namespace iobenchd {

struct Config {
  Settings settings;
  std::string user = "_iobenchd";
  std::string file;  // empty: embedded defaults
};

// `path` empty: /etc/iobenchd.conf where it exists, else embedded defaults. `overrides`: -o
// key=value. Throws Error{invalid}.
[[nodiscard]] Config load_config(const std::string& path,
                                 const std::vector<std::string>& overrides);

}  // namespace iobenchd
