// The command line of `iobench run`, fio's names where fio has one. Pure but for getopt's own
// state: one thread, once.
#pragma once

#include <string>
#include <vector>

#include "api/client.h"
#include "daemon/model/sweep.h"

namespace iobenchd::client {

struct RunOptions {
  std::vector<api::TextField> fields;  // of the sweep, as they were typed
  std::string file, jobs_file;         // jobs_file: what the job file names
  bool json = false;
  bool help = false;
};

extern const char* const run_usage;

// `arguments` begins with the command's name ("run"). Throws Error{invalid}.
[[nodiscard]] RunOptions parse_run_options(std::vector<std::string> arguments);

}  // namespace iobenchd::client
