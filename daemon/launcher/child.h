// Service and probe: our own binary once more, under another title. Single-threaded.
#pragma once

#include <sys/types.h>

#include "daemon/launcher/launcher.h"
#include "daemon/launcher/process.h"
#include "daemon/model/control.h"

namespace iobenchd::launcher {

inline constexpr const char* service_title = "iobenchd: service";

struct ServiceProcess {
  pid_t pid = -1;
  Descriptor control;  // SOCK_SEQPACKET
  Descriptor log;      // reading end, non-blocking
};
// Drops privileges, then execs. Throws Error{unavailable}.
[[nodiscard]] ServiceProcess start_service(const Options& options);

struct ProbeProcess {
  pid_t pid = -1;
  Descriptor answers;  // for the service to read
};
// Keeps the launcher's rights: facts of a disk may need them. Throws Error{unavailable}.
[[nodiscard]] ProbeProcess start_probe(const Options& options, const Probe& request);

// SIGKILL to a child and all it forked; children are leaders of their groups.
void kill_group(pid_t child);
// "signal 9", "status 1": how a child ended.
[[nodiscard]] std::string describe_end(int wait_status);

}  // namespace iobenchd::launcher
