// The life of a real daemon, from its start to every end it can have. Each test has a state
// directory and a port of its own.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/model/clock.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
const std::string program = std::string(IOBENCHD_BIN_DIR) + "/iobenchd";

std::string read_file(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool eventually(double seconds, const std::function<bool()>& holds) {
  const std::uint64_t give_up_ns =
      monotonic_now_ns() + static_cast<std::uint64_t>(seconds * static_cast<double>(second_ns));
  constexpr timespec moment{0, 20'000'000};
  while (!holds()) {
    if (monotonic_now_ns() > give_up_ns) return false;
    nanosleep(&moment, nullptr);
  }
  return true;
}

bool lives(pid_t pid) {
  if (kill(pid, 0) != 0) return false;
  // A zombie that nobody has reaped yet is dead all the same.
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.compare(name_end, 3, ") Z") != 0;
}

// Children of a process by their kernel-known command line.
std::vector<pid_t> children_of(pid_t parent, const std::string& title) {
  std::vector<pid_t> found;
  std::istringstream list(read_file("/proc/" + std::to_string(parent) + "/task/" +
                                    std::to_string(parent) + "/children"));
  for (pid_t child = 0; list >> child;) {
    const std::string line = read_file("/proc/" + std::to_string(child) + "/cmdline");
    if (std::string(line.c_str()) == title) found.push_back(child);
  }
  return found;
}

// Root's daemon needs an unprivileged user; every system has this one.
std::vector<std::string> user_options() {
  if (geteuid() == 0) return {"-o", "user=nobody"};
  return {};
}

class Daemon {
 public:
  explicit Daemon(const TemporaryTree& tree) : tree_(tree) {
    chmod(tree.path().c_str(), 0755);  // nobody must reach its state directory
  }
  ~Daemon() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    (void)wait();
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  void start(std::vector<std::string> more = {}) {
    std::vector<std::string> words{program, "-d", "-o", "listen=127.0.0.1:0"};
    for (const char* key : {"database=state/iobenchd.db", "scratch_dir=state/scratch"}) {
      const std::string text(key);
      const std::size_t equals = text.find('=') + 1;
      words.insert(words.end(), {"-o", text.substr(0, equals) + (tree_ / text.substr(equals))});
    }
    for (const std::string& word : user_options()) words.push_back(word);
    for (const std::string& word : more) words.push_back(word);
    pid_ = fork();
    if (pid_ == 0) {
      const int log = open(log_path().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(log, STDERR_FILENO);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(program.c_str(), arguments.data());
      _exit(127);
    }
  }
  void start_and_wait(const std::vector<std::string>& more = {}) {
    start(more);
    REQUIRE_MESSAGE(eventually(30, [&] { return says("listens on"); }), log());
  }
  [[nodiscard]] std::string log_path() const { return tree_ / "log"; }
  [[nodiscard]] std::string log() const { return read_file(log_path()); }
  [[nodiscard]] bool says(const std::string& text) const {
    return log().find(text) != std::string::npos;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] pid_t service() const {
    const std::vector<pid_t> found = children_of(pid_, "iobenchd: service");
    return found.empty() ? -1 : found.front();
  }
  int wait() {
    if (pid_ <= 0) return -1;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  // Seconds from SIGTERM to the end, which must be a clean one.
  double stop() {
    const std::uint64_t start_ns = monotonic_now_ns();
    kill(pid_, SIGTERM);
    const int status = wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    return static_cast<double>(monotonic_now_ns() - start_ns) / static_cast<double>(second_ns);
  }

 private:
  const TemporaryTree& tree_;
  pid_t pid_ = -1;
};

struct Outcome {
  int status = 0;
  std::string text;
};

// A command line run to its end: status, and what it says on both outputs.
Outcome run(const std::string& command) {
  Outcome outcome;
  std::FILE* stream = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(stream != nullptr);
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), stream) != nullptr) outcome.text += part.data();
  outcome.status = WEXITSTATUS(pclose(stream));
  return outcome;
}

