#include "daemon/launcher/log.h"

#include <poll.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "daemon/model/clock.h"

namespace iobenchd::launcher {
namespace {

constexpr std::size_t longest_line = 4000;  // with its time less than what a pipe takes at once
constexpr int patience_ms = 200;
constexpr int info_level = 6;

const char* level_word(int level) {
  if (level <= 3) return "error";
  if (level == 4) return "warning";
  return level == 7 ? "debug" : "info";
}

void emit(const std::string& raw, const std::function<void(int, const std::string&)>& line) {
  int level = info_level;
  std::string text = raw;
  if (raw.size() >= 3 && raw[0] == '<' && raw[1] >= '0' && raw[1] <= '7' && raw[2] == '>') {
    level = raw[1] - '0';
    text.erase(0, 3);
  }
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) < 0x20) || c == 0x7f; }, ' ');
  if (!text.empty()) line(level, text);
}

}  // namespace

Log::Log(LogSink sink) : sink_(sink) {
  if (sink_ == LogSink::system) openlog("iobenchd", LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

void Log::line(int level, const std::string& text) {
  if (sink_ == LogSink::system) {
    syslog(level, "%s", text.c_str());
    return;
  }
  std::string out;
  if (sink_ == LogSink::journal) {
    out = "<" + std::to_string(level) + ">" + text + "\n";
  } else {
    out = rfc3339(wall_now_ns()) + " " + level_word(level) + ": " + text + "\n";
  }
  // A pipe that nobody empties, or a terminal that is held, would stop the launcher and soon all of
  // its children: what can't be said soon isn't said.
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  reader_is_late_ = poll(&room, 1, reader_is_late_ ? 0 : patience_ms) == 0;
  if (reader_is_late_) return;
  // One write: lines of two processes on one terminal don't mix. A lost line stops nothing.
  if (write(STDERR_FILENO, out.data(), out.size()) < 0) return;
}

void LineCutter::feed(std::string_view bytes,
                      const std::function<void(int, const std::string&)>& line) {
  for (const char c : bytes) {
    if (c != '\n') pending_ += c;
    if (c != '\n' && pending_.size() < longest_line) continue;
    emit(pending_, line);
    pending_.clear();
  }
}

}  // namespace iobenchd::launcher
