#include "api/server_core.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "api/head_judge.h"
#include "daemon/model/clock.h"
#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

// What the rest of the service needs of its descriptors: database, log, engines.
constexpr std::size_t other_descriptors = 256;
// Of what is kept of a refused one, who may have sent 16 kB.
constexpr std::size_t path_most_bytes = 200, what_most_bytes = 500;

std::vector<Listener> open_listeners(const Settings& settings) {
  std::vector<Listener> listeners;
  for (std::uint32_t i = 0; i < std::min(settings.listen_count, max_listen); ++i) {
    listeners.emplace_back(std::string(settings.listen[i].data()));
  }
  return listeners;
}

void check_token(const HouseRules& rules, bool is_beyond_loopback) {
  if (!is_beyond_loopback || !rules.tokens.empty()) return;
  throw Error(ErrorCode::invalid, "token_file",
              "listen names an address that others can reach, so a token is needed: "
              "iobench token --append=FILE makes one; then set token_file");
}

// As many connections as there are descriptors for.
std::size_t affordable(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const auto have = static_cast<std::size_t>(limit.rlim_cur);
  return std::min(wanted, have > other_descriptors + 64 ? have - other_descriptors : have / 4);
}

// Without the query, which may hold anything.
AuditEntry refused_entry(const Head& head, const std::string& peer, const Denial& denial) {
  AuditEntry entry;
  entry.at_ns = wall_now_ns();
  entry.peer = peer;
  entry.token = denial.token;
  entry.method = to_string(head.method);
  entry.path = head.target.substr(0, std::min(head.target.find('?'), path_most_bytes));
  entry.status = denial.response.status;
  entry.what = denial.why.substr(0, what_most_bytes);
  return entry;
}

}  // namespace

ServerCore::ServerCore(std::span<const Route> routes, Answer answer, const Settings& settings,
                       const CoreLimits& limits, TellRefused tell_refused)
    : routes_(routes),
      rules_(std::make_shared<const HouseRules>(read_house_rules(settings))),
      tell_refused_(std::move(tell_refused)) {
  std::vector<Listener> listeners = open_listeners(settings);
  is_beyond_loopback_ =
      std::any_of(listeners.begin(), listeners.end(),
                  [](const Listener& listener) { return listener.door() == Door::beyond; });
  check_token(*rules_, is_beyond_loopback_);
  LoopLimits loop_limits = limits.loop;
  loop_limits.connections = affordable(loop_limits.connections);
  loop_ = std::make_unique<ConnectionLoop>(
      std::move(listeners),
      [this](const Head& head, const Connection& from) { return judge_head(head, from); },
      [this](std::unique_ptr<Connection> connection) { workers_->submit(std::move(connection)); },
      loop_limits);
  workers_ = std::make_unique<Workers>(
      std::move(answer),
      [this](std::unique_ptr<Connection> connection) { loop_->give_back(std::move(connection)); },
      limits.workers);
}

std::variant<Exchange, Response> ServerCore::judge_head(const Head& head, const Connection& from) {
  const Clock::time_point now = Clock::now();
  auto judged =
      judge(head, {from.door, from.peer, guesses_.wait_s(from.peer, now)}, *rules(), routes_);
  if (auto* exchange = std::get_if<Exchange>(&judged)) return std::move(*exchange);
  Denial& denial = std::get<Denial>(judged);
  if (denial.wrong_token) guesses_.count(from.peer, now);
  if (tell_refused_ && !denial.why.empty()) tell_refused_(refused_entry(head, from.peer, denial));
  return std::move(denial.response);
}

ServerCore::~ServerCore() {
  stop();
}

void ServerCore::start() {
  workers_->start();
  loop_thread_ = std::thread([this] { loop_->run(); });
  for (const std::string& address : addresses()) spdlog::info("http: listening on {}", address);
}

std::vector<std::string> ServerCore::addresses() const {
  return loop_->addresses();
}

void ServerCore::reload(const Settings& settings) {
  try {
    auto fresh = std::make_shared<const HouseRules>(read_house_rules(settings));
    check_token(*fresh, is_beyond_loopback_);
    const std::lock_guard<std::mutex> lock(mutex_);
    rules_ = std::move(fresh);
  } catch (const Error& error) {
    spdlog::error("http: {} (the old tokens and hosts stay)", error.what());
  }
}

void ServerCore::stop() {
  const std::lock_guard<std::mutex> lock(stop_mutex_);
  loop_->stop_accepting();
  workers_->stop();
  loop_->finish();
  if (loop_thread_.joinable()) loop_thread_.join();
}

std::shared_ptr<const HouseRules> ServerCore::rules() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rules_;
}

}  // namespace iobenchd::api
