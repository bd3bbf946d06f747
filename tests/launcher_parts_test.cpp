// The launcher's small parts: log lines, the control channel, the probe's questions, the pid file.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "daemon/launcher/channel.h"
#include "daemon/launcher/log.h"
#include "daemon/launcher/probe.h"
#include "daemon/launcher/startup.h"
#include "daemon/model/clock.h"
#include "daemon/model/error.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using namespace iobenchd::launcher;

namespace {

TargetFacts answer_or_hang(const std::string& path) {
  if (path == "/dev/hangs") pause();
  if (path == "/dev/dies") _exit(3);
  TargetFacts facts;
  facts.kind = TargetKind::block_device;
  set_text(facts.path, path);
  facts.size_bytes = path.size();
  return facts;
}

// Both ends of a control socket: the launcher's as a Channel, the service's as a descriptor.
struct Line {
  Line() : Line(make_socket_pair(SOCK_SEQPACKET)) {}
  explicit Line(SocketPair pair) : channel(std::move(pair.ours)), service(std::move(pair.theirs)) {}

  template <typename Message>
  void say(const Message& message) const {
    REQUIRE(send(service.number(), &message, sizeof message, 0) == sizeof message);
  }

  Channel channel;
  Descriptor service;
};

}  // namespace

TEST_CASE("log lines keep their level, whatever pieces they come in") {
  LineCutter cutter;
  std::string seen;
  const auto note = [&](int level, const std::string& text) {
    seen += std::to_string(level) + ":" + text + "|";
  };
  cutter.feed("<3>disk ", note);
  CHECK(seen.empty());
  cutter.feed("gone\n<7>a\nplain\n\n", note);
  CHECK(seen == "3:disk gone|7:a|6:plain|");
}

