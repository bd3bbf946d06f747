// Drives one engine without the daemon, for measuring the engine itself:
//   engine-driver ENGINE FILE [name=value ...]
// rw, ioengine, bs, iodepth, numjobs, files, offset, size, runtime_ms, ramp_ms, direct, thread,
// batch_submit, batch_complete, flags, seed, task (measure, layout, trial), rwmixread, rate_iops,
// rate_process, io_size, fsync, sync, norandommap, random_distribution, hipri, cpus_allowed,
// buffer_compress_percentage. Prints one line of JSON. Single-threaded.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "daemon/model/control.h"
#include "daemon/model/frame.h"
#include "daemon/model/load.h"

namespace {

using namespace iobenchd;
using Options = std::map<std::string, std::string>;

std::uint64_t number(const Options& options, const char* name, std::uint64_t otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 0);
}

std::string text(const Options& options, const char* name, const char* otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second;
}

Workload workload_from(const Options& options) {
  const auto small = [&options](const char* name, std::uint32_t otherwise) {
    return static_cast<std::uint32_t>(number(options, name, otherwise));
  };
  Workload workload;
  workload.rate_iops = number(options, "rate_iops", 0);
  workload.io_size_bytes = number(options, "io_size", 0);
  workload.random_distribution =
      parse_random_distribution(text(options, "random_distribution", "random"))
          .value_or(RandomDistribution{});
  workload.rwmixread = small("rwmixread", 50);
  workload.fsync = small("fsync", 0);
  workload.buffer_compress_percentage = small("buffer_compress_percentage", 0);
  workload.rate_process =
      parse_rate_process(text(options, "rate_process", "linear")).value_or(RateProcess::linear);
  workload.sync = parse_sync(text(options, "sync", "none")).value_or(Sync::none);
  workload.norandommap = static_cast<std::uint8_t>(number(options, "norandommap", 1));
  workload.hipri = static_cast<std::uint8_t>(number(options, "hipri", 0));
  return workload;
}

Load load_from(const Options& options) {
  const auto small = [&options](const char* name, std::uint32_t otherwise) {
    return static_cast<std::uint32_t>(number(options, name, otherwise));
  };
  const std::string task = text(options, "task", "measure");
  Load load;
  load.task = task == "layout" ? Task::layout : task == "trial" ? Task::trial : Task::measure;
  load.rw = parse_rw(text(options, "rw", "randread")).value_or(Rw::randread);
  load.ioengine = parse_ioengine(text(options, "ioengine", "psync")).value_or(IoEngine::psync);
  load.thread = static_cast<std::uint8_t>(number(options, "thread", 0));
  load.numjobs = small("numjobs", 1);
  load.iodepth = small("iodepth", 1);
  load.block_bytes = small("bs", 4096);
  load.batch_submit = small("batch_submit", 0);
  load.batch_complete = small("batch_complete", 0);
  load.engine_flags = small("flags", engine_flag::all);
  load.size_bytes = number(options, "size", std::uint64_t{1} << 30);
  load.runtime_ns = number(options, "runtime_ms", 3000) * 1'000'000;
  load.ramp_ns = number(options, "ramp_ms", 500) * 1'000'000;
  load.seed = number(options, "seed", 1);
  load.files = small("files", 1);
  load.offset_bytes = number(options, "offset", 0);
  load.workload = workload_from(options);
  load.cpus = parse_cpus(text(options, "cpus_allowed", "")).value_or(CpuSet{});
  return load;
}

// Never returns: 3 is the socket, 4 and up are the target.
[[noreturn]] void become_engine(const char* engine, const char* file, const Options& options,
                                const Load& load, int socket) {
  std::vector<int> targets;
  const bool write = load.task == Task::layout || writes(load.rw);
  const int flags = (write ? O_RDWR : O_RDONLY) | (load.task == Task::layout ? O_CREAT : 0) |
                    (number(options, "direct", 1) != 0 ? O_DIRECT : 0) | O_NOATIME |
                    (load.workload.sync == Sync::sync    ? O_SYNC
                     : load.workload.sync == Sync::dsync ? O_DSYNC
                                                         : 0);
  for (std::uint32_t i = 0; i < load.numjobs; ++i) {
    const int opened = open(file, flags, 0644);
    if (opened < 0) std::perror(file);
    targets.push_back(fcntl(opened, F_DUPFD, 2000));
    close(opened);
  }
  const int high = fcntl(socket, F_DUPFD, 1999);
  dup2(high, control_fd);
  close(high);
  for (std::uint32_t i = 0; i < load.numjobs; ++i) {
    dup2(targets[i], first_target_fd + static_cast<int>(i));
    close(targets[i]);
  }
  execl(engine, "iobenchd-engine", static_cast<char*>(nullptr));
  std::perror(engine);
  _exit(127);
}

