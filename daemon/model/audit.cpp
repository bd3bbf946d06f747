#include "daemon/model/audit.h"

#include <array>

namespace iobenchd {

std::string_view to_string(AuditKind value) noexcept {
  switch (value) {
    case AuditKind::refused:
      return "refused";
    case AuditKind::deleted:
      return "deleted";
    case AuditKind::overwrite:
      return "overwrite";
    case AuditKind::spared:
      return "spared";
  }
  return "refused";
}

std::optional<AuditKind> parse_audit_kind(std::string_view text) noexcept {
  for (const AuditKind kind : std::array<AuditKind, 4>{AuditKind::refused, AuditKind::deleted,
                                                       AuditKind::overwrite, AuditKind::spared}) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace iobenchd
