#include "daemon/scheduler/run_failure.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "daemon/model/target.h"

namespace iobenchd::scheduler {
namespace {

// The signals an engine can die of, by the names people search for; strsignal is not thread-safe.
std::string name_of_signal(int number) {
  switch (number) {
    case SIGKILL:
      return "SIGKILL (killed from outside, or out of memory)";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGABRT:
      return "SIGABRT";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    case SIGSYS:
      return "SIGSYS (a system call its sandbox forbids)";
    case SIGTERM:
      return "SIGTERM";
    default:
      return "signal " + std::to_string(number);
  }
}

FailureKind kind_of(const FailureBody& body, Phase phase) {
  if (body.error_number == ENODEV || body.error_number == ENXIO) return FailureKind::device_gone;
  if (phase != Phase::starting) return FailureKind::io;
  const std::string operation = text_of(body.operation);
  return operation == "io_uring_setup" || operation == "io_uring_register"
             ? FailureKind::no_io_uring
             : FailureKind::refused;
}

}  // namespace

RunFailure failure_of(const FailureBody& body, Phase phase) {
  RunFailure failure;
  failure.kind = kind_of(body, phase);
  failure.error_number = body.error_number;
  const std::string operation = text_of(body.operation);
  const std::string text = text_of(body.text);
  // The opener says it all in its own words.
  const bool explained = operation == "open" && !text.empty();
  if (!operation.empty() && !explained) {
    failure.text = operation + " failed";
    if (phase != Phase::starting)
      failure.text += " at offset " + std::to_string(body.offset_bytes) + " (job " +
                      std::to_string(body.job) + ")";
    if (body.error_number != 0)
      failure.text += ": " + std::generic_category().message(body.error_number);
  }
  if (!text.empty()) failure.text += (failure.text.empty() ? "" : ": ") + text;
  if (failure.text.empty()) failure.text = "the engine gave up without a reason";
  return failure;
}

RunFailure failure_of_status(int wait_status) {
  RunFailure failure;
  failure.kind = FailureKind::crashed;
  if (WIFSIGNALED(wait_status))
    failure.text = "the engine was ended by " + name_of_signal(WTERMSIG(wait_status));
  else
    failure.text = "the engine ended with status " + std::to_string(WEXITSTATUS(wait_status)) +
                   " before its result";
  return failure;
}

}  // namespace iobenchd::scheduler
