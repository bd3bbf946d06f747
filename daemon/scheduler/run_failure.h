// Why a run has no result: what kind of thing happened, and the sentence a person reads. Plain
// values.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/model/frame.h"

namespace iobenchd::scheduler {

enum class FailureKind : std::uint8_t {
  io,           // an operation on the disk failed
  device_gone,  // ENODEV, ENXIO, or not found any more: no other run can do better
  hung,         // nothing completed for too long
  crashed,      // the engine died
  refused,      // the target was not opened, or the engine can't do what was asked
  no_io_uring,  // the engine found no io_uring that it may use: another engine could do the run
  garbled,      // frames no honest engine sends
};

struct RunFailure {
  FailureKind kind = FailureKind::io;
  int error_number = 0;
  std::string text;
};

// Of an engine's last frame.
[[nodiscard]] RunFailure failure_of(const FailureBody& body, Phase phase);
// Of a wait status as waitpid(2) gives it.
[[nodiscard]] RunFailure failure_of_status(int wait_status);

}  // namespace iobenchd::scheduler
