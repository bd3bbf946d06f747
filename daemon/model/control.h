// What launcher and service say to each other: flat messages over a SOCK_SEQPACKET pair, one struct
// a packet, descriptors beside them (SCM_RIGHTS). The launcher trusts nothing that comes from the
// service.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "daemon/model/settings.h"
#include "daemon/model/target.h"
#include "daemon/model/workload.h"

namespace iobenchd {

enum class ControlKind : std::uint32_t {
  // service -> launcher
  ready,     // Ready
  open_run,  // OpenRun: open the target for one engine
  kill_run,  // KillRun: SIGKILL; the lease stays until it is reaped
  probe,     // Probe: facts of one target, or of all disks
  // launcher -> service
  settings,       // SettingsMessage: first message, and again at reload
  run_started,    // RunStarted, one descriptor: the engine's socket
  run_ended,      // RunEnded: reaped
  probe_started,  // RunStarted, one descriptor: read TargetFacts structs from it until end of file
  stop,           // Stop: finish what you can and exit 0
};

struct ControlHeader {
  std::uint32_t magic = 0x494F4243;  // "IOBC"
  ControlKind kind = ControlKind::ready;
  std::uint64_t token = 0;  // chosen by the service; names the run or probe
};

struct Ready {
  ControlHeader header;
  std::uint32_t ok = 0;
  std::array<char, 1020> text{};  // why not; or the address it listens on
};

// The opener opens `descriptors` open files of one target (or of `files` scratch files in turn),
// judges identity, allow-list and use on them, takes the lease (flock) and execs the engine with
// them as 4, 5, 6, ...
struct OpenRun {
  ControlHeader header;
  std::uint32_t descriptors = 1;
  std::uint32_t files = 1;   // scratch only: file names are `name` + ".0", ".1", ...
  std::uint8_t scratch = 0;  // `name` is a file name in scratch_dir, not a path
  std::uint8_t create = 0;   // scratch only: must not exist yet; opened for writing
  std::uint8_t write = 0;
  std::uint8_t direct = 0;  // try O_DIRECT, fall back where the target refuses
  Sync sync = Sync::none;   // O_SYNC or O_DSYNC
  std::uint8_t reserved[3] = {};
  std::uint64_t expected_device = 0, expected_inode = 0, expected_bytes = 0;  // 0: not checked
  std::array<char, 1024> name{};
  std::array<char, 256> confirm{};  // writes to a device: judged against the facts again
};

struct KillRun {
  ControlHeader header;
};
// facts: of `path`; where that is empty, of every disk of the machine. counters: of the physical
// disk named by `path` ("sd0"), which is not opened for it.
enum class ProbeQuestion : std::uint32_t { facts, counters };
struct Probe {
  ControlHeader header;
  ProbeQuestion question = ProbeQuestion::facts;
  std::uint32_t reserved = 0;
  std::array<char, 1024> path{};
};
struct SettingsMessage {
  ControlHeader header;
  Settings settings;
};
struct RunStarted {
  ControlHeader header;
  std::int32_t pid = 0;
  std::uint32_t reserved = 0;
};
struct RunEnded {
  ControlHeader header;
  std::int32_t wait_status = 0;  // as waitpid(2) gives it
  std::uint32_t reserved = 0;
};
struct Stop {
  ControlHeader header;
};

static_assert(std::is_trivially_copyable_v<OpenRun> &&
              std::is_trivially_copyable_v<SettingsMessage>);

// Descriptor numbers children are born with.
inline constexpr int control_fd = 3;  // service: to the launcher. engine, probe: to the service
inline constexpr int log_fd = 4;      // service: lines "<6>text\n" (syslog levels)
inline constexpr int first_target_fd = 4;  // engine

}  // namespace iobenchd
