#include "daemon/analysis/wording.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "daemon/model/quantity.h"

namespace iobenchd::analysis {

std::string decimal(double value, int digits) {
  std::array<char, 64> text{};
  // %g past what a person would read as digits: no number of ours is that large unless it is wrong.
  std::snprintf(text.data(), text.size(), std::abs(value) < 1e15 ? "%.*f" : "%.*g", digits, value);
  return text.data();
}

std::string count(double value) {
  if (!(value >= 0) || value >= 1e15) return decimal(value, 3);
  return count_text(static_cast<std::uint64_t>(std::llround(value)));
}

std::string percent(double share) {
  const double value = share * 100;
  const bool small = std::abs(value) < 1 && std::abs(value) >= 0.05;
  return decimal(value, small ? 1 : 0) + " %";
}

std::string block_size(std::uint32_t bytes) {
  if (bytes >= 1U << 20 && bytes % (1U << 20) == 0) return std::to_string(bytes >> 20) + "m";
  if (bytes >= 1U << 10 && bytes % (1U << 10) == 0) return std::to_string(bytes >> 10) + "k";
  return std::to_string(bytes);
}

std::string plural(std::uint64_t n, std::string_view noun) {
  return count_text(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

std::string lowered(std::string text) {
  const bool word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';  // not an abbreviation
  if (word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

std::string direction(Rw rw) {
  if (reads(rw) && !writes(rw)) return "reads";
  if (writes(rw) && !reads(rw)) return "writes";
  return std::string(to_string(rw));
}

std::string amount(std::string_view axis, std::uint32_t low, std::uint32_t high) {
  const std::string range =
      low == high ? place(axis, low) : place(axis, low) + " to " + place(axis, high);
  if (axis == "iodepth") return "depth " + range;
  if (axis == "bs") return range + " blocks";
  return range + (high == 1 ? " job" : " jobs");
}

std::string place(std::string_view axis, std::uint32_t n) {
  return axis == "bs" ? block_size(n) : std::to_string(n);
}

std::string more(std::string_view axis) {
  if (axis == "iodepth") return "More depth";
  return axis == "bs" ? "Larger blocks" : "More jobs";
}

std::string throughput(std::string_view axis) {
  return axis == "bs" ? "bandwidth" : "IOPS";
}

std::string setting_label(const Setting& setting) {
  std::string label = std::string(to_string(setting.rw));
  if (setting.block_bytes != 0) label += " " + block_size(setting.block_bytes);
  if (setting.iodepth > 1) label += ", depth " + std::to_string(setting.iodepth);
  if (setting.numjobs != 0) label += ", " + plural(setting.numjobs, "job");
  return label;
}

}  // namespace iobenchd::analysis
