// What was refused, and what was or will be destroyed: one line of the audit trail. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iobenchd {

enum class AuditKind : std::uint8_t {
  refused,    // somebody was sent away
  deleted,    // a sweep or a schedule
  overwrite,  // a sweep that writes to a device was accepted
  spared      // such a sweep was cancelled before its first write
};
[[nodiscard]] std::string_view to_string(AuditKind value) noexcept;
[[nodiscard]] std::optional<AuditKind> parse_audit_kind(std::string_view text) noexcept;

struct AuditEntry {
  std::int64_t id = 0;
  std::int64_t at_ns = 0;  // of the last time
  AuditKind kind = AuditKind::refused;
  std::string peer;   // "127.0.0.1", "[::1]", "unix", "schedule 3"
  std::string token;  // its name, or "line 3"; empty: none was shown
  std::string method, path;
  std::int32_t status = 0;  // of the answer; 0: nobody was answered
  std::uint32_t times = 1;  // that this was refused within the minute
  std::string what;         // in words
};

}  // namespace iobenchd
