#include "daemon/launcher/probe.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "daemon/model/clock.h"
#include "daemon/model/control.h"
#include "daemon/model/error.h"
#include "daemon/platform/platform.h"

namespace iobenchd::launcher {
namespace {

// One disk being asked.
struct Question {
  std::string path;
  Descriptor answer;
  pid_t child = -1;
  TargetFacts facts;
  std::size_t received = 0;  // bytes of `facts`
  bool done = false;

  [[nodiscard]] bool complete() const { return received == sizeof facts; }
};

bool write_all(int descriptor, const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = write(descriptor, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

Question put_question(const std::string& path, TargetFacts (*ask)(const std::string&)) {
  Question question;
  question.path = path;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    question.done = true;
    return question;
  }
  question.child = fork();
  if (question.child == 0) {
    // It must not hold the service's socket while it hangs: end of file is how the answer ends.
    dup2(ends[1], control_fd);
    closefrom(control_fd + 1);
    const TargetFacts facts = ask(path);
    _exit(write_all(control_fd, &facts, sizeof facts) ? 0 : 1);
  }
  close(ends[1]);
  question.answer.reset(ends[0]);
  if (question.child < 0) question.done = true;
  return question;
}

void take_answer(Question& question) {
  char* into = reinterpret_cast<char*>(&question.facts) + question.received;
  const ssize_t length =
      read(question.answer.number(), into, sizeof question.facts - question.received);
  if (length < 0 && errno == EINTR) return;
  if (length > 0) question.received += static_cast<std::size_t>(length);
  question.done = length <= 0 || question.complete();
}

TargetFacts counters_of(const std::string& leaf) {
  const platform::DeviceCounters counters = platform::device_counters(leaf);
  TargetFacts facts;
  set_text(facts.path, leaf);
  set_text(facts.governor, platform::governor());
  facts.counters_known = counters.known ? 1 : 0;
  facts.read_ios = counters.read_ios;
  facts.write_ios = counters.write_ios;
  facts.read_bytes = counters.read_bytes;
  facts.write_bytes = counters.write_bytes;
  return facts;
}

TargetFacts conclude(Question& question) {
  if (question.child > 0) kill(question.child, SIGKILL);  // in the kernel? then it is init's
  if (question.complete()) return question.facts;
  TargetFacts facts;
  set_text(facts.path, question.path);
  facts.error_number = question.done ? EIO : ETIMEDOUT;
  return facts;
}

}  // namespace

std::vector<TargetFacts> ask_all(const std::vector<std::string>& paths, int patience_ms,
                                 TargetFacts (*ask)(const std::string& path)) {
  std::vector<Question> questions;
  questions.reserve(paths.size());
  for (const std::string& path : paths) questions.push_back(put_question(path, ask));
  const std::uint64_t deadline_ns =
      monotonic_now_ns() + static_cast<std::uint64_t>(patience_ms) * 1'000'000;
  for (;;) {
    std::vector<pollfd> waits;
    waits.reserve(questions.size());
    std::vector<Question*> waiting;
    waiting.reserve(questions.size());
    for (Question& question : questions) {
      if (question.done) continue;
      waits.push_back({question.answer.number(), POLLIN, 0});
      waiting.push_back(&question);
    }
    const std::uint64_t now_ns = monotonic_now_ns();
    if (waits.empty() || now_ns >= deadline_ns) break;
    const int timeout_ms = static_cast<int>((deadline_ns - now_ns) / 1'000'000) + 1;
    if (poll(waits.data(), static_cast<nfds_t>(waits.size()), timeout_ms) <= 0) continue;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents != 0) take_answer(*waiting[i]);
    }
  }
  std::vector<TargetFacts> answers;
  answers.reserve(questions.size());
  for (Question& question : questions) answers.push_back(conclude(question));
  return answers;
}

int run_probe() {
  Probe request;
  if (recv(control_fd, &request, sizeof request, MSG_WAITALL) != sizeof request) return 1;
  if (request.header.magic != ControlHeader{}.magic || request.header.kind != ControlKind::probe)
    return 1;
  const std::string path = text_of(request.path);
  const bool counts = request.question == ProbeQuestion::counters;
  const std::vector<std::string> paths =
      path.empty() && !counts ? platform::disk_paths() : std::vector<std::string>{path};
  TargetFacts (*ask)(const std::string&) = platform::facts_of;
  if (counts) ask = counters_of;
  for (const TargetFacts& facts : ask_all(paths, probe_patience_ms, ask)) {
    if (!write_all(control_fd, &facts, sizeof facts)) return 1;
  }
  return 0;
}

}  // namespace iobenchd::launcher