std::string joined_user_options() {
  std::string text;
  for (const std::string& word : user_options()) text += " " + word;
  return text;
}

std::string state_options(const TemporaryTree& tree) {
  return " -o listen=127.0.0.1:0 -o database=" + tree.path() +
         "/state/iobenchd.db -o scratch_dir=" + tree.path() + "/state/scratch" +
         joined_user_options();
}

}  // namespace

TEST_CASE("TERM ends the daemon at once, INT too, with status 0 and nothing left behind") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const TemporaryTree tree;
    Daemon daemon(tree);
    daemon.start_and_wait();
    const pid_t service = daemon.service();
    REQUIRE(service > 0);
    kill(daemon.pid(), signal);
    const std::uint64_t start_ns = monotonic_now_ns();
    const int status = daemon.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(monotonic_now_ns() - start_ns < 5 * second_ns);
    CHECK_FALSE(lives(service));
  }
}

TEST_CASE("a stopped service is killed in time") {
  const TemporaryTree tree;
  Daemon daemon(tree);
  daemon.start_and_wait();
  const pid_t service = daemon.service();
  REQUIRE(service > 0);
  kill(service, SIGSTOP);
  const double seconds = daemon.stop();
  CHECK(seconds > 7);
  CHECK(seconds < 10);
  CHECK_FALSE(lives(service));
}

TEST_CASE("a killed service is started again") {
  const TemporaryTree tree;
  Daemon daemon(tree);
  daemon.start_and_wait();
  const pid_t first = daemon.service();
  REQUIRE(first > 0);
  kill(first, SIGKILL);
  CHECK(eventually(30, [&] { return daemon.service() > 0 && daemon.service() != first; }));
  CHECK(eventually(5, [&] { return daemon.says("signal 9"); }));
  CHECK(daemon.stop() < 5);
}

TEST_CASE("a service that dies six times within a minute ends the daemon") {
  const TemporaryTree tree;
  Daemon daemon(tree);
  daemon.start_and_wait();
  pid_t last = -1;
  for (int i = 0; i < 6; ++i) {
    const bool again = eventually(30, [&] {
      const pid_t now = daemon.service();
      const bool fresh = now > 0 && now != last;
      if (fresh) last = now;
      return fresh;
    });
    REQUIRE(again);
    kill(last, SIGKILL);
  }
  const int status = daemon.wait();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(daemon.says("giving up"));
}

TEST_CASE("without its launcher the service ends by itself") {
  const TemporaryTree tree;
  Daemon daemon(tree);
  daemon.start_and_wait();
  const pid_t service = daemon.service();
  REQUIRE(service > 0);
  kill(daemon.pid(), SIGKILL);
  (void)daemon.wait();
  CHECK(eventually(10, [&] { return !lives(service); }));
}

TEST_CASE("a second daemon on one database, or on a taken port, says so and ends") {
  const TemporaryTree tree;
  Daemon daemon(tree);
  daemon.start_and_wait();
  const Outcome same_database = run(program + " -d" + state_options(tree));
  CHECK(same_database.status != 0);
  CHECK(same_database.text.find("iobenchd.db") != std::string::npos);
  const std::string log = daemon.log();
  const std::size_t at = log.find("127.0.0.1:", log.find("listens on"));
  REQUIRE(at != std::string::npos);
  const std::string address = log.substr(at, log.find_first_not_of("0123456789", at + 10) - at);
  const TemporaryTree other;
  chmod(other.path().c_str(), 0755);
  const Outcome same_port = run(program + " -d" + state_options(other) + " -o listen=" + address);
  CHECK(same_port.status != 0);
  CHECK(same_port.text.find(address) != std::string::npos);
  CHECK(daemon.service() > 0);
}

