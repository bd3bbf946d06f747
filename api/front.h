// The front: what httplib may see. One per worker thread; httplib's own sockets, threads, routes,
// files, ranges and compression are never used. It gets one whole request in canonical form at a
// time, reads it from memory, and writes the answer.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "api/connection.h"
#include "api/http.h"

namespace iobenchd::api {

using Answer = std::function<Response(const Route& route, const Request& request)>;

// Where an answer goes. Implemented by the worker.
class Outlet {
 public:
  virtual ~Outlet() = default;
  // A place among the long answers, for the rest of this exchange; false when all are taken.
  [[nodiscard]] virtual bool take_place(bool for_long_lived_route) = 0;
  // What is written from now on goes out at once, and waits for the client.
  virtual void begin_stream() = 0;
  [[nodiscard]] virtual bool write(std::string_view bytes) = 0;  // false: the client is gone
  // A long answer must end: the daemon stops, its time is over, or the client hung up.
  [[nodiscard]] virtual bool is_over() = 0;
};

class Front {
 public:
  explicit Front(Answer answer);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  // Answers connection.exchange on `outlet`, whatever happens. False: the bytes written are no
  // whole answer, so that only closing the connection tells the client the truth.
  [[nodiscard]] bool serve(Exchange& exchange, Outlet& outlet);

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace iobenchd::api
