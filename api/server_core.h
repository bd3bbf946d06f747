// The server without its handlers: listeners, loop, workers and house rules around any table of
// routes. start, stop and reload are the owner's; stop() is safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "api/access.h"
#include "api/connection.h"
#include "api/connection_loop.h"
#include "api/connection_workers.h"
#include "api/front.h"
#include "api/guesses.h"
#include "api/head.h"
#include "api/http.h"
#include "daemon/model/audit.h"
#include "daemon/model/settings.h"

namespace iobenchd::api {

struct CoreLimits {
  LoopLimits loop;
  WorkerLimits workers;
};

// Of somebody who was sent away with 401, 403, 421 or 429. Called on the loop's thread: it must not
// wait.
using TellRefused = std::function<void(AuditEntry)>;

class ServerCore {
 public:
  // Throws Error{unavailable} naming the address that can't be had; Error{invalid} when token_file
  // is missing though it listens beyond loopback, or can't be used. `routes` must outlive it.
  ServerCore(std::span<const Route> routes, Answer answer, const Settings& settings,
             const CoreLimits& limits = {}, TellRefused tell_refused = {});
  ~ServerCore();  // stop()
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  void start();
  [[nodiscard]] std::vector<std::string> addresses() const;
  void reload(const Settings& settings);  // rules that can't be used are logged, the old ones stay
  void stop();

 private:
  [[nodiscard]] std::shared_ptr<const HouseRules> rules() const;
  // The loop's thread only.
  [[nodiscard]] std::variant<Exchange, Response> judge_head(const Head& head,
                                                            const Connection& from);

  std::span<const Route> routes_;
  bool is_beyond_loopback_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const HouseRules> rules_;  // guarded by mutex_, swapped as a whole
  TellRefused tell_refused_;
  Guesses guesses_;  // the loop's thread only
  std::unique_ptr<ConnectionLoop> loop_;
  std::unique_ptr<Workers> workers_;
  std::mutex stop_mutex_;  // one stop at a time
  std::thread loop_thread_;
};

}  // namespace iobenchd::api
