// Where the daemon's lines go: stderr with the time (a terminal), stderr as "<6>text" (the journal
// reads the level there), or syslog. Doesn't wait for who reads it: lines are lost then. Used by
// the launcher alone; single-threaded.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace iobenchd::launcher {

enum class LogSink { terminal, journal, system };

class Log {
 public:
  explicit Log(LogSink sink);
  // `level` as syslog counts: 3 error, 4 warning, 6 info, 7 debug.
  void line(int level, const std::string& text);
  void error(const std::string& text) { line(3, text); }
  void warning(const std::string& text) { line(4, text); }
  void info(const std::string& text) { line(6, text); }

 private:
  LogSink sink_;
  bool reader_is_late_ = false;  // of stderr, at the last line
};

// Cuts a stream of "<6>text\n" into lines. The other end is not trusted: a line has a longest
// length, and control characters become blanks, lest a message forge another or move a terminal's
// cursor.
class LineCutter {
 public:
  void feed(std::string_view bytes, const std::function<void(int, const std::string&)>& line);

 private:
  std::string pending_;
};

}  // namespace iobenchd::launcher