TEST_CASE("a log line can neither forge another nor grow without end") {
  LineCutter cutter;
  std::string last;
  std::size_t count = 0;
  const auto note = [&](int, const std::string& text) {
    last = text;
    ++count;
  };
  cutter.feed("<6>x\r\x1b[2Jy\n", note);
  CHECK(last == "x  [2Jy");
  cutter.feed(std::string(10'000, 'a') + "\n", note);
  CHECK(count == 4);  // 1 + 4000 + 4000 + the rest
}

TEST_CASE("a log that nobody reads stops nobody, and goes on when somebody does") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  Descriptor reader(ends[0]), writer(ends[1]);
  fcntl(writer.number(), F_SETFL, O_NONBLOCK);
  const std::string page(4096, 'x');
  while (write(writer.number(), page.data(), page.size()) > 0) {
  }
  fcntl(writer.number(), F_SETFL, 0);  // from now on a write waits for a reader
  const Descriptor standard(dup(STDERR_FILENO));
  dup2(writer.number(), STDERR_FILENO);
  Log log(LogSink::terminal);
  for (int i = 0; i < 100; ++i) log.info("lost");
  fcntl(reader.number(), F_SETFL, O_NONBLOCK);
  std::string seen(1 << 20, '\0');
  while (read(reader.number(), seen.data(), seen.size()) > 0) {
  }
  log.info("told");
  dup2(standard.number(), STDERR_FILENO);
  const ssize_t length = read(reader.number(), seen.data(), seen.size());
  REQUIRE(length > 0);
  seen.resize(static_cast<std::size_t>(length));
  CHECK(seen.find("info: told\n") != std::string::npos);
  CHECK(seen.find("lost") == std::string::npos);
}

TEST_CASE("messages of the service are taken when they are whole and sane") {
  Line line;
  Probe probe;
  probe.header.kind = ControlKind::probe;
  probe.header.token = 42;
  set_text(probe.path, "/dev/sda");
  line.say(probe);
  const std::optional<FromService> message = line.channel.receive();
  REQUIRE(message);
  REQUIRE(std::holds_alternative<Probe>(*message));
  CHECK(std::get<Probe>(*message).header.token == 42);
  CHECK_FALSE(line.channel.receive());
  CHECK_FALSE(line.channel.closed());
  line.service.reset();
  CHECK_FALSE(line.channel.receive());
  CHECK(line.channel.closed());
}

TEST_CASE("a message of a wrong size, kind, magic or without an end is an error") {
  Line line;
  Probe probe;
  probe.header.kind = ControlKind::probe;
  probe.path.fill('x');
  line.say(probe);
  CHECK_THROWS_AS((void)line.channel.receive(), Error);
  probe.path.fill('\0');
  probe.question = static_cast<ProbeQuestion>(2);
  line.say(probe);
  CHECK_THROWS_AS((void)line.channel.receive(), Error);
  probe.question = ProbeQuestion::counters;
  probe.header.kind = ControlKind::kill_run;  // the size of another kind
  line.say(probe);
  CHECK_THROWS_AS((void)line.channel.receive(), Error);
  KillRun kill_run;
  kill_run.header.kind = ControlKind::stop;  // only the launcher says that
  line.say(kill_run);
  CHECK_THROWS_AS((void)line.channel.receive(), Error);
  kill_run.header.kind = static_cast<ControlKind>(77);
  line.say(kill_run);
  CHECK_THROWS_AS((void)line.channel.receive(), Error);
  kill_run.header.kind = ControlKind::kill_run;
  kill_run.header.magic = 1;
  line.say(kill_run);
  CHECK_THROWS_AS((void)line.channel.receive(), Error);
  line.say(std::uint32_t{1});
  CHECK_THROWS_AS((void)line.channel.receive(), Error);
}

TEST_CASE("settings fit into one message, and a service that never reads fills the queue") {
  Line line;
  SettingsMessage settings;
  settings.header.kind = ControlKind::settings;
  settings.settings.queue_limit = 7;
  REQUIRE(line.channel.send(settings));
  CHECK_FALSE(line.channel.wants_to_send());
  auto received = std::make_unique<SettingsMessage>();
  REQUIRE(recv(line.service.number(), received.get(), sizeof *received, 0) ==
          sizeof(SettingsMessage));
  CHECK(received->settings.queue_limit == 7);
  int sent = 0;
  while (sent < 5000 && line.channel.send(settings)) ++sent;
  CHECK(sent < 1000);
  CHECK(line.channel.wants_to_send());
}

TEST_CASE("a disk that hangs is named in time, and the others answer") {
  const std::uint64_t start_ns = monotonic_now_ns();
  const std::vector<TargetFacts> facts =
      ask_all({"/dev/a", "/dev/hangs", "/dev/dies", "/dev/bcd"}, 300, answer_or_hang);
  const std::uint64_t took_ns = monotonic_now_ns() - start_ns;
  while (waitpid(-1, nullptr, 0) > 0) continue;
  REQUIRE(facts.size() == 4);
  CHECK(facts[0].size_bytes == 6);
  CHECK(facts[1].error_number == ETIMEDOUT);
  CHECK(text_of(facts[1].path) == "/dev/hangs");
  CHECK(facts[2].error_number == EIO);
  CHECK(facts[3].size_bytes == 8);
  CHECK(took_ns > 290'000'000);
  CHECK(took_ns < 3'000'000'000);
}

// Where a caged service may not ask (OpenBSD) a probe does; the answer comes the same way here.
TEST_CASE("a probe tells a disk's counters and opens nothing for it") {
  std::ifstream disks("/proc/diskstats");
  std::string major, minor, leaf;
  if (!(disks >> major >> minor >> leaf)) return;
  SocketPair pair = make_socket_pair(SOCK_STREAM);
  Probe question;
  question.header.kind = ControlKind::probe;
  question.question = ProbeQuestion::counters;
  set_text(question.path, leaf);
  REQUIRE(send(pair.ours.number(), &question, sizeof question, 0) == sizeof question);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pair.theirs.number(), control_fd);
    closefrom(control_fd + 1);
    _exit(run_probe());
  }
  pair.theirs.reset();
  TargetFacts facts;
  CHECK(recv(pair.ours.number(), &facts, sizeof facts, MSG_WAITALL) == sizeof facts);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK_NOTHROW(check_facts(facts));
  CHECK(text_of(facts.path) == leaf);
  CHECK(facts.counters_known == 1);
  CHECK(facts.kind == TargetKind::missing);
}

TEST_CASE("the pid file holds our number as long as we live") {
  const TemporaryTree tree;
  {
    PidFile file;
    file.write_to(tree / "pid");
    std::ifstream stream(tree / "pid");
    long number = 0;
    stream >> number;
    CHECK(number == getpid());
  }
  CHECK(access((tree / "pid").c_str(), F_OK) != 0);
  PidFile file;
  CHECK_THROWS_AS(file.write_to(tree / "no/such/directory/pid"), Error);
}
