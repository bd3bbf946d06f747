#include "daemon/client/options.h"

#include <getopt.h>

#include <array>

#include "daemon/client/jobfile.h"
#include "daemon/model/error.h"

namespace iobenchd::client {
namespace {

// What getopt_long returns: where the value goes.
enum : int { field = 1, switch_on, output_format, filename, jobfile, help, not_here };

struct Known {
  const char* name;
  int kind;
  const char* field_name;  // of the sweep; or why it is not here
};

constexpr std::array<Known, 46> known{
    {{"rw", field, "rw"},
     {"readwrite", field, "rw"},
     {"bs", field, "bs"},
     {"blocksize", field, "bs"},
     {"iodepth", field, "iodepth"},
     {"numjobs", field, "numjobs"},
     {"runtime", field, "runtime"},
     {"ramp_time", field, "ramp_time"},
     {"size", field, "size"},
     {"filesize", field, "size"},
     {"offset", field, "offset"},
     {"ioengine", field, "ioengine"},
     {"direct", field, "direct"},
     {"thread", switch_on, "thread"},
     {"refine", switch_on, "refine"},
     {"keep-file", switch_on, "keep_file"},
     {"repeats", field, "repeats"},
     {"steady_state", field, "steady_state"},
     {"order", field, "order"},
     {"layout", field, "layout"},
     {"seed", field, "seed"},
     {"cooldown", field, "cooldown"},
     {"batch_submit", field, "batch_submit"},
     {"batch_complete", field, "batch_complete"},
     {"rwmixread", field, "rwmixread"},
     {"rate_iops", field, "rate_iops"},
     {"rate_process", field, "rate_process"},
     {"io_size", field, "io_size"},
     {"fsync", field, "fsync"},
     {"sync", field, "sync"},
     {"norandommap", field, "norandommap"},
     {"random_distribution", field, "random_distribution"},
     {"buffer_compress_percentage", field, "buffer_compress_percentage"},
     {"hipri", switch_on, "hipri"},
     {"verify", field, "verify"},
     {"cpus_allowed", field, "cpus_allowed"},
     {"latency_limit", field, "latency_limit"},
     {"preset", field, "preset"},
     {"label", field, "label"},
     {"output-format", output_format, ""},
     {"filename", filename, ""},
     {"jobfile", jobfile, ""},
     {"precondition", not_here,
      "writes over a whole disk, and iobench run never writes what exists: post the sweep to a "
      "daemon that is allowed to"},
     {"confirm", not_here,
      "allows writing to a disk, and iobench run never writes what exists: post the sweep to a "
      "daemon that is allowed to"},
     {"on_restart", not_here,
      "is for a daemon, which may be started again in the middle of a sweep; iobench run "
      "measures in one go"},
     {"help", help, ""}}};

std::vector<option> long_options() {
  std::vector<option> options;
  for (const Known& one : known) {
    const bool alone = one.kind == switch_on || one.kind == help;
    const int value = alone                  ? no_argument
                      : one.kind == not_here ? optional_argument
                                             : required_argument;
    options.push_back({one.name, value, nullptr, one.kind});
  }
  options.push_back({nullptr, 0, nullptr, 0});
  return options;
}

void take(const Known& one, const char* value, RunOptions& options) {
  switch (one.kind) {
    case field:
      options.fields.push_back({one.field_name, value});
      return;
    case switch_on:
      options.fields.push_back({one.field_name, "1"});
      return;
    case output_format:
      options.json = std::string(value) == "json";
      if (!options.json && std::string(value) != "normal")
        throw Error(ErrorCode::invalid, "output-format", "normal or json");
      return;
    case filename:
      options.file = value;
      return;
    case jobfile: {
      JobFile job = read_jobfile(value);
      // Before what the command line says: of two fields of one name the later one holds.
      options.fields.insert(options.fields.begin(), job.fields.begin(), job.fields.end());
      options.jobs_file = std::move(job.file);
      return;
    }
    case not_here:
      throw Error(ErrorCode::invalid, one.name, one.field_name);
    default:
      options.help = true;
  }
}

}  // namespace

const char* const run_usage =
    R"(usage: iobench run [options] FILE

Measures how many parallel jobs the disk under FILE is worth, without a daemon.
FILE is a disk or a file that exists: it is only read. Where FILE doesn't exist, or is a directory,
a scratch file is made there, filled, and deleted afterwards; that alone may be written
(--rw=write, randwrite, rw, randrw). An existing file or disk is never written by this version.

  --rw=read|write|rw|randread|randwrite|randrw  one or a list              (randread)
  --rwmixread=50                       percent of reads in rw and randrw
  --bs=4k,64k | 4k-64k*2               one, a list, or a range that doubles (4k)
  --iodepth=1,32 | 1-32*2              the same                            (1)
  --numjobs=1,2,4,8 | 1-32*2 | auto    the axis of the curve               (auto)
  --runtime=10 --ramp_time=2           seconds, or 500ms                   (3, 0.5)
  --size=4g --offset=0                 the working set                     (all of FILE, or 4g)
  --ioengine=auto|io_uring|psync|threads|mmap|null
  --rate_iops=n --rate_process=linear|poisson   an open loop, for each job
  --random_distribution=random|zipf:theta|pareto:h --norandommap=0|1
  --fsync=n --sync=none|sync|dsync --buffer_compress_percentage=n
  --io_size=bytes --cpus_allowed=0-3,6 --hipri
  --verify=crc32c                      what was written is read back; a wrong block is named
  --repeats=5 | 3-10:2.5 | auto        of each point; until the interval is within 2.5 percent; or
                                       where they help the answer, for a minute (without --numjobs)
  --steady_state=25x60s                SNIA's rounds in place of runtime, so many at most
  --direct=0|1 --thread --refine --order=shuffled|given --layout=shared|per_job
  --seed=n --cooldown=s --batch_submit=n --batch_complete=n --preset=quick|published|published-2017
  --latency_limit=p99:2ms              say how many jobs stay under it
  --label=text --keep-file             the scratch file stays, under FILE's name
  --jobfile=night.fio                  a fio job file of these options; others are refused
  --output-format=normal|json

The table goes to standard output, progress to standard error. Ctrl-C ends early and prints what
was measured. Status: 0 good, 1 something failed, 2 usage, 130 ended by Ctrl-C.
)";

RunOptions parse_run_options(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::vector<option> options = long_options();
  RunOptions result;
  opterr = 0;  // what is wrong is said by us
  optind = 1;
  int index = 0, kind = 0;
  while ((kind = getopt_long(static_cast<int>(arguments.size()), argv.data(), ":", options.data(),
                             &index)) != -1) {
    if (kind == '?' || kind == ':') {
      const std::string typed = arguments[static_cast<std::size_t>(optind) - 1];
      throw Error(ErrorCode::invalid,
                  kind == ':' ? typed + " needs a value" : typed + " is no option of iobench run");
    }
    take(known[static_cast<std::size_t>(index)], optarg, result);
  }
  for (auto at = static_cast<std::size_t>(optind); at < arguments.size(); ++at) {
    // getopt_long has moved them behind the options, in argv alone.
    if (!result.file.empty())
      throw Error(ErrorCode::invalid, "one FILE at a time: " + result.file + " and " + argv[at]);
    result.file = argv[at];
  }
  if (result.file.empty()) result.file = result.jobs_file;
  if (result.file.empty() && !result.help) throw Error(ErrorCode::invalid, "which FILE?");
  return result;
}

}  // namespace iobenchd::client
