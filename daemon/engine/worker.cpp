#include "daemon/engine/worker.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <new>

#include "daemon/engine/failure.h"

namespace iobenchd::engine {
namespace {

std::uint64_t to_ns(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

bool is_regular_file(int descriptor) noexcept {
  struct stat facts {};
  return fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

Usage thread_usage() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {to_ns(usage.ru_utime),
          to_ns(usage.ru_stime),
          static_cast<std::uint64_t>(usage.ru_nvcsw),
          static_cast<std::uint64_t>(usage.ru_nivcsw),
          static_cast<std::uint64_t>(usage.ru_minflt),
          static_cast<std::uint64_t>(usage.ru_majflt)};
}

Usage operator-(const Usage& later, const Usage& earlier) noexcept {
  return {later.user_ns - earlier.user_ns,
          later.system_ns - earlier.system_ns,
          later.voluntary_switches - earlier.voluntary_switches,
          later.involuntary_switches - earlier.involuntary_switches,
          later.minor_faults - earlier.minor_faults,
          later.major_faults - earlier.major_faults};
}

bool has(const Load& load, Kind kind) noexcept {
  if (kind == Kind::read) return reads(load.rw);
  return writes(load.rw) && (kind == Kind::write || load.workload.fsync != 0);
}

void Worker::fail(const char* operation, int error_number, std::uint64_t offset_bytes,
                  const char* text) noexcept {
  failure = make_failure(operation, error_number, offset_bytes, text);
  failure.job = job;
}

void Worker::fail_transfer(bool write, long long result, std::uint64_t offset_bytes,
                           std::uint32_t block_bytes) noexcept {
  const char* operation = write ? "write" : "read";
  if (result < 0) {
    const int error_number = static_cast<int>(-result);
    return fail(operation, error_number, offset_bytes, cure(error_number));
  }
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "only %lld of %u bytes: the %s ends before the region does%s", result, block_bytes,
                is_file ? "file" : "device",
                is_file ? "; lay it out again, or ask for a smaller size"
                        : ", as if it had become smaller; ask for a smaller size");
  fail(operation, 0, offset_bytes, text.data());
}

Board* make_board(const Load& load, int first_target_fd) noexcept {
  const std::uint32_t per_job = load.ioengine == IoEngine::threads ? load.iodepth : 1;
  const std::size_t count = std::size_t{load.numjobs} * per_job;
  const std::size_t bytes = sizeof(Board) + count * sizeof(Worker);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  Board* board = new (memory) Board;
  board->load = load;
  board->workers_per_job = per_job;
  board->worker_count = static_cast<std::uint32_t>(count);
  board->batch_submit = load.batch_submit != 0 ? load.batch_submit : std::max(1U, load.iodepth / 8);
  board->batch_complete = load.batch_complete != 0 ? load.batch_complete : 1;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  board->nonce = (static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                  static_cast<std::uint64_t>(now.tv_nsec)) ^
                 static_cast<std::uint64_t>(getpid()) << 44;
  board->workers = reinterpret_cast<Worker*>(static_cast<std::byte*>(memory) + sizeof(Board));
  const bool is_file = is_regular_file(first_target_fd);  // asked now: jobs are not let ask
  for (std::uint32_t i = 0; i < board->worker_count; ++i) {
    // Not constructed: a mapping begins as zeroes, and 4096 workers shall touch only what they use.
    // An empty histogram is all zero but for its minimum.
    Worker& worker = board->workers[i];
    for (const Kind kind : {Kind::read, Kind::write, Kind::fsync}) {
      if (!has(load, kind)) continue;
      worker.ramp.of(kind).min_ns = ~std::uint64_t{0};
      worker.measured.of(kind).min_ns = ~std::uint64_t{0};
    }
    worker.index = i;
    worker.job = i / per_job;
    worker.descriptor = first_target_fd + static_cast<int>(worker.job);
    worker.is_file = is_file;
  }
  return board;
}

Gate::Gate(Worker& worker, const Board& board) noexcept
    : boundary_ticks_(board.ramp_end_ticks), span_(&worker.ramp), worker_(worker), board_(board) {
  if (board.ramp_end_ticks == board.start_ticks) start_measuring();
}

void Gate::start_measuring() noexcept {
  worker_.at_ramp_end = thread_usage();
  span_ = &worker_.measured;
  boundary_ticks_ = board_.deadline_ticks;
}

bool Gate::pass(std::uint64_t now_ticks) noexcept {
  if (span_ == &worker_.ramp) start_measuring();
  if (now_ticks < board_.deadline_ticks) return true;
  worker_.at_stop = thread_usage();
  worker_.measured_end_ticks = board_.deadline_ticks;
  over_ = true;
  return false;
}

void Gate::close_early(std::uint64_t now_ticks) noexcept {
  if (over_ || span_ == &worker_.ramp) return;
  worker_.at_stop = thread_usage();
  worker_.measured_end_ticks = std::min(now_ticks, board_.deadline_ticks);
}

}  // namespace iobenchd::engine
