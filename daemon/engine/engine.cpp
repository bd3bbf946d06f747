#include "daemon/engine/engine.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>

#include "daemon/engine/clock.h"
#include "daemon/engine/crew.h"
#include "daemon/engine/failure.h"
#include "daemon/model/error.h"

namespace iobenchd::engine {
namespace {

// Pages that are mapped to be written are read first, too.
bool needs_both(const Load& load) noexcept {
  if (load.task == Task::layout) return false;
  return mixed(load.rw) || (load.ioengine == IoEngine::mmap && writes(load.rw));
}

void check_descriptors(const Load& load, int first_target_fd) {
  const bool write = load.task == Task::layout || writes(load.rw);
  const std::uint32_t count =
      load.task == Task::layout ? load.files : std::max(load.numjobs, load.files);
  for (std::uint32_t i = 0; i < count; ++i) {
    const int flags = fcntl(first_target_fd + static_cast<int>(i), F_GETFL);
    FailureBody failure = make_failure("open", flags < 0 ? errno : EBADF, 0,
                                       flags < 0 ? "one open file per job is expected, from 4 on"
                                                 : "the target isn't open for this workload");
    failure.job = i;
    if (flags < 0) throw failure;
    const int access = flags & O_ACCMODE;
    const int enough = needs_both(load) ? O_RDWR : write ? O_WRONLY : O_RDONLY;
    if (access != O_RDWR && access != enough) throw failure;
  }
}

bool perform(Outbox& outbox, const Load& load, int first_target_fd) {
  try {
    check_load(load);
  } catch (const Error& error) {
    throw make_failure("load", 0, 0, error.what());
  }
  check_descriptors(load, first_target_fd);
  if (load.task == Task::layout) return lay_out(outbox, load, first_target_fd);
  return measure(outbox, load, first_target_fd);
}

int fail(Outbox& outbox, const FailureBody& failure) {
  Frame frame;
  frame.body.failure = failure;
  outbox.post(frame, FrameKind::failure, outbox.phase());
  static_cast<void>(outbox.flush());
  return 1;
}

int serve_one(Outbox& outbox, int first_target_fd) {
  try {
    Load load;
    if (!outbox.receive(load)) return 0;
    if (!perform(outbox, load, first_target_fd)) return 0;
    return outbox.flush() ? 0 : 1;
  } catch (const FailureBody& failure) {
    return fail(outbox, failure);
  } catch (const std::exception& error) {
    return fail(outbox, make_failure("engine", ENOMEM, 0, error.what()));
  }
}

}  // namespace

int serve(int control_fd, int first_target_fd) {
  std::signal(SIGPIPE, SIG_IGN);
  Outbox outbox(control_fd, PosixClock::now());
  const int status = serve_one(outbox, first_target_fd);
  reap_jobs();
  return status;
}

}  // namespace iobenchd::engine
