// The names of engine flags, as people and JSON see them. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace iobenchd {

[[nodiscard]] std::vector<std::string_view> engine_flag_names(std::uint32_t flags);

}  // namespace iobenchd
