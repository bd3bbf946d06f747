// The HTTP server behind a pimpl: nobody outside `api` sees httplib. Owns its threads. All
// functions safe from the owner's thread; stop() from any.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/events/hub.h"
#include "daemon/model/settings.h"
#include "daemon/scheduler/scheduler.h"
#include "daemon/scheduler/schedules.h"
#include "storage/store.h"

namespace iobenchd::api {

struct Memory;  // api/memory.h: what handlers remember between requests
[[nodiscard]] std::shared_ptr<Memory> make_memory();

struct Context {
  storage::Store& store;
  events::Hub& hub;
  scheduler::Scheduler& scheduler;
  // The configuration's `defaults` as they are now; null: the server keeps them itself.
  std::function<std::string()> defaults_json = nullptr;
  std::shared_ptr<Memory> memory = make_memory();
  scheduler::Schedules* schedules = nullptr;  // null: this house has none
};

class Server {
 public:
  // Binds every address of settings.listen. Throws Error{unavailable} naming the address and why (a
  // taken port).
  Server(const Context& context, const Settings& settings);
  ~Server();  // stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  [[nodiscard]] std::vector<std::string> addresses() const;  // what it listens on, port 0 resolved
  void reload(const Settings& settings);                     // allowed_hosts, token file
  void stop();  // answers what was asked, closes streams; under 2 s

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace iobenchd::api
