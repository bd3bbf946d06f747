#include "api/front.h"

#include <httplib.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "api/respond.h"

namespace iobenchd::api {
namespace {

// The request httplib reads. Of what the client wrote there are the method, the query and the body,
// all in a form that has one reading. The path is always "/": the route was chosen before, and
// httplib matches paths with recursive regular expressions. No header of the client's is in it:
// 0.11.4 decodes %XX in their values, later ones don't.
std::string canonical_head(const Exchange& exchange) {
  std::string text(to_string(exchange.request.method));
  text += " /";
  if (!exchange.query.empty()) text += "?" + exchange.query;
  text += " HTTP/1.1\r\nHost: iobenchd\r\nContent-Length: ";
  text += std::to_string(exchange.body.size());
  text += "\r\n\r\n";
  return text;
}

// A header's value, or a path in it, may come from a user: no line of its own may come of it.
std::string one_line(std::string value) {
  std::replace_if(
      value.begin(), value.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return value;
}

// httplib's view of the connection: reads from memory, writes to the outlet. Some of the functions
// came and went between releases, so none says `override`.
// NOLINTBEGIN(modernize-use-override)
class MemoryStream : public httplib::Stream {
 public:
  MemoryStream(std::string head, const std::string& body, Outlet& outlet)
      : head_(std::move(head)), body_(body), outlet_(outlet) {}

  bool is_readable() const { return true; }
  bool is_writable() const { return true; }
  bool wait_readable() const { return true; }
  bool wait_writable() const { return true; }
  bool is_peer_alive() const { return true; }
  time_t duration() const { return 0; }
  ssize_t read(char* into, size_t size) {
    const std::string& source = at_ < head_.size() ? head_ : body_;
    const std::size_t from = at_ < head_.size() ? at_ : at_ - head_.size();
    if (from >= source.size()) return 0;  // the body may be gone already
    const std::size_t count = std::min(size, source.size() - from);
    std::copy_n(source.data() + from, count, into);
    at_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) {
    return outlet_.write({from, size}) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}
  socket_t socket() const { return INVALID_SOCKET; }

 private:
  std::string head_;
  const std::string& body_;
  Outlet& outlet_;
  std::size_t at_ = 0;
};
// NOLINTEND(modernize-use-override)

}  // namespace

class Front::Library : public httplib::Server {
 public:
  explicit Library(Answer answer) : answer_(std::move(answer)) {
    const auto handler = [this](const httplib::Request& request, httplib::Response& response) {
      handle(request, response);
    };
    Get("/", handler);  // HEAD too
    Post("/", handler);
    Put("/", handler);
    Patch("/", handler);
    Delete("/", handler);
    set_post_routing_handler(
        [this](const httplib::Request&, httplib::Response& response) { finish_headers(response); });
    set_exception_handler([](const httplib::Request&, httplib::Response& response,
                             const std::exception_ptr&) { response.status = 500; });
    // The bodies were measured against their routes' limits; this is only not to be in the way.
    set_payload_max_length(std::size_t{1} << 30U);
    // A stream ends when httplib believes that it doesn't listen; it never does, here.
    svr_sock_ = 0;
  }
  ~Library() override { svr_sock_ = INVALID_SOCKET; }

  bool serve(Exchange& exchange, Outlet& outlet) {
    exchange_ = &exchange;
    outlet_ = &outlet;
    broken_ = false;
    MemoryStream stream(canonical_head(exchange), exchange.body, outlet);
    const bool whole = process(stream);
    return whole && !broken_;
  }

 private:
  // The way round the front: httplib's own accept loop. Nothing starts it; were it started, it
  // would serve nobody.
  bool process_and_close_socket(socket_t socket) override {
    ::close(socket);
    return false;
  }

