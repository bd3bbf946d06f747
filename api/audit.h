// The audit trail as handlers write and show it. Safe from any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "api/http.h"
#include "api/server.h"
#include "daemon/model/audit.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

// A row about this request, without its words.
[[nodiscard]] AuditEntry audit_entry(const Request& request, AuditKind kind, int status);
// Of an Error that a handler threw: is it a refusal that belongs into the trail? A dry run tries
// nothing.
[[nodiscard]] bool is_audited(const Request& request, const Error& error);
// What was done, on disk before the answer goes out. A full disk is logged and stops nobody.
void note(const Context& context, const Request& request, AuditKind kind, int status,
          std::string what) noexcept;

[[nodiscard]] nlohmann::ordered_json render_audit(const AuditEntry& entry);

}  // namespace iobenchd::api
