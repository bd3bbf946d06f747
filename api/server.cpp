#include "api/server.h"

#include "api/server_core.h"

namespace iobenchd::api {

struct Server::State {
  State(const Context& given, const Settings& settings)
      : context(given),
        core(
            routes(),
            [this](const Route& route, const Request& request) {
              return route.handler(context, request);
            },
            settings) {}

  const Context context;
  ServerCore core;
};

Server::Server(const Context& context, const Settings& settings)
    : state_(std::make_unique<State>(context, settings)) {}

Server::~Server() = default;

void Server::start() {
  state_->core.start();
}

std::vector<std::string> Server::addresses() const {
  return state_->core.addresses();
}

void Server::reload(const Settings& settings) {
  state_->core.reload(settings);
}

void Server::stop() {
  state_->core.stop();
}

}  // namespace iobenchd::api