  // Its arguments differ between releases.
  template <class AnyStream>
  bool process(AnyStream& stream) {
    bool closed = false;
    const std::function<void(httplib::Request&)> nothing;
    if constexpr (requires { this->process_request(stream, false, closed, nothing); }) {
      return this->process_request(stream, false, closed, nothing);
    } else {
      return this->process_request(stream, "", 0, "", 0, false, closed, nothing);
    }
  }

  void handle(const httplib::Request& from, httplib::Response& to) {
    Request& request = exchange_->request;
    exchange_->body = {};  // httplib has read it: never three times in memory
    request.body = from.body;
    for (const auto& [key, value] : from.params) request.query.emplace(key, value);
    Response response = respond(request);
    to.status = response.status;
    for (auto& [name, value] : response.headers) to.set_header(name, one_line(value));
    const std::string type = one_line(response.content_type);
    if (response.stream) {
      begin_stream(to, type, std::move(response.stream));
    } else if (!response.body.empty()) {
      to.body = std::move(response.body);
      to.set_header("Content-Type", type);
    }
  }

  Response respond(const Request& request) {
    const Route& route = *exchange_->route;
    const std::string all_taken = "16 long answers are under way already, as many as there may be";
    try {
      if (route.long_lived && !outlet_->take_place(true)) return problem(503, all_taken);
      Response response = answer_(route, request);
      if (!response.stream || route.long_lived || outlet_->take_place(false)) return response;
      return response.without_stream ? *response.without_stream : problem(503, all_taken);
    } catch (const Error& error) {
      return problem(error);
    } catch (const std::exception& error) {
      return problem(Error(ErrorCode::internal, request.path + ": " + error.what()));
    } catch (...) {
      return problem(Error(ErrorCode::internal, request.path + ": something unknown was thrown"));
    }
  }

  void begin_stream(httplib::Response& to, const std::string& type, NextChunk next) {
    exchange_->close = true;
    outlet_->begin_stream();
    const auto provider = [this, next = std::move(next)](std::size_t, httplib::DataSink& sink) {
      return pass_on(next, sink);
    };
    if (exchange_->http_1_0) {
      to.set_content_provider(type, provider);
    } else {
      to.set_chunked_content_provider(type, provider);
    }
  }

  // False breaks the stream off, which the client can tell from an end.
  bool pass_on(const NextChunk& next, httplib::DataSink& sink) {
    try {
      std::string chunk;
      const bool more = !outlet_->is_over() && next(chunk);
      // httplib takes an empty chunk for the end.
      if (!chunk.empty() && !sink.write(chunk.data(), chunk.size())) broken_ = true;
      if (!more && !broken_) sink.done();
    } catch (const std::exception& error) {
      spdlog::error("http: {}: {}", exchange_->request.path, error.what());
      broken_ = true;
    } catch (...) {
      spdlog::error("http: {}: something unknown was thrown", exchange_->request.path);
      broken_ = true;
    }
    return !broken_;
  }

  // httplib's own ideas of these differ between releases, and it doesn't know what we know.
  void finish_headers(httplib::Response& response) {
    for (const char* name : {"Keep-Alive", "Connection", "Accept-Ranges"}) {
      response.headers.erase(name);
    }
    if (exchange_->close) response.set_header("Connection", "close");
    if (response.status == 204 || response.status == 304) response.headers.erase("Content-Length");
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    if (!response.has_header("Cache-Control")) response.set_header("Cache-Control", "no-cache");
  }

  Answer answer_;
  Exchange* exchange_ = nullptr;
  Outlet* outlet_ = nullptr;
  bool broken_ = false;
};

Front::Front(Answer answer) : library_(std::make_unique<Library>(std::move(answer))) {}

Front::~Front() = default;

bool Front::serve(Exchange& exchange, Outlet& outlet) {
  try {
    return library_->serve(exchange, outlet);
  } catch (const std::exception& error) {
    spdlog::error("http: {}: {}", exchange.request.path, error.what());
  } catch (...) {
    spdlog::error("http: {}: something unknown was thrown", exchange.request.path);
  }
  return false;
}

}  // namespace iobenchd::api
