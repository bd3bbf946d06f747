#include "api/connection_workers.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/respond.h"

namespace iobenchd::api {
namespace {

constexpr std::chrono::milliseconds stop_patience{1000};
constexpr int poll_slice_ms = 100;

// The client closed its side, or the connection broke.
bool has_hung_up(int fd) {
  char byte = 0;
  const ssize_t size = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace

// Collects a short answer in the connection, whose owner then sends it without waiting; a stream
// goes out at once.
class Workers::WorkerOutlet : public Outlet {
 public:
  WorkerOutlet(Workers& workers, Connection& connection)
      : workers_(workers), connection_(connection) {}
  ~WorkerOutlet() override {
    if (place_) workers_.leave_place(*place_);
  }
  WorkerOutlet(const WorkerOutlet&) = delete;
  WorkerOutlet& operator=(const WorkerOutlet&) = delete;

  bool take_place(bool for_long_lived_route) override {
    if (!workers_.take_place(for_long_lived_route)) return false;
    place_ = for_long_lived_route;
    return true;
  }
  void begin_stream() override {
    is_stream_ = true;
    end_by_ = Clock::now() + workers_.limits_.stream_time;
  }
  bool write(std::string_view bytes) override {
    connection_.output += bytes;
    return !is_stream_ || send_all();
  }
  bool is_over() override {
    return Clock::now() >= end_by_ || workers_.is_stopping() ||
           has_hung_up(connection_.socket.get());
  }
  [[nodiscard]] bool is_stream() const { return is_stream_; }

 private:
  bool send_all() {
    Clock::time_point give_up = Clock::now() + workers_.limits_.write_time;
    for (;;) {
      const std::size_t before = connection_.sent_bytes;
      const Io io = send_output(connection_);
      if (io == Io::some) {
        connection_.output.clear();
        connection_.sent_bytes = 0;
        return true;
      }
      if (connection_.sent_bytes > before) give_up = Clock::now() + workers_.limits_.write_time;
      if (io == Io::gone || Clock::now() >= give_up || workers_.is_stopping()) return false;
      pollfd watched{connection_.socket.get(), POLLOUT, 0};
      ::poll(&watched, 1, poll_slice_ms);
    }
  }

  Workers& workers_;
  Connection& connection_;
  std::optional<bool> place_;
  bool is_stream_ = false;
  Clock::time_point end_by_{};
};

Workers::Workers(Answer answer, GiveBack give_back, const WorkerLimits& limits)
    : answer_(std::move(answer)), give_back_(std::move(give_back)), limits_(limits) {}

Workers::~Workers() {
  stop();
}

void Workers::start() {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (threads_.size() < workers_least) add_thread();
}

void Workers::submit(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(connection));
  }
  changed_.notify_one();
}

void Workers::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
    refuse_from_ = Clock::now() + stop_patience;
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void Workers::work() {
  Front front([this](const Route& route, const Request& request) {
    bool is_late = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_late = is_stopping_ && Clock::now() >= refuse_from_;
    }
    return is_late ? problem(503, "the daemon is stopping") : answer_(route, request);
  });
  for (;;) {
    std::unique_ptr<Connection> connection;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return !queue_.empty() || is_stopping_; });
      if (queue_.empty()) return;
      connection = std::move(queue_.front());
      queue_.pop_front();
    }
    try {
      answer(front, *connection);
      give_back_(std::move(connection));
    } catch (const std::exception& error) {  // out of memory; the connection is closed
      spdlog::error("http: {}", error.what());
    }
  }
}

void Workers::answer(Front& front, Connection& connection) {
  Exchange& exchange = *connection.exchange;
  connection.output.clear();
  connection.sent_bytes = 0;
  WorkerOutlet outlet(*this, connection);
  const bool is_whole = front.serve(exchange, outlet);
  spdlog::debug("http: {} {} {}", connection.peer, to_string(exchange.request.method),
                exchange.request.path);
  if (outlet.is_stream() || !is_whole) {
    // A stream that ended well is closed in order; one that broke off, at once.
    connection.is_dead = !is_whole;
    connection.close_after = true;
    return;
  }
  connection.close_after = exchange.close;
  connection.exchange.reset();  // with its body, before a slow client takes its time
  if (send_output(connection) == Io::gone) connection.is_dead = true;
}

bool Workers::take_place(bool for_long_lived_route) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::uint32_t& taken = for_long_lived_route ? long_lived_ : streams_;
  if (taken == long_answers_most || is_stopping_) return false;
  if (threads_.size() < workers_least + long_lived_ + streams_ + 1) add_thread();
  ++taken;
  return true;
}

void Workers::leave_place(bool for_long_lived_route) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --(for_long_lived_route ? long_lived_ : streams_);
}

void Workers::add_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    if (threads_.empty()) throw;  // fewer threads than wished for still serve
    spdlog::warn("http: no further thread: {}", error.what());
  }
}

bool Workers::is_stopping() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_stopping_;
}

}  // namespace iobenchd::api
