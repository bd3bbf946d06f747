// The lease of a physical disk: a file beside the database, locked by the engine that works on the
// disk for as long as that lives. Safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace iobenchd {

inline constexpr std::string_view lease_prefix = "lease-";

// The file of the disk that is called `leaf` ("sd0", "cciss/c0d0").
[[nodiscard]] inline std::string lease_name(std::string_view leaf) {
  std::string name(lease_prefix);
  for (const char c : leaf) name += c == '/' || c == '.' ? '_' : c;
  return name;
}

}  // namespace iobenchd
