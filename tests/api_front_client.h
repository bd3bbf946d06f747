// A client of raw bytes and a small house for it to call: what the front's tests share. One thread
// each.
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api/server_core.h"
#include "daemon/model/error.h"

namespace front_test {

using namespace std::chrono_literals;
using iobenchd::Settings;
using iobenchd::api::Clock;
using iobenchd::api::CoreLimits;
using iobenchd::api::Duty;
using iobenchd::api::Method;
using iobenchd::api::Request;
using iobenchd::api::Response;
using iobenchd::api::Route;
using iobenchd::api::ServerCore;

// "At once", on a machine that has other things to do too. What these tests guard against took
// 5 s and more.
inline constexpr auto soon = 4s;

inline constexpr std::size_t big_bytes = std::size_t{8} << 20;

inline const std::array<Route, 14> table{{
    {.method = Method::get, .pattern = "/healthz", .handler = nullptr, .open_to_all = true},
    {.method = Method::get, .pattern = "/echo/{word}", .handler = nullptr},
    {.method = Method::post,
     .pattern = "/echo",
     .handler = nullptr,
     .duty = Duty::run,
     .body_limit_bytes = 1U << 20U,
     .content_types = "application/json"},
    {.method = Method::post, .pattern = "/cancel", .handler = nullptr, .duty = Duty::run},
    {.method = Method::get, .pattern = "/mirror", .handler = nullptr},
    {.method = Method::get, .pattern = "/big", .handler = nullptr},
    {.method = Method::get, .pattern = "/throw", .handler = nullptr},
    {.method = Method::get, .pattern = "/inject", .handler = nullptr},
    {.method = Method::get, .pattern = "/stream", .handler = nullptr},
    {.method = Method::get, .pattern = "/broken", .handler = nullptr},
    {.method = Method::get, .pattern = "/endless", .handler = nullptr, .long_lived = true},
    {.method = Method::del, .pattern = "/gone", .handler = nullptr, .duty = Duty::destroy},
    {.method = Method::post, .pattern = "/hit", .handler = nullptr, .duty = Duty::run},
    {.method = Method::post, .pattern = "/report", .handler = nullptr, .duty = Duty::run},
}};

inline Settings settings_for(const std::string& address) {
  Settings settings;
  settings.listen_count = 1;
  std::snprintf(settings.listen[0].data(), settings.listen[0].size(), "%s", address.c_str());
  return settings;
}

// A server of that table on a port of its own.
struct House {
  explicit House(const CoreLimits& limits = {}, const std::string& address = "127.0.0.1:0")
      : core(
            table,
            [this](const Route& route, const Request& request) {
              return answer(std::string(route.pattern), request);
            },
            settings_for(address), limits) {
    core.start();
    const std::string bound = core.addresses().at(0);
    port = static_cast<std::uint16_t>(std::atoi(bound.substr(bound.rfind(':') + 1).c_str()));
  }

  Response answer(const std::string& pattern, const Request& request) {
    Response response;
    response.content_type = "text/plain";
    if (pattern == "/healthz") response.body = "ok\n";
    if (pattern == "/mirror")
      response.body = std::string(request.header("accept")) + "|" + request.peer + "\n";
    if (pattern == "/big") response.body.assign(big_bytes, 'b');
    if (pattern == "/gone") response.status = 204;
    if (pattern == "/cancel" || pattern == "/hit") response.status = 202;
    if (pattern == "/hit") ++hits;
    if (pattern == "/throw") throw std::runtime_error("the secret of the house");
    if (pattern == "/inject") response.headers.emplace_back("Location", "/a\r\nSet-Cookie: b=c");
    if (pattern.rfind("/echo", 0) == 0) {
      response.body = request.path + "|" + request.body + "|";
      for (const std::string& parameter : request.parameters) response.body += parameter + "|";
      for (const auto& [key, value] : request.query) response.body += key + "=" + value + "|";
    }
    if (pattern == "/stream" || pattern == "/broken") {
      const auto count = std::make_shared<int>(0);
      const bool breaks = pattern == "/broken";
      response.stream = [count, breaks](std::string& chunk) {
        if (breaks && *count == 2) throw std::runtime_error("the secret of the house");
        if (*count == 1) chunk.clear();  // nothing to say for now is no end
        if (*count != 1) chunk = "line " + std::to_string(*count) + "\n";
        return ++*count < 3;
      };
    }
    if (pattern == "/report") {
      Response accepted;
      accepted.status = 202;
      response.without_stream = std::make_shared<const Response>(accepted);
    }
    if (pattern == "/endless" || pattern == "/report") {
      response.stream = [](std::string& chunk) {
        std::this_thread::sleep_for(20ms);
        chunk = ": beat\n\n";
        return true;
      };
    }
    return response;
  }

  std::atomic<int> hits = 0;
  ServerCore core;
  std::uint16_t port = 0;
};

struct Reply {
  int status = 0;  // 0: the connection was closed without an answer
  std::string head, body;

  [[nodiscard]] bool has(const std::string& text) const {
    return head.find(text) != std::string::npos;
  }
};

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0);
  }
  ~Client() { ::close(fd_); }
  Client(Client&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), input_(std::move(other.input_)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // False when the other side doesn't take it any more.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t size = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }
  void end_sending() const { ::shutdown(fd_, SHUT_WR); }

  // Waits for more; false at the end of the stream or after `patience`.
  bool more(std::chrono::milliseconds patience = 20s) {
    pollfd watched{fd_, POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(patience.count())) <= 0) return false;
    std::array<char, 65536> bytes;
    const ssize_t size = ::recv(fd_, bytes.data(), bytes.size(), 0);
    if (size <= 0) return false;
    input_.append(bytes.data(), static_cast<std::size_t>(size));
    return true;
  }

  // One answer with a length.
  Reply reply(bool without_body = false) {
    Reply reply;
    std::size_t end = std::string::npos;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return reply;
    }
    reply.head = input_.substr(0, end + 2);
    input_.erase(0, end + 4);
    reply.status = std::atoi(reply.head.substr(9, 3).c_str());
    const std::size_t at = reply.head.find("Content-Length: ");
    std::size_t length = 0;
    if (at != std::string::npos && !without_body) {
      length = static_cast<std::size_t>(std::atoll(reply.head.c_str() + at + 16));
    }
    while (input_.size() < length && more()) {
    }
    reply.body = input_.substr(0, length);
    input_.erase(0, length);
    return reply;
  }

  // All there is until the server closes.
  std::string rest() {
    while (more()) {
    }
    return std::exchange(input_, {});
  }
  [[nodiscard]] bool is_closed() { return !more() && input_.empty(); }

  Reply ask(const std::string& text) {
    send(text);
    return reply();
  }

 private:
  int fd_;
  std::string input_;
};

inline std::string get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

inline std::string post(const std::string& target, const std::string& body,
                        const std::string& headers = "Content-Type: application/json\r\n") {
  return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// What /healthz answers, once the server has noticed what happened a moment ago.
inline int health_in_the_end(std::uint16_t port) {
  int status = 0;
  for (int i = 0; i < 200 && status != 200; ++i) {
    if (i > 0) std::this_thread::sleep_for(25ms);
    status = Client(port).ask(get("/healthz")).status;
  }
  return status;
}

inline std::chrono::milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

}  // namespace front_test
