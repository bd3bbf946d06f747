// A table for people with a terminal. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iobenchd::api {

using TextRow = std::vector<std::string>;

// Numbers right, the last column (words) left. Expects at least one row, all of one length.
[[nodiscard]] std::string table_text(const std::vector<TextRow>& rows);
// "4k" where it is whole.
[[nodiscard]] std::string block_text(std::uint32_t bytes);
// "1 712.0": thousands apart, one decimal; "-" for what is no figure.
[[nodiscard]] std::string decimal_text(double value);
// "9 204"
[[nodiscard]] std::string whole_text(double value);

}  // namespace iobenchd::api
