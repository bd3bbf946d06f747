#include "daemon/client/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "api/render.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/quantity.h"

namespace iobenchd::client {
namespace {

constexpr std::size_t columns_unknown = 80;

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return columns_unknown;
  return size.ws_col;
}

std::string without_newline(std::string line) {
  if (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::string figures_text(const RunSummary& run) {
  return count_text(static_cast<std::uint64_t>(std::llround(std::max(0.0, run.iops)))) +
         " IOPS, mean " + latency_text(run.latency_mean_ns) + ", p99 " +
         latency_text(static_cast<double>(run.latency_p99_ns));
}

std::string setting_text(const Setting& setting) {
  return std::string(to_string(setting.rw)) + ", bs " + size_text(setting.block_bytes) +
         ", iodepth " + std::to_string(setting.iodepth) + ", numjobs " +
         std::to_string(setting.numjobs);
}

std::string run_text(const RunSummary& run) {
  const std::string text = setting_text(run.setting) + ": ";
  if (run.state != RunState::done) return text + (run.error.empty() ? "failed" : run.error);
  return text + figures_text(run);
}

// Columns as a reader sees them: bytes that continue a UTF-8 character take no room.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

void append_wrapped(std::string& to, std::string_view line, std::size_t columns) {
  std::size_t used = 0;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    const std::size_t width = columns_of(word);
    if (used > 0 && used + 1 + width > columns) {
      to += '\n';
      used = 0;
    } else if (used > 0) {
      to += ' ';
      ++used;
    }
    to += word;
    used += width;
  }
}

}  // namespace

std::string fit(const std::string& line, std::size_t columns) {
  std::size_t seen = 0, at = 0;
  for (; at < line.size(); ++at) {
    const bool continues = (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
    if (!continues && ++seen > columns) break;
  }
  return line.substr(0, at);
}

std::string wrap(const std::string& text, std::size_t columns) {
  std::string wrapped;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool is_table = !line.empty() && line.front() == ' ';
    if (is_table || columns_of(line) <= columns) {
      wrapped += line;
    } else {
      append_wrapped(wrapped, line, columns);
    }
    rest.remove_prefix(line.size());
    if (!rest.empty()) {
      wrapped += '\n';
      rest.remove_prefix(1);
    }
  }
  return wrapped;
}

std::string interrupted_text(std::span<const Run> runs) {
  const auto last = std::find_if(runs.rbegin(), runs.rend(), [](const Run& run) {
    return run.state == RunState::cancelled && run.measurement.measured_ns > 0;
  });
  if (last == runs.rend()) return {};
  const RunSummary run = analysis::summarise(*last);
  return "Interrupted after " + time_text(run.measured_seconds) +
         ", which makes no point: " + setting_text(run.setting) + ": " + figures_text(run) + ".\n";
}

std::string for_reader(const std::string& text) {
  return isatty(STDOUT_FILENO) != 0 ? wrap(text, terminal_columns(STDOUT_FILENO)) : text;
}

ProgressDisplay::ProgressDisplay() : terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressDisplay::~ProgressDisplay() {
  clear();
}

void ProgressDisplay::clear() {
  if (line_shown_) std::fputs("\r\033[K", stderr);
  line_shown_ = false;
}

void ProgressDisplay::progress(const Progress& progress) {
  if (terminal_) {
    const std::string line = fit(without_newline(api::render_progress_line(progress)),
                                 terminal_columns(STDERR_FILENO) - 1);
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    line_shown_ = true;
    return;
  }
  // What takes long and ends without a run to tell of.
  const bool news = progress.phase != phase_ && progress.phase == SweepPhase::layout;
  phase_ = progress.phase;
  if (news) say("filling the scratch file");
}

void ProgressDisplay::run(const RunSummary& run, const Progress& progress) {
  std::string line = run_text(run);
  const bool goes_on = run.state != RunState::cancelled;
  if (goes_on && progress.eta_s >= 1) line += "; " + time_text(std::ceil(progress.eta_s)) + " left";
  say(line);
}

void ProgressDisplay::say(const std::string& line) {
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace iobenchd::client