bool receive(int socket, Frame& frame) {
  auto* const bytes = reinterpret_cast<char*>(&frame);
  std::size_t have = 0;
  while (have < sizeof(frame)) {
    const ssize_t length = read(socket, bytes + have, sizeof(frame) - have);
    if (length <= 0) return false;
    have += static_cast<std::size_t>(length);
  }
  return true;
}

unsigned long long wide(std::uint64_t value) {
  return value;
}

void print_traffic(const char* name, const Traffic& traffic, double seconds) {
  const Histogram& latency = traffic.latency;
  std::printf(
      "\"%s\": {\"ios\": %llu, \"iops\": %.0f, \"mean_ns\": %.0f, \"p50_ns\": %llu, "
      "\"p99_ns\": %llu, \"p99_9_ns\": %llu, \"max_ns\": %llu}, ",
      name, wide(traffic.ios), seconds > 0 ? static_cast<double>(traffic.ios) / seconds : 0,
      latency.mean_ns(), wide(latency.percentile_ns(50'000)), wide(latency.percentile_ns(99'000)),
      wide(latency.percentile_ns(99'900)), wide(latency.max_ns));
}

// Reads and writes together, then each apart.
void print(const FinalBody& final) {
  Histogram latency = final.read.latency;
  latency.merge(final.write.latency);
  const auto ios = static_cast<double>(latency.count);
  const double seconds = static_cast<double>(final.measured_ns) / 1e9;
  const auto cpu = static_cast<double>(final.cpu_user_ns + final.cpu_system_ns);
  const double iops = seconds > 0 ? ios / seconds : 0;
  std::printf(
      "{\"iops\": %.0f, \"wall_per_io_ns\": %.1f, \"cpu_per_io_ns\": %.1f, "
      "\"cpu_user_ns\": %.1f, \"mean_ns\": %.0f, \"p50_ns\": %llu, \"p99_ns\": %llu, \"max_ns\": "
      "%llu, \"concurrency\": %.3f, ",
      iops, ios > 0 ? static_cast<double>(final.measured_ns) / ios : 0, ios > 0 ? cpu / ios : 0,
      ios > 0 ? static_cast<double>(final.cpu_user_ns) / ios : 0, latency.mean_ns(),
      wide(latency.percentile_ns(50'000)), wide(latency.percentile_ns(99'000)),
      wide(latency.max_ns), iops * latency.mean_ns() / 1e9);
  print_traffic("read", final.read, seconds);
  print_traffic("write", final.write, seconds);
  print_traffic("fsync", final.fsync, seconds);
  std::printf(
      "\"voluntary_context_switches\": %llu, \"involuntary_context_switches\": %llu, "
      "\"minor_page_faults\": %llu, \"major_page_faults\": %llu, \"measured_ms\": %.1f, "
      "\"flags\": %u, \"batch\": %u, \"direct\": %u, \"tsc\": %u}\n",
      wide(final.voluntary_context_switches), wide(final.involuntary_context_switches),
      wide(final.minor_page_faults), wide(final.major_page_faults), seconds * 1e3,
      final.engine_flags, final.batch_submit, static_cast<unsigned>(final.direct),
      final.clock_source == ClockSource::tsc ? 1U : 0U);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: engine-driver ENGINE FILE [name=value ...]\n", stderr);
    return 2;
  }
  Options options;
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals != std::string::npos)
      options[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  const Load load = load_from(options);
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return 1;
  const int pid = fork();
  if (pid == 0) become_engine(argv[1], argv[2], options, load, pair[1]);
  close(pair[1]);
  if (write(pair[0], &load, sizeof(load)) != static_cast<ssize_t>(sizeof(load))) return 1;

  Frame frame;
  int status = 1;
  while (receive(pair[0], frame)) {
    if (frame.header.kind == FrameKind::failure) {
      const FailureBody& failure = frame.body.failure;
      std::fprintf(stderr, "%s at %llu, errno %d: %s\n", failure.operation.data(),
                   static_cast<unsigned long long>(failure.offset_bytes), failure.error_number,
                   failure.text.data());
    }
    if (frame.header.kind != FrameKind::final) continue;
    print(frame.body.final);
    status = 0;
  }
  waitpid(pid, nullptr, 0);
  return status;
}
