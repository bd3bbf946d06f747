#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>

#include "daemon/model/error.h"
#include "daemon/service_host.h"
#include "daemon/service_machine.h"

namespace iobenchd {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

SettingsMessage settings_message() {
  SettingsMessage message;
  message.header.kind = ControlKind::settings;
  message.settings.listen_count = 1;
  set_text(message.settings.listen[0], "127.0.0.1:0");
  set_text(message.settings.database, "/nowhere/db");
  set_text(message.settings.scratch_dir, "/nowhere/scratch");
  return message;
}

// The launcher's end of the control socket, and a host at the other.
class Line {
 public:
  Line() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0)
      throw Error(ErrorCode::internal, "socketpair");
    launcher_ = ends[0];
    service_ = ends[1];
    host = std::make_unique<ServiceHost>(
        service_, [this](const Settings& fresh) { workers_heard = fresh.workers; });
  }
  ~Line() {
    host.reset();
    hang_up();
    close(service_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  template <typename Message>
  Message hear() {
    Message message;
    CHECK(recv(launcher_, &message, sizeof message, 0) == sizeof message);
    return message;
  }
  template <typename Message>
  void say(const Message& message, int descriptor = -1) {
    Message copy = message;
    iovec part{&copy, sizeof copy};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> beside{};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    if (descriptor >= 0) {
      head.msg_control = beside.data();
      head.msg_controllen = beside.size();
      cmsghdr* const rights = CMSG_FIRSTHDR(&head);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    }
    CHECK(sendmsg(launcher_, &head, 0) == sizeof copy);
    if (descriptor >= 0) close(descriptor);
  }
  void answer(ControlKind kind, std::uint64_t token, int descriptor) {
    RunStarted message;
    message.header.kind = kind;
    message.header.token = token;
    say(message, descriptor);
  }
  void hang_up() {
    if (launcher_ >= 0) close(launcher_);
    launcher_ = -1;
  }

  std::atomic<std::uint32_t> workers_heard = 0;
  std::unique_ptr<ServiceHost> host;

 private:
  int launcher_ = -1, service_ = -1;
};

TEST_CASE("an engine is opened, killed and reaped over the control socket") {
  Line line;
  OpenRun request;
  request.descriptors = 3;
  auto opening = std::async(std::launch::async, [&] { return line.host->open(request); });
  const auto asked = line.hear<OpenRun>();
  CHECK(asked.header.kind == ControlKind::open_run);
  CHECK(asked.descriptors == 3);
  std::array<int, 2> engine{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, engine.data()) == 0);
  line.answer(ControlKind::run_started, asked.header.token, engine[0]);
  const auto process = opening.get();
  REQUIRE(write(engine[1], "x", 1) == 1);
  char byte = 0;
  CHECK(read(process->socket(), &byte, 1) == 1);
  CHECK(byte == 'x');
  close(engine[1]);

  process->kill();
  const auto kill = line.hear<KillRun>();
  CHECK(kill.header.kind == ControlKind::kill_run);
  CHECK(kill.header.token == asked.header.token);
  CHECK_FALSE(process->wait_status());
  RunEnded ended;
  ended.header.kind = ControlKind::run_ended;
  ended.header.token = asked.header.token;
  ended.wait_status = SIGKILL;
  line.say(ended);
  const auto until = Clock::now() + milliseconds(5000);
  while (!process->wait_status() && Clock::now() < until) usleep(1000);
  CHECK(process->wait_status() == SIGKILL);
}

TEST_CASE("a probe's facts are read until its end, half a struct is none") {
  Line line;
  auto probing = std::async(std::launch::async, [&] { return line.host->probe(""); });
  const auto asked = line.hear<Probe>();
  CHECK(text_of(asked.path) == "");
  std::array<int, 2> probe{};
  REQUIRE(pipe(probe.data()) == 0);
  line.answer(ControlKind::probe_started, asked.header.token, probe[0]);
  TargetFacts facts;
  for (const char* name : {"/dev/sda", "/dev/sdb"}) {
    set_text(facts.path, name);
    REQUIRE(write(probe[1], &facts, sizeof facts) == sizeof facts);
  }
  REQUIRE(write(probe[1], &facts, 100) == 100);
  close(probe[1]);
  const auto all = probing.get();
  REQUIRE(all.size() == 2);
  CHECK(text_of(all[1].path) == "/dev/sdb");
}

