// iobenchd: arguments, configuration, user and directories, then the launcher's loop. The same
// binary is the service and the probe: their titles say so, and nobody types those by accident.
#include <getopt.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config.h"
#include "daemon/launcher/child.h"
#include "daemon/launcher/launcher.h"
#include "daemon/launcher/probe.h"
#include "daemon/model/error.h"
#include "daemon/places.h"
#include "daemon/service.h"
#include "daemon/version.h"

namespace iobenchd {
namespace {

struct Arguments {
  bool foreground = false;             // -d
  bool check_only = false;             // -n
  bool version_only = false;           // -V
  std::string config_file;             // -f
  std::string pid_file;                // -p
  std::vector<std::string> overrides;  // -o; -v is one of them
};

constexpr const char* usage = "usage: iobenchd [-dnVv] [-f file] [-p pidfile] [-o key=value ...]\n";

bool read_arguments(int argc, char** argv, Arguments& arguments) {
  int option = 0;
  while ((option = getopt(argc, argv, "dnVvf:p:o:")) != -1) {
    switch (option) {
      case 'd':
        arguments.foreground = true;
        break;
      case 'n':
        arguments.check_only = true;
        break;
      case 'V':
        arguments.version_only = true;
        break;
      case 'v':
        arguments.overrides.emplace_back("log_level=debug");
        break;
      case 'f':
        arguments.config_file = absolute_path(optarg);
        break;
      case 'p':
        arguments.pid_file = absolute_path(optarg);
        break;
      case 'o':
        arguments.overrides.emplace_back(optarg);
        break;
      default:
        return false;
    }
  }
  return optind == argc;
}

int run_daemon(const std::string& argv0, const Arguments& arguments, const Config& config) {
  launcher::Options options;
  options.settings = config.settings;
  options.identity = find_identity(config);
  options.program = find_program(argv0);
  options.engine = find_engine(options.program);
  options.pid_file = arguments.pid_file;
  options.foreground = arguments.foreground;
  options.reparse = [&](std::vector<std::string>& needs_restart) {
    Config fresh = load_config(arguments.config_file, arguments.overrides);
    needs_restart = keep_for_restart(fresh, config);
    return fresh.settings;
  };
  prepare_directories(config, options.identity);
  return launcher::run(options);
}

int run_iobenchd(int argc, char** argv) {
  Arguments arguments;
  if (!read_arguments(argc, argv, arguments)) {
    std::fputs(usage, stderr);
    return 1;
  }
  if (arguments.version_only) {
    std::printf("iobenchd %s (%s, %s)\n", program_version.data(), build_type.data(),
                compiler.data());
    return 0;
  }
  const Config config = load_config(arguments.config_file, arguments.overrides);
  if (arguments.check_only) {
    std::puts("configuration OK");
    return 0;
  }
  return run_daemon(argv[0], arguments, config);
}

}  // namespace
}  // namespace iobenchd

int main(int argc, char** argv) {
  try {
    const std::string_view title = argc > 0 ? argv[0] : "";
    if (title == iobenchd::launcher::service_title) return iobenchd::run_service();
    if (title == iobenchd::launcher::probe_title) return iobenchd::launcher::run_probe();
    return iobenchd::run_iobenchd(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "iobenchd: %s\n", error.what());
    return 1;
  }
}
