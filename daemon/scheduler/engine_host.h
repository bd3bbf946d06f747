// How the scheduler reaches engines and disks without knowing the launcher: the service implements
// it over the control socket, `iobench run` by forking itself, tests with a socketpair.
// Implementations are safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/control.h"
#include "daemon/model/target.h"

namespace iobenchd::scheduler {

// One engine, from its birth to its reaping. Destroying it closes the socket (the engine stops on
// end of file).
class EngineProcess {
 public:
  virtual ~EngineProcess() = default;
  [[nodiscard]] virtual int socket() const = 0;  // stream socket, non-blocking: Load out, Frames in
  virtual void kill() = 0;                       // SIGKILL, at once, never waits
  // The wait status once reaped; none while it lives, stuck in the kernel included.
  [[nodiscard]] virtual std::optional<int> wait_status() = 0;
};

class EngineHost {
 public:
  virtual ~EngineHost() = default;
  // Throws Error when the launcher can't fork or doesn't answer in 5 s. A refused target comes as a
  // failure frame instead.
  [[nodiscard]] virtual std::unique_ptr<EngineProcess> open(const OpenRun& request) = 0;
  // Facts of one target (exactly one), or with an empty path of every disk. A disk that doesn't
  // answer within 5 s is there with its name and error_number ETIMEDOUT.
  [[nodiscard]] virtual std::vector<TargetFacts> probe(const std::string& path) = 0;
};

}  // namespace iobenchd::scheduler
