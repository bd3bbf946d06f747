// The built iobench, run as a person runs it.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/client/place.h"

using iobenchd::client::WorkDirectory;
namespace fs = std::filesystem;

namespace {

struct Result {
  int status = -1;
  std::string out, err;
};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

pid_t start(const std::vector<std::string>& arguments, const std::string& directory) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child != 0) return child;
  std::vector<char*> argv;
  std::string program = std::string(IOBENCHD_BIN_DIR) + "/iobench";
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& copy : copies) argv.push_back(copy.data());
  argv.push_back(nullptr);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  dup2(open((directory + "/out").c_str(), flags, 0600), STDOUT_FILENO);
  dup2(open((directory + "/err").c_str(), flags, 0600), STDERR_FILENO);
  execv(program.c_str(), argv.data());
  _exit(127);
}

Result finish(pid_t child, const std::string& directory) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          text_of_file(directory + "/out"), text_of_file(directory + "/err")};
}

Result iobench(const std::vector<std::string>& arguments) {
  const WorkDirectory dir;
  return finish(start(arguments, dir.path()), dir.path());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::vector<std::string> quick{"run",           "--size=1m",     "--ioengine=psync",
                                     "--numjobs=1,2", "--runtime=0.2", "--ramp_time=0"};

std::vector<std::string> quick_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = quick;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("iobench run measures a scratch file, prints the table and leaves nothing behind") {
  const WorkDirectory dir;
  const Result result = iobench(quick_with({dir.path() + "/scratch"}));
  CAPTURE(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "numjobs"));
  CHECK(contains(result.out, "IOPS"));
  CHECK(contains(result.err, "deleted afterwards"));
  CHECK(contains(result.err, "numjobs 2:"));
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("iobench run reads an existing file and changes nothing in it") {
  const WorkDirectory dir;
  const std::string path = dir.path() + "/data";
  const std::string before(1 << 20, 'd');
  std::ofstream(path) << before;
  const Result result = iobench(quick_with({"--output-format=json", path}));
  CAPTURE(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "\"points\""));
  CHECK(contains(result.out, "\"histogram\":[["));
  CHECK(contains(result.out, "\"clock_source\":\""));
  CHECK(contains(result.out, "\"state\":\"done\""));
  CHECK(text_of_file(path) == before);
  const Result refused = iobench(quick_with({"--rw=randwrite", path}));
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "never writes what exists"));
  CHECK(text_of_file(path) == before);
}

TEST_CASE("iobench run measures behind an offset, and nothing before it") {
  const WorkDirectory dir;
  const std::string path = dir.path() + "/data";
  std::ofstream(path) << std::string(1 << 20, 'd');
  const Result result = iobench({"run", "--ioengine=psync", "--numjobs=1", "--runtime=0.2",
                                 "--ramp_time=0", "--offset=4k", "--output-format=json", path});
  CAPTURE(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "\"offset\":4096"));
  CHECK(contains(result.out, "\"size_bytes\":1044480"));  // 1 MiB without its first 4 KiB
}

TEST_CASE("iobench run writes to a new file alone, and keeps it when told to") {
  const WorkDirectory dir;
  const std::string path = dir.path() + "/new";
  const Result result = iobench(quick_with({"--rw=randwrite", "--keep-file", path}));
  CAPTURE(result.err);
  CHECK(result.status == 0);
  REQUIRE(fs::exists(path));
  CHECK(fs::file_size(path) == 1 << 20);
}

TEST_CASE("Ctrl-C ends a run early: what was measured is printed, nothing stays") {
  const WorkDirectory dir, output;
  const pid_t child = start({"run", "--size=1m", "--ioengine=psync", "--numjobs=1,2",
                             "--order=given", "--runtime=60", "--ramp_time=0", dir.path()},
                            output.path());
  // Until the reference is over and the first point is being measured.
  for (int i = 0; i < 200 && fs::is_empty(dir.path()); ++i) usleep(50'000);
  usleep(300'000);
  REQUIRE(kill(child, SIGINT) == 0);
  const Result result = finish(child, output.path());
  CAPTURE(result.err);
  CHECK(result.status == 130);
  CHECK(contains(result.out, "cancelled"));
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("what iobench can't do it says, with its status") {
  CHECK(iobench({}).status == 2);
  CHECK(iobench({"run"}).status == 2);
  CHECK(iobench({"frobnicate"}).status == 2);
  CHECK(iobench({"run", "--help"}).status == 0);
  // Port 9 (discard) on loopback: nobody is there.
  const Result nobody = iobench({"status", "--server", "http://127.0.0.1:9"});
  CHECK(nobody.status == 1);
  CHECK(contains(nobody.err, "no iobenchd answers at http://127.0.0.1:9"));
}
