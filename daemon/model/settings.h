// The configuration as the service and the opener need it: one flat struct, sent over a socket at
// start and at each reload. Made by daemon/config; bounded and NUL-terminated like every struct
// that crosses a process.
#pragma once

#include <array>
#include <cstdint>

#include "daemon/model/target.h"

namespace iobenchd {

inline constexpr std::uint32_t settings_version = 3;
inline constexpr std::uint32_t max_listen = 8;
inline constexpr std::uint32_t max_allowed_targets = 64;
inline constexpr std::uint32_t max_allowed_hosts = 32;
inline constexpr std::uint32_t max_quiet_spans = 16;

enum class LogLevel : std::uint32_t { debug, info, warning, error };

struct AllowedTarget {
  std::array<char, 256> pattern{};  // absolute path or glob
  std::uint8_t write = 0;
  std::uint8_t read_in_use = 0;
  std::uint8_t reserved[6] = {};
};

// Minutes since midnight by the host's clock, the end not included (1440: midnight). An end before
// the begin is the next day's.
struct QuietSpan {
  std::uint32_t begin_minute = 0, end_minute = 0;
};

struct Settings {
  std::uint32_t version = settings_version;
  std::uint32_t listen_count = 0;
  std::uint32_t target_count = 0;
  std::uint32_t host_count = 0;
  std::uint32_t workers = 1;
  std::uint32_t queue_limit = 64;
  LogLevel log_level = LogLevel::info;
  std::uint8_t started_as_root = 0;    // a service: changing requests over TCP need a token
  std::uint8_t yield_to_other_io = 0;  // of sweeps that don't say
  std::uint8_t reserved[2] = {};
  std::uint32_t quiet_count = 0;
  std::uint32_t retention_samples_days = 90;  // then a run's samples are thinned; 0: never
  std::uint32_t retention_sweeps_days = 0;    // then a sweep is deleted; 0: never
  std::uint32_t reserved_too = 0;
  std::uint64_t scratch_limit_bytes = std::uint64_t{64} << 30;
  std::uint64_t write_budget_bytes = std::uint64_t{500} << 30;
  std::array<std::array<char, 128>, max_listen>
      listen{};  // "127.0.0.1:8464", "[::1]:8464", "unix:/run/iobenchd/sock"
  std::array<char, 1024> database{};
  std::array<char, 1024> scratch_dir{};
  std::array<char, 1024> token_file{};
  std::array<std::array<char, 256>, max_allowed_hosts> allowed_hosts{};
  std::array<AllowedTarget, max_allowed_targets> targets{};
  std::array<QuietSpan, max_quiet_spans> quiet_hours{};  // scheduled sweeps don't start in them
  std::array<char, 4096>
      defaults_json{};  // sweep fields that override the presets', already checked
};

void check_settings(const Settings& settings);  // throws Error{internal}

}  // namespace iobenchd
