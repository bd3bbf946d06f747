#include "api/server.h"

#include <mutex>
#include <utility>

#include "api/audit.h"
#include "api/audit_trail.h"
#include "api/respond.h"
#include "api/server_core.h"

namespace iobenchd::api {

// The configuration's `defaults`, until a reload brings others.
class Defaults {
 public:
  explicit Defaults(const Settings& settings) : json_(text_of(settings.defaults_json)) {}
  void reload(const Settings& settings) {
    const std::lock_guard lock(mutex_);
    json_ = text_of(settings.defaults_json);
  }
  [[nodiscard]] std::string json() {
    const std::lock_guard lock(mutex_);
    return json_;
  }

 private:
  std::mutex mutex_;
  std::string json_;
};

struct Server::State {
  State(const Context& given, const Settings& settings)
      : defaults(settings),
        context(with_defaults(given)),
        core(
            routes(),
            [this](const Route& route, const Request& request) { return answer(route, request); },
            settings, {}, [this](AuditEntry entry) { trail.refused(std::move(entry)); }) {}

  Context with_defaults(Context given) {
    if (!given.defaults_json) given.defaults_json = [this] { return defaults.json(); };
    return given;
  }

  Response answer(const Route& route, const Request& request) {
    try {
      return route.handler(context, request);
    } catch (const Error& error) {
      if (is_audited(request, error)) {
        AuditEntry entry = audit_entry(request, AuditKind::refused, problem(error).status);
        entry.what = error.what();
        trail.refused(std::move(entry));
      }
      throw;
    }
  }

  Defaults defaults;
  const Context context;
  AuditTrail trail{
      [this](const std::vector<AuditEntry>& rows) { context.store.audit().add(rows); }};
  ServerCore core;
};

Server::Server(const Context& context, const Settings& settings)
    : state_(std::make_unique<State>(context, settings)) {}

Server::~Server() = default;

void Server::start() {
  state_->trail.start();
  state_->core.start();
}

std::vector<std::string> Server::addresses() const {
  return state_->core.addresses();
}

void Server::reload(const Settings& settings) {
  state_->defaults.reload(settings);
  state_->core.reload(settings);
}

void Server::stop() {
  state_->core.stop();
  state_->trail.stop();
}

}  // namespace iobenchd::api
