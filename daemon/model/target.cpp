#include "daemon/model/target.h"

#include <algorithm>
#include <cstdio>

#include "daemon/model/error.h"

namespace iobenchd {
namespace {

template <std::size_t N>
void check_terminated(const std::array<char, N>& field, const char* name) {
  if (std::find(field.begin(), field.end(), '\0') != field.end()) return;
  throw Error(ErrorCode::internal, std::string("target facts: ") + name + " has no end");
}

// Disk models are padded with blanks and may hold bytes nobody can type.
std::string typeable(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool printable = c > ' ' && c <= '~';
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    result += printable || c == ' ' ? c : '?';
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

// As it is printed on the disk: powers of 1000, one digit behind the point.
std::string decimal_size(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

}  // namespace

std::string_view to_string(TargetKind value) noexcept {
  switch (value) {
    case TargetKind::missing:
      return "missing";
    case TargetKind::block_device:
      return "block_device";
    case TargetKind::raw_device:
      return "raw_device";
    case TargetKind::regular_file:
      return "regular_file";
    case TargetKind::directory:
      return "directory";
    case TargetKind::other:
      return "other";
  }
  return "other";
}

void check_facts(const TargetFacts& facts) {
  if (facts.version != facts_version)
    throw Error(ErrorCode::internal, "target facts: version is not ours");
  if (static_cast<std::uint32_t>(facts.kind) > static_cast<std::uint32_t>(TargetKind::other))
    throw Error(ErrorCode::internal, "target facts: kind is none");
  if (facts.leaf_count > max_leaves)
    throw Error(ErrorCode::internal, "target facts: leaf_count is over its limit");
  for (const std::uint8_t flag :
       {facts.in_use, facts.rotational, facts.is_virtual, facts.block_storage, facts.direct_io,
        facts.counters_known, facts.signatures_known}) {
    if (flag > 1) throw Error(ErrorCode::internal, "target facts: a flag is neither 0 nor 1");
  }
  check_terminated(facts.governor, "governor");
  check_terminated(facts.path, "path");
  check_terminated(facts.real_path, "real_path");
  check_terminated(facts.use, "use");
  check_terminated(facts.model, "model");
  check_terminated(facts.serial, "serial");
  check_terminated(facts.firmware, "firmware");
  check_terminated(facts.io_scheduler, "io_scheduler");
  check_terminated(facts.filesystem, "filesystem");
  check_terminated(facts.mount_point, "mount_point");
  check_terminated(facts.mount_options, "mount_options");
  check_terminated(facts.signatures, "signatures");
  for (const auto& leaf : facts.leaves) check_terminated(leaf, "leaves");
}

std::vector<std::string> leaves_of(const TargetFacts& facts) {
  std::vector<std::string> leaves;
  for (std::uint32_t i = 0; i < facts.leaf_count && i < max_leaves; ++i)
    leaves.push_back(text_of(facts.leaves[i]));
  return leaves;
}

std::string confirm_phrase(const TargetFacts& facts) {
  const std::string model = typeable(text_of(facts.model));
  const std::string serial = typeable(text_of(facts.serial));
  const std::string size = decimal_size(facts.size_bytes);
  if (serial.empty()) {
    // The resolved path: the phrase stays the same under every name of the disk.
    const bool resolved = facts.real_path[0] != '\0';
    return "destroy " + typeable(text_of(resolved ? facts.real_path : facts.path)) + " " + size;
  }
  return "destroy " + (model.empty() ? "" : model + " ") + serial + " " + size;
}

}  // namespace iobenchd