TEST_CASE("a reload takes what is new, and a broken file changes nothing") {
  const TemporaryTree tree;
  const std::string file = tree.file("conf", "{\"workers\": 1}");
  Daemon daemon(tree);
  daemon.start_and_wait({"-f", file});
  const pid_t service = daemon.service();
  tree.file("conf", "{\n\"workers\": 0}");
  kill(daemon.pid(), SIGHUP);
  CHECK(eventually(10, [&] { return daemon.says("conf:2: workers: "); }));
  tree.file("conf", "{\"workers\": 2, \"user\": \"somebody-else\"}");
  kill(daemon.pid(), SIGHUP);
  CHECK(eventually(10, [&] { return daemon.says("configuration reloaded"); }));
  // A key that -o holds down on the command line has not changed.
  CHECK(daemon.says("user: changed") == (geteuid() != 0));
  CHECK(daemon.service() == service);
  CHECK(daemon.stop() < 5);
}

TEST_CASE("without -d the caller gets its prompt back once the daemon is there") {
  const TemporaryTree tree;
  chmod(tree.path().c_str(), 0755);
  const Outcome start = run(program + " -p " + (tree / "pid") + state_options(tree));
  CHECK(start.status == 0);
  CHECK(start.text.empty());
  const pid_t pid = std::atoi(read_file(tree / "pid").c_str());
  REQUIRE(pid > 1);
  CHECK(lives(pid));
  CHECK_FALSE(children_of(pid, "iobenchd: service").empty());
  kill(pid, SIGTERM);
  CHECK(eventually(10, [&] { return !lives(pid); }));
  CHECK(access((tree / "pid").c_str(), F_OK) != 0);
}

TEST_CASE("a start that fails is one clear line and a status, in the background too") {
  const TemporaryTree tree;
  chmod(tree.path().c_str(), 0755);
  tree.file("state", "in the way");
  for (const char* mode : {" -d", ""}) {
    const Outcome start = run(program + mode + state_options(tree));
    CHECK(start.status == 1);
    CHECK(start.text.find("iobenchd: ") == 0);
    CHECK(start.text.find(tree / "state") != std::string::npos);
    CHECK(start.text.find('\n') == start.text.size() - 1);
  }
}

TEST_CASE("the command line checks, tells its version and refuses what it doesn't know") {
  const TemporaryTree tree;
  const Outcome good = run(program + " -n -f " + tree.file("good", "{}"));
  CHECK(good.status == 0);
  CHECK(good.text == "configuration OK\n");
  const Outcome bad = run(program + " -n -f " + tree.file("bad", "{\n\"wrokers\": 1}"));
  CHECK(bad.status == 1);
  CHECK(bad.text.find("bad:2: wrokers: ") != std::string::npos);
  CHECK(run(program + " -V").text.find("iobenchd ") == 0);
  CHECK(run(program + " -x").status == 1);
  CHECK(run(program + " surplus").status == 1);
}

TEST_CASE("root without an unprivileged user is told how to make one") {
  if (geteuid() != 0) {
    MESSAGE("skipped: needs root");
    return;
  }
  const TemporaryTree tree;
  const Outcome start = run(program + " -d" + state_options(tree) + " -o user=no-such-user-here");
  CHECK(start.status == 1);
  CHECK(start.text.find("useradd") != std::string::npos);
  CHECK(access((tree / "state").c_str(), F_OK) != 0);
  CHECK(run(program + " -d" + state_options(tree) + " -o user=root").status == 1);
}

TEST_CASE("root's daemon serves as somebody else") {
  if (geteuid() != 0) {
    MESSAGE("skipped: needs root");
    return;
  }
  const TemporaryTree tree;
  Daemon daemon(tree);
  daemon.start_and_wait();
  struct stat info {};
  REQUIRE(stat((tree / "state/iobenchd.db").c_str(), &info) == 0);
  CHECK(info.st_uid == 65534);
  REQUIRE(stat((tree / "state").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  const std::string status = read_file("/proc/" + std::to_string(daemon.service()) + "/status");
  CHECK(status.find("Uid:\t65534\t65534\t65534\t65534") != std::string::npos);
  CHECK(status.find("CapEff:\t0000000000000000") != std::string::npos);
  CHECK(status.find("NoNewPrivs:\t1") != std::string::npos);
}
