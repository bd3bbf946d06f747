#include "daemon/scheduler/measure.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>

#include "daemon/model/error.h"
#include "daemon/model/failpoint.h"
#include "daemon/scheduler/frame_reader.h"
#include "daemon/scheduler/sampler.h"

namespace iobenchd::scheduler {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds poll_step{50};          // how long a cancel may go unnoticed
constexpr int stop_step = 10;                  // ms, after the stop byte
constexpr milliseconds status_patience{2000};  // between end of file and wait status

std::string seconds_of(milliseconds time) {
  const auto tenths = time.count() / 100;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
  return text + " s";
}

// The stop byte. An engine that is gone doesn't mind.
void send_bytes(int socket, const void* bytes, std::size_t size) noexcept {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = send(socket, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // what is wrong shows on reading
    from += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

class Measuring {
 public:
  Measuring(EngineProcess& process, const Load& load, const Deadlines& deadlines,
            const Observer& observer)
      : process_(process), load_(load), deadlines_(deadlines), observer_(observer) {}

  MeasureResult run();

 private:
  bool step();  // false: the last word is said
  bool take(const Frame& frame);
  void take_tick(const Frame& frame);
  void take_final(const FinalBody& body);
  void notice_phase(Phase phase);
  void fail(RunFailure failure);
  void fail_hung(std::string text);
  void fail_closed();
  bool overdue();
  void stop();
  void hear_out(Clock::time_point until);

  EngineProcess& process_;
  const Load& load_;
  const Deadlines& deadlines_;
  const Observer& observer_;
  FrameReader reader_;
  Sampler sampler_;
  MeasureResult result_;
  Phase phase_ = Phase::starting;
  Clock::time_point born_ = Clock::now();
  Clock::time_point last_progress_ = born_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t ticks_ = 0;
};

MeasureResult Measuring::run() {
  send_bytes(process_.socket(), &load_, sizeof load_);
  try {
    while (step()) {
    }
  } catch (const Error& error) {
    process_.kill();
    fail({FailureKind::garbled, 0, std::string("the engine sent nonsense: ") + error.what()});
  }
  return std::move(result_);
}

bool Measuring::step() {
  if (observer_.stop_requested && observer_.stop_requested()) {
    stop();
    return false;
  }
  if (overdue()) return false;
  pollfd waiting{process_.socket(), POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(poll_step.count())) <= 0) return true;
  switch (reader_.read(process_.socket())) {
    case FrameReader::Result::again:
      return true;
    case FrameReader::Result::frame:
      return take(reader_.frame());
    case FrameReader::Result::closed:
      fail_closed();
      return false;
  }
  return false;
}

bool Measuring::take(const Frame& frame) {
  notice_phase(frame.header.phase);
  if (phase_ == Phase::measure) failpoint("frame_seen");
  switch (frame.header.kind) {
    case FrameKind::tick:
      take_tick(frame);
      return true;
    case FrameKind::jobs: {
      const JobsBody& body = frame.body.jobs;
      auto& jobs = result_.measurement.jobs;
      if (jobs.size() + body.count > max_engine_threads)
        throw Error(ErrorCode::internal, "jobs", "more than were asked for");
      jobs.insert(jobs.end(), body.jobs.begin(), body.jobs.begin() + body.count);
      return true;
    }
    case FrameKind::final:
      take_final(frame.body.final);
      return false;
    case FrameKind::failure:
      fail(failure_of(frame.body.failure, frame.header.phase));
      return false;
  }
  return false;
}

void Measuring::notice_phase(Phase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  last_progress_ = Clock::now();
}

void Measuring::take_tick(const Frame& frame) {
  const TickBody& body = frame.body.tick;
  const std::uint64_t expected = (load_.ramp_ns + load_.runtime_ns) / tick_ns;
  const bool takes_its_time = load_.task == Task::layout || phase_ == Phase::verify;
  if (!takes_its_time && ++ticks_ > 1000 + 2 * expected)
    throw Error(ErrorCode::internal, "tick", "more than the run has time for");
  const std::uint64_t ios = body.read.ios + body.write.ios;
  if (ios + body.fsync.ios > 0 || body.done_bytes > done_bytes_) last_progress_ = Clock::now();
  done_bytes_ = body.done_bytes;
  if (phase_ == Phase::ramp || phase_ == Phase::measure) sampler_.add(body, phase_ == Phase::ramp);
  if (!observer_.on_tick) return;
  Tick tick;
  tick.phase = phase_;
  if (body.span_ns > 0)
    tick.iops = static_cast<double>(ios) * 1e9 / static_cast<double>(body.span_ns);
  if (ios > 0)
    tick.latency_mean_ns =
        static_cast<double>(body.read.latency.sum_ns + body.write.latency.sum_ns) /
        static_cast<double>(ios);
  tick.done_bytes = body.done_bytes;
  tick.total_bytes = body.total_bytes;
  tick.read_bytes = body.read.bytes;
  tick.write_bytes = body.write.bytes;
  observer_.on_tick(tick);
}

void Measuring::take_final(const FinalBody& body) {
  if (observer_.on_tick) observer_.on_tick(Tick{Phase::drain, 0, 0, 0, 0, 0, 0});
  Measurement& to = result_.measurement;
  to.measured_ns = body.measured_ns;
  to.read = body.read;
  to.write = body.write;
  to.fsync = body.fsync;
  to.voluntary_context_switches = body.voluntary_context_switches;
  to.involuntary_context_switches = body.involuntary_context_switches;
  to.minor_page_faults = body.minor_page_faults;
  to.major_page_faults = body.major_page_faults;
  to.verified_bytes = body.verified_bytes;
  to.samples = sampler_.take();
  to.cpu_user_ns = body.cpu_user_ns;
  to.cpu_system_ns = body.cpu_system_ns;
  to.clock_source = body.clock_source;
  to.ioengine = body.ioengine;
  to.direct = body.direct != 0;
  to.engine_flags = body.engine_flags;
  to.batch_submit = body.batch_submit;
  to.batch_complete = body.batch_complete;
  to.in_flight_max = body.in_flight_max;
  std::sort(to.jobs.begin(), to.jobs.end(),
            [](const JobFigures& a, const JobFigures& b) { return a.job < b.job; });
  result_.end = RunEnd::done;
}

void Measuring::fail(RunFailure failure) {
  result_.end = RunEnd::failed;
  result_.failure = std::move(failure);
}

void Measuring::fail_hung(std::string text) {
  process_.kill();
  fail({FailureKind::hung, 0, std::move(text)});
}

void Measuring::fail_closed() {
  if (wait_until_reaped(process_, status_patience)) {
    fail(failure_of_status(process_.wait_status().value_or(0)));
    return;
  }
  process_.kill();
  fail({FailureKind::crashed, 0, "the engine closed its socket before its result"});
}

bool Measuring::overdue() {
  const Clock::time_point now = Clock::now();
  // Both sync large amounts before anything more is done.
  const bool syncs = phase_ == Phase::layout || phase_ == Phase::verify;
  const milliseconds patience = phase_ == Phase::starting ? deadlines_.setup
                                : syncs                   ? deadlines_.layout_silence
                                                          : deadlines_.silence;
  if (now - last_progress_ > patience) {
    fail_hung("hung: no I/O completed for " + seconds_of(patience));
    return true;
  }
  // A layout takes what it takes, and so does reading back.
  if (load_.task != Task::measure || load_.workload.verify != 0) return false;
  const auto whole = std::chrono::nanoseconds(load_.ramp_ns + load_.runtime_ns) + deadlines_.setup +
                     deadlines_.silence;
  if (now - born_ <= whole) return false;
  fail_hung("hung: the engine didn't end when its time was over");
  return true;
}

// The engine may end by itself, which frees the disk sooner and tells what was measured so far; a
// hung one is killed and left.
void Measuring::stop() {
  const Clock::time_point until = Clock::now() + deadlines_.stop_grace;
  const char byte = 's';
  send_bytes(process_.socket(), &byte, 1);
  try {
    hear_out(until);
  } catch (const Error&) {
    result_.measurement = {};
  }
  const bool told = result_.end == RunEnd::done && result_.measurement.measured_ns > 0;
  if (!told) result_.measurement = {};
  result_.end = RunEnd::stopped;
  const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
  if (!wait_until_reaped(process_, std::max(left, milliseconds(0)))) process_.kill();
}

void Measuring::hear_out(Clock::time_point until) {
  while (Clock::now() < until) {
    pollfd waiting{process_.socket(), POLLIN, 0};
    if (poll(&waiting, 1, stop_step) <= 0) continue;
    const FrameReader::Result heard = reader_.read(process_.socket());
    if (heard == FrameReader::Result::closed) return;
    if (heard == FrameReader::Result::frame && !take(reader_.frame())) return;
  }
}

}  // namespace

MeasureResult measure(EngineProcess& process, const Load& load, const Deadlines& deadlines,
                      const Observer& observer) {
  return Measuring(process, load, deadlines, observer).run();
}

bool wait_until_reaped(EngineProcess& process, milliseconds patience) {
  const Clock::time_point until = Clock::now() + patience;
  milliseconds step{1};
  while (!process.wait_status()) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(step);
    step = std::min(step * 2, milliseconds(20));
  }
  return true;
}

}  // namespace iobenchd::scheduler
