// Requests and responses as the handlers see them: no httplib, no JSON. Plain values; a handler
// runs on one worker thread (a long-lived one on a thread of its own) and may be called from many
// at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iobenchd::api {

struct Context;  // api/server.h

enum class Method : std::uint8_t { get, head, post, put, patch, del, options };

// What a call does, and so which scope of a token it asks for.
enum class Duty : std::uint8_t {
  read,     // changes nothing
  run,      // queues, cancels, describes
  destroy,  // deletes, or overwrites a device
  copy      // hands out all there is, in one answer: guarded as a change, but a token may read
};
[[nodiscard]] std::string_view to_string(Duty duty) noexcept;

// What somebody may do: a token's scopes, none of which holds another.
class Duties {
 public:
  [[nodiscard]] static constexpr Duties all() {
    Duties duties;
    duties.bits_ = 7;
    return duties;
  }
  constexpr void add(Duty duty) { bits_ = static_cast<std::uint8_t>(bits_ | bit(duty)); }
  [[nodiscard]] constexpr bool has(Duty duty) const { return (bits_ & bit(duty)) != 0; }
  [[nodiscard]] constexpr bool operator==(const Duties&) const = default;

 private:
  [[nodiscard]] static constexpr std::uint8_t bit(Duty duty) {
    return static_cast<std::uint8_t>(
        1U << static_cast<unsigned>(duty == Duty::copy ? Duty::read : duty));
  }
  std::uint8_t bits_ = 0;
};

// Who asks, as far as the door could tell.
struct Caller {
  Duties duties = Duties::all();  // where no token is needed, all
  std::string token;              // its name, or "line 3"; empty: none was shown
};

// What the strict front let through: exactly one Host, no Range, no encodings, a body of known
// length within the route's limit.
struct Request {
  Method method = Method::get;
  std::string path;                     // decoded, without query
  std::vector<std::string> parameters;  // what the pattern's {} matched, in order
  std::map<std::string, std::string>
      query;  // decoded; a repeated key is refused by the front with 400
  std::map<std::string, std::string> headers;  // lower-case names, allow-list only
  std::string body;
  bool over_unix_socket = false;
  std::string peer;  // "127.0.0.1", "[::1]", "unix"
  Caller caller;

  [[nodiscard]] std::string_view header(const std::string& name) const {  // "" when absent
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view{} : std::string_view(found->second);
  }
};

// Called again and again on the connection's thread; appends what is to be sent next. Returns false
// at the end. May block for at most a second at a time (returning true with nothing appended is
// fine), so that a stop is never far.
using NextChunk = std::function<bool(std::string& chunk)>;

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  NextChunk stream;  // set: the body comes in chunks (no length is known)
  // Answered instead where all places for long answers are taken; none: 503. For a stream that only
  // reports on what is done already.
  std::shared_ptr<const Response> without_stream;
};

using Handler = Response (*)(const Context& context, const Request& request);

struct Route {
  Method method;
  std::string_view
      pattern;  // "/api/v1/sweeps/{id}/cancel"; {} matches one segment; no regular expressions
  Handler handler;
  Duty duty = Duty::read;
  std::size_t body_limit_bytes = 0;     // 0: takes no body
  std::string_view content_types = {};  // "application/json,text/csv"; an empty body needs none
  bool long_lived = false;   // may stream for long: gets a thread of its own (16 at most)
  bool open_to_all = false;  // without a token even beyond loopback: /healthz and the page
};

// THE table (api/routes.cpp).
[[nodiscard]] std::span<const Route> routes() noexcept;

}  // namespace iobenchd::api