TEST_CASE("counters that the cage hides are asked of a probe, and unknown where none answers") {
  Line line;
  scheduler::MachineProbe machine;
  let_a_probe_ask(machine, *line.host);
  for (const bool answers : {true, false}) {
    auto asking = std::async(std::launch::async, [&] { return machine.device_counters("sd0"); });
    const auto asked = line.hear<Probe>();
    CHECK(asked.question == ProbeQuestion::counters);
    CHECK(text_of(asked.path) == "sd0");
    std::array<int, 2> probe{};
    REQUIRE(pipe(probe.data()) == 0);
    TargetFacts facts;
    facts.counters_known = 1;
    facts.read_ios = 1;
    facts.write_ios = 2;
    facts.read_bytes = 3;
    facts.write_bytes = 4;
    if (answers) REQUIRE(write(probe[1], &facts, sizeof facts) == sizeof facts);
    close(probe[1]);
    line.answer(ControlKind::probe_started, asked.header.token, probe[0]);
    const scheduler::DeviceCounters counters = asking.get();
    CHECK(counters.known == answers);
    CHECK(counters.read_ios == (answers ? 1 : 0));
    CHECK(counters.write_ios == (answers ? 2 : 0));
    CHECK(counters.read_bytes == (answers ? 3 : 0));
    CHECK(counters.write_bytes == (answers ? 4 : 0));
  }
}

TEST_CASE("a disk that says nothing is there with its name and ETIMEDOUT") {
  Line line;
  auto probing = std::async(std::launch::async, [&] { return line.host->probe("/dev/sdx"); });
  const auto asked = line.hear<Probe>();
  std::array<int, 2> probe{};
  REQUIRE(pipe(probe.data()) == 0);
  close(probe[1]);
  line.answer(ControlKind::probe_started, asked.header.token, probe[0]);
  const auto all = probing.get();
  REQUIRE(all.size() == 1);
  CHECK(text_of(all[0].path) == "/dev/sdx");
  CHECK(all[0].error_number == ETIMEDOUT);
}

TEST_CASE("who waits for an answer stops waiting when the service leaves") {
  Line line;
  auto opening = std::async(std::launch::async, [&] { return line.host->open(OpenRun{}); });
  static_cast<void>(line.hear<OpenRun>());
  const auto begin = Clock::now();
  line.host->abandon();
  CHECK_THROWS_AS(static_cast<void>(opening.get()), Error);
  CHECK(Clock::now() - begin < milliseconds(2000));
  CHECK_THROWS_AS(static_cast<void>(line.host->probe("/dev/sda")), Error);
}

TEST_CASE("nobody waits for the end of an engine whose launcher is gone") {
  Line line;
  std::array<int, 2> ends{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  auto opening = std::async(std::launch::async, [&] { return line.host->open(OpenRun{}); });
  line.answer(ControlKind::run_started, line.hear<OpenRun>().header.token, ends[0]);
  const auto engine = opening.get();
  CHECK_FALSE(engine->wait_status());
  line.hang_up();
  line.host->wait_for_stop();
  CHECK(engine->wait_status() == SIGKILL);
  close(ends[1]);
}

TEST_CASE("nothing asked of a launcher that is gone fails before the service has begun to leave") {
  Line line;
  line.hang_up();
  line.host->wait_for_stop();
  auto opening = std::async(std::launch::async, [&] { return line.host->open(OpenRun{}); });
  CHECK(opening.wait_for(milliseconds(200)) == std::future_status::timeout);
  line.host->abandon();
  CHECK_THROWS_AS(static_cast<void>(opening.get()), Error);
}

TEST_CASE("an engine that comes too late meets a closed socket") {
  Line line;
  std::array<int, 2> engine{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, engine.data()) == 0);
  line.answer(ControlKind::run_started, 4711, engine[0]);
  char byte = 0;
  CHECK(read(engine[1], &byte, 1) == 0);  // end of file: it will stop
  close(engine[1]);
}

TEST_CASE("settings are passed on; a stop, nonsense or the launcher's end ends the waiting") {
  Line line;
  SettingsMessage message = settings_message();
  message.settings.workers = 3;
  line.say(message);
  const auto until = Clock::now() + milliseconds(5000);
  while (line.workers_heard != 3 && Clock::now() < until) usleep(1000);
  CHECK(line.workers_heard == 3);
  Stop stop;
  stop.header.kind = ControlKind::stop;
  line.say(stop);
  line.host->wait_for_stop();

  Line confused;
  confused.say(std::array<char, 24>{});
  confused.host->wait_for_stop();

  Line alone;
  alone.hang_up();
  alone.host->wait_for_stop();
}

TEST_CASE("the first message must be the settings") {
  std::array<int, 2> ends{};
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) == 0);
  SettingsMessage message = settings_message();
  message.settings.queue_limit = 5;
  REQUIRE(send(ends[0], &message, sizeof message, 0) == sizeof message);
  CHECK(receive_settings(ends[1]).queue_limit == 5);
  const Stop stop{};
  REQUIRE(send(ends[0], &stop, sizeof stop, 0) == sizeof stop);
  CHECK_THROWS_AS(static_cast<void>(receive_settings(ends[1])), Error);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace iobenchd
