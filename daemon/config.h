// The configuration file -> Settings. JSON with // comments, strict; every error names file, line
// and key. Used before threads start.
#pragma once

#include <string>
#include <vector>

#include "daemon/model/settings.h"

namespace iobenchd {

inline constexpr const char* default_config_file = "/etc/iobenchd.conf";

struct Config {
  Settings settings;
  std::string user = "_iobenchd";
  std::string file;  // empty: embedded defaults
};

// What holds without any file. `as_service`: started as root; a plain user's state lives in
// $XDG_STATE_HOME/iobenchd or ~/.local/state/iobenchd.
[[nodiscard]] Config default_config(bool as_service);
// `text` over `base`; `file` is for the errors.
[[nodiscard]] Config parse_config(const std::string& text, const std::string& file, Config base);
// `path` empty: /etc/iobenchd.conf where it exists, else embedded defaults. `overrides`: -o
// key=value. Throws Error{invalid}.
[[nodiscard]] Config load_config(const std::string& path,
                                 const std::vector<std::string>& overrides);
// At a reload: what only a restart changes keeps its value of `running`; returns those keys.
[[nodiscard]] std::vector<std::string> keep_for_restart(Config& fresh, const Config& running);

}  // namespace iobenchd
