#include "daemon/service_log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <string>

namespace iobenchd {
namespace {

// As syslog counts.
int level_number(spdlog::level::level_enum level) noexcept {
  if (level >= spdlog::level::err) return 3;
  if (level == spdlog::level::warn) return 4;
  return level == spdlog::level::info ? 6 : 7;
}

class PipeSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit PipeSink(int descriptor) : descriptor_(descriptor) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::string line = "<" + std::to_string(level_number(message.level)) + ">";
    for (const char c : message.payload) line += c == '\n' ? ' ' : c;
    line += '\n';
    const char* from = line.data();
    std::size_t left = line.size();
    while (left > 0) {
      const ssize_t written = write(descriptor_, from, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // the launcher is gone, and this process soon will be
      from += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  void flush_() override {}

 private:
  int descriptor_;
};

spdlog::level::level_enum level_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void start_service_log(int descriptor, LogLevel level) {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<PipeSink>(descriptor)));
  set_service_log_level(level);
}

void set_service_log_level(LogLevel level) {
  spdlog::set_level(level_of(level));
}

}  // namespace iobenchd
