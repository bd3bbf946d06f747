// Where a key stands in the configuration's text: JSON values don't remember their line. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace iobenchd {

// Lines (from 1) of the top-level keys ("targets"), of what their lists hold ("targets[1]") and of
// the members of their objects ("defaults.runtime"). For a text that has parsed already.
[[nodiscard]] std::map<std::string, std::size_t> config_lines(std::string_view text);
// The line of "targets[1].path": its own, or of what it is part of; 1 where nothing is known.
[[nodiscard]] std::size_t line_of(const std::map<std::string, std::size_t>& lines,
                                  std::string field);

}  // namespace iobenchd
