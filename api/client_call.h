// One call of iobench to a daemon: where it goes, and what is said when nobody answers. One thread.
#pragma once

#include <httplib.h>

#include <string>

namespace iobenchd::api {

class Caller {
 public:
  // "http://host:port" or "unix:/path". Throws Error{unavailable} where it is neither.
  explicit Caller(std::string server);

  [[nodiscard]] httplib::Client& http() noexcept { return client_; }
  [[nodiscard]] httplib::Headers headers(const std::string& accept) const;

  // Error{unavailable}: nobody answers, or something that isn't a daemon of ours.
  [[noreturn]] void no_answer(const std::string& why) const;
  [[noreturn]] void no_answer(httplib::Error error) const;
  // Error{unavailable}: it answers with another status than was hoped for, and says why.
  [[noreturn]] void refused(int status, const std::string& body) const;

 private:
  std::string server_;
  bool over_unix_;
  httplib::Client client_;
};

// What a problem+json says is wrong; "" where the body is none.
[[nodiscard]] std::string problem_detail(const std::string& body);

}  // namespace iobenchd::api
