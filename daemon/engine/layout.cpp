// Fills scratch files with bytes that no disk can compress (or only as far as the load wants it),
// so that a later read is a read. One thread: the disk is the limit, and a stop is heard between
// two writes.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "daemon/engine/clock.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/failure.h"
#include "daemon/engine/os.h"
#include "daemon/engine/payload.h"
#include "daemon/engine/results.h"
#include "daemon/engine/sandbox.h"

namespace iobenchd::engine {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::uint64_t sync_every_bytes = std::uint64_t{256} << 20;

struct Free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};

class Filling {
 public:
  Filling(Outbox& outbox, const Load& load, int first_target_fd)
      : outbox_(outbox),
        load_(load),
        first_target_fd_(first_target_fd),
        block_(static_cast<std::byte*>(std::aligned_alloc(4096, block_bytes))),
        random_(load.seed),
        start_ns_(PosixClock::now()),
        last_tick_ns_(start_ns_) {
    if (!block_) throw make_failure("malloc", ENOMEM, 0, cure(ENOMEM));
  }

  // False: the service went away.
  [[nodiscard]] bool perform();

 private:
  enum class Answer { go_on, stop, end };
  [[nodiscard]] Answer fill(std::uint32_t file);
  void write_block(std::uint32_t file, std::size_t bytes, std::uint64_t offset);
  void sync(std::uint32_t file, std::uint64_t offset);
  void tick(std::uint64_t now_ns);
  void tell_results();

  Outbox& outbox_;
  const Load& load_;
  int first_target_fd_;
  std::unique_ptr<std::byte, Free> block_;
  Random random_;
  std::uint64_t start_ns_;
  std::uint64_t last_tick_ns_;
  Traffic written_;
  Traffic told_;
};

bool Filling::perform() {
  enter_sandbox(Cell::control);
  outbox_.enter(Phase::layout);
  for (std::uint32_t file = 0; file < load_.files; ++file) {
    const Answer answer = fill(file);
    if (answer == Answer::end) return false;
    if (answer == Answer::stop) break;
  }
  tell_results();
  return true;
}

Filling::Answer Filling::fill(std::uint32_t file) {
  for (std::uint64_t done = 0; done < load_.size_bytes;) {
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, load_.size_bytes - done));
    write_block(file, bytes, load_.offset_bytes + done);
    done += bytes;
    if (done % sync_every_bytes == 0 || done == load_.size_bytes)
      sync(file, load_.offset_bytes + done);
    const std::uint64_t now_ns = PosixClock::now();
    if (now_ns - last_tick_ns_ < tick_ns) continue;
    tick(now_ns);
    const Outbox::Heard heard = outbox_.listen(-1, 0);
    if (heard == Outbox::Heard::end) return Answer::end;
    if (heard == Outbox::Heard::stop) return Answer::stop;
  }
  return Answer::go_on;
}

void Filling::write_block(std::uint32_t file, std::size_t bytes, std::uint64_t offset) {
  fill_random(block_.get(), bytes, random_);
  make_compressible(block_.get(), bytes,
                    zeroes_of_sector(load_.workload.buffer_compress_percentage));
  const std::uint64_t began = PosixClock::now();
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t length = pwrite(first_target_fd_ + static_cast<int>(file), block_.get() + done,
                                  bytes - done, static_cast<off_t>(offset + done));
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) {
      FailureBody failure = make_failure("write", length < 0 ? errno : ENOSPC, offset + done,
                                         cure(length < 0 ? errno : ENOSPC));
      failure.job = file;
      throw failure;
    }
    done += static_cast<std::size_t>(length);
  }
  written_.latency.add(PosixClock::now() - began);
  ++written_.ios;
  written_.bytes += bytes;
}

// Dirty pages never pile up behind the disk, so that a stop is quick.
void Filling::sync(std::uint32_t file, std::uint64_t offset) {
  if (fsync(first_target_fd_ + static_cast<int>(file)) == 0 || errno == EINVAL) return;
  FailureBody failure = make_failure("fsync", errno, offset, cure(errno));
  failure.job = file;
  throw failure;
}

void Filling::tick(std::uint64_t now_ns) {
  if (!outbox_.idle()) return;
  Frame frame;
  TickBody& body = frame.body.tick;
  body.span_ns = now_ns - last_tick_ns_;
  body.done_bytes = written_.bytes;
  body.total_bytes = load_.size_bytes * load_.files;
  body.write.latency = difference(written_.latency, told_.latency);
  body.write.ios = written_.ios - told_.ios;
  body.write.bytes = written_.bytes - told_.bytes;
  outbox_.post(frame, FrameKind::tick, Phase::layout);
  told_ = written_;
  last_tick_ns_ = now_ns;
}

void Filling::tell_results() {
  const std::uint64_t end_ns = PosixClock::now();
  if (outbox_.flush()) tick(end_ns);
  const Usage cpu = thread_usage();
  Frame frame;
  frame.body.jobs = JobsBody{};
  frame.body.jobs.count = 1;
  JobFigures& job = frame.body.jobs.jobs[0];
  job.write_ios = written_.ios;
  job.latency_sum_ns = written_.latency.sum_ns;
  job.latency_max_ns = written_.latency.max_ns;
  job.measured_ns = end_ns - start_ns_;
  job.cpu_user_ns = cpu.user_ns;
  job.cpu_system_ns = cpu.system_ns;
  outbox_.post(frame, FrameKind::jobs, Phase::layout);

  FinalBody final;
  final.measured_ns = end_ns - start_ns_;
  final.cpu_user_ns = cpu.user_ns;
  final.cpu_system_ns = cpu.system_ns;
  final.ioengine = IoEngine::psync;
  final.direct = is_direct(first_target_fd_) ? 1 : 0;
  final.batch_submit = final.batch_complete = final.in_flight_max = 1;
  final.write = written_;
  frame.body.final = final;
  outbox_.post(frame, FrameKind::final, Phase::layout);
}

}  // namespace

bool lay_out(Outbox& outbox, const Load& load, int first_target_fd) {
  Filling filling(outbox, load, first_target_fd);
  return filling.perform();
}

}  // namespace iobenchd::engine
