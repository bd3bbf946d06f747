// The one error type of the house. Thrown among people's mistakes and the world's failures, caught
// once per thread root, mapped once to HTTP (api/respond) and once to exit codes (the mains).
// Values: freely copyable, no thread promise needed.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace iobenchd {

enum class ErrorCode {
  invalid,    // the request, configuration or spec says something that can't be: 422, exit 2
  not_found,  // no such sweep, run, target: 404
  conflict,   // the thing exists but is in the wrong state: 409
  forbidden,  // not allowed by the configuration: 403
  confirmation_needed,  // would destroy data; says what: 428
  queue_full,           // 429
  storage_full,         // no room under the database: 507
  unavailable,          // the daemon can't do it now: 503
  internal,             // a bug or a broken machine: 500, details go to the log alone
};

// `field` is the path a user wrote ("numjobs", "bs[1]", "latency_limit.p99"); empty when the whole
// document is meant.
struct FieldError {
  std::string field;
  std::string message;
};

// What a write would destroy, as far as the disk tells it.
struct Destruction {
  std::string path, model, serial;
  std::uint64_t size_bytes = 0;
  std::optional<std::vector<std::string>> signatures;  // "gpt", "ext"; none: nobody looked
  std::string confirm;                                 // the phrase that allows it
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Error(ErrorCode code, const std::string& field, const std::string& message)
      : std::runtime_error(field + ": " + message), code_(code), fields_{{field, message}} {}
  Error(ErrorCode code, const std::string& field, const std::string& message,
        std::optional<Destruction> destroys)
      : Error(code, field, message) {
    destroys_ = std::move(destroys);
  }
  Error(const std::string& message, std::vector<FieldError> fields)
      : std::runtime_error(message), code_(ErrorCode::invalid), fields_(std::move(fields)) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::vector<FieldError>& fields() const noexcept { return fields_; }
  [[nodiscard]] const std::optional<Destruction>& destroys() const noexcept { return destroys_; }

 private:
  ErrorCode code_;
  std::vector<FieldError> fields_;
  std::optional<Destruction> destroys_;  // of confirmation_needed
};

}  // namespace iobenchd
