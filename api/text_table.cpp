#include "api/text_table.h"

#include <algorithm>
#include <cmath>

#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

// Columns as a reader sees them: bytes that continue a UTF-8 character take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

std::string table_text(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const TextRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      line += "  " + std::string(widths[i] - width_of(row[i]), ' ') + row[i];
    }
    if (!row.back().empty()) line += "  " + row.back();
    text += line + "\n";
  }
  return text;
}

std::string block_text(std::uint32_t bytes) {
  constexpr std::uint32_t kib = 1024;
  return bytes % kib == 0 ? std::to_string(bytes / kib) + "k" : std::to_string(bytes);
}

std::string decimal_text(double value) {
  if (!std::isfinite(value) || value < 0 || value > 1e18) return "-";
  const auto tenths = static_cast<std::uint64_t>(std::llround(value * 10));
  return count_text(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string whole_text(double value) {
  return count_text(static_cast<std::uint64_t>(std::llround(value)));
}

}  // namespace iobenchd::api
