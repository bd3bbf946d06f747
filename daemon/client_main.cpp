// iobench: measures without a daemon (run), asks the daemon (status, targets), keeps its database
// (backup, restore, check). The same binary is the probe of its own runs: its title says so, and
// nobody types that by accident.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "api/client.h"
#include "daemon/client/keep.h"
#include "daemon/client/options.h"
#include "daemon/client/run.h"
#include "daemon/client/token.h"
#include "daemon/launcher/probe.h"
#include "daemon/model/error.h"
#include "daemon/places.h"
#include "daemon/version.h"

namespace iobenchd::client {
namespace {

constexpr const char* usage =
    "usage: iobench run [options] FILE     measure, without a daemon; iobench run --help\n"
    "       iobench status [--server URL]  what the daemon does, and its last answers\n"
    "       iobench targets [--server URL] the disks the daemon may be asked about\n"
    "       iobench backup [--server URL] FILE\n"
    "                                      the daemon's database into a new file\n"
    "       iobench restore [--config CONF | --database PATH] FILE\n"
    "                                      a backup in its place; the old one is kept\n"
    "       iobench check [--config CONF | --database PATH]\n"
    "                                      whether the database is whole, what is in it\n"
    "       iobench token [--scope=LIST] [--name=WORD] [--append=FILE]\n"
    "                                      a new token; LIST: read,run,destroy (all of them)\n"
    "       iobench --version\n"
    "URL is http://127.0.0.1:8464 unless said otherwise; unix:/path asks over a socket.\n";

std::string server_of(const std::vector<std::string>& arguments) {
  std::string server = api::default_server;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    constexpr std::string_view with_value = "--server=";
    if (one.compare(0, with_value.size(), with_value) == 0) {
      server = one.substr(with_value.size());
    } else if (one == "--server" && i + 1 < arguments.size()) {
      server = arguments[++i];
    } else {
      throw Error(ErrorCode::invalid,
                  one + " is no option of iobench " + arguments[0] + ", which knows --server URL");
    }
  }
  return server;
}

int run_command(const std::vector<std::string>& arguments, const char* argv0) {
  const RunOptions options = parse_run_options(arguments);
  if (options.help) {
    std::fputs(run_usage, stdout);
    return status_good;
  }
  return run(options, find_program(argv0));
}

int command(const std::vector<std::string>& arguments, const char* argv0) {
  const std::string& name = arguments[0];
  if (name == "run") return run_command(arguments, argv0);
  if (name == "status") {
    std::fputs(api::status_text(server_of(arguments)).c_str(), stdout);
    return status_good;
  }
  if (name == "targets") {
    std::fputs(api::targets_text(server_of(arguments)).c_str(), stdout);
    return status_good;
  }
  if (name == "backup") return backup(arguments);
  if (name == "restore") return restore(arguments);
  if (name == "check") return check(arguments);
  if (name == "token") return make_token(parse_token_options(arguments));
  if (name == "--version" || name == "-V") {
    std::printf("iobench %s (%s, %s)\n", program_version.data(), build_type.data(),
                compiler.data());
    return status_good;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    std::fputs(usage, stdout);
    return status_good;
  }
  throw Error(ErrorCode::invalid, name + " is no command of iobench; iobench --help lists them");
}

void complain(const Error& error) {
  if (error.fields().empty()) {
    std::fprintf(stderr, "iobench: %s\n", error.what());
    return;
  }
  for (const FieldError& one : error.fields()) {
    const std::string field = one.field.empty() ? "" : one.field + ": ";
    std::fprintf(stderr, "iobench: %s%s\n", field.c_str(), one.message.c_str());
  }
}

}  // namespace
}  // namespace iobenchd::client

int main(int argc, char** argv) {
  using namespace iobenchd;
  try {
    const std::string_view title = argc > 0 ? argv[0] : "";
    if (title == launcher::probe_title) return launcher::run_probe();
    if (argc < 2) {
      std::fputs(client::usage, stderr);
      return client::status_usage;
    }
    return client::command(std::vector<std::string>(argv + 1, argv + argc), argv[0]);
  } catch (const Error& error) {
    client::complain(error);
    return error.code() == ErrorCode::invalid ? client::status_usage : client::status_failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "iobench: %s\n", error.what());
    return client::status_failed;
  }
}
