#include "daemon/client/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "api/render.h"
#include "daemon/model/quantity.h"

namespace iobenchd::client {
namespace {

constexpr std::size_t columns_unknown = 80;

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return columns_unknown;
  return size.ws_col;
}

std::string without_newline(std::string line) {
  if (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::string run_text(const RunSummary& run) {
  const Setting& setting = run.setting;
  std::string text = std::string(to_string(setting.rw)) + ", bs " + size_text(setting.block_bytes) +
                     ", iodepth " + std::to_string(setting.iodepth) + ", numjobs " +
                     std::to_string(setting.numjobs) + ": ";
  if (run.state != RunState::done) return text + (run.error.empty() ? "failed" : run.error);
  return text + count_text(static_cast<std::uint64_t>(std::llround(std::max(0.0, run.iops)))) +
         " IOPS, mean " + latency_text(run.latency_mean_ns) + ", p99 " +
         latency_text(static_cast<double>(run.latency_p99_ns));
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
    const std::string line =
        fit(without_newline(api::render_progress_line(progress)), terminal_columns() - 1);
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
  if (progress.eta_s >= 1) line += "; " + time_text(std::ceil(progress.eta_s)) + " left";
  say(line);
}

void ProgressDisplay::say(const std::string& line) {
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace iobenchd::client
