// What the engine is told: one run. A flat value that crosses a socket, so every enum and count in
// it is checked on arrival
// (`check_load`). No thread promise needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/model/workload.h"

namespace iobenchd {

// fio's --rw. rw and randrw are mixed workloads.
enum class Rw : std::uint8_t { read, write, randread, randwrite, rw, randrw };
// fio's --ioengine where fio has one; `threads` is numjobs x iodepth threads of psync; `automatic`
// never reaches an engine.
enum class IoEngine : std::uint8_t { automatic, io_uring, psync, threads, mmap, null };
// measure: the run itself. layout: write `size_bytes` of incompressible data to every descriptor,
// syncing every 256 MiB. trial: set everything up as for a measurement, report the flags that can
// be had, do no I/O.
enum class Task : std::uint8_t { measure, layout, trial };

[[nodiscard]] std::string_view to_string(Rw value) noexcept;  // "randread"
[[nodiscard]] std::string_view to_string(
    IoEngine value) noexcept;  // "io_uring"; automatic is "auto"
[[nodiscard]] std::optional<Rw> parse_rw(std::string_view text) noexcept;
[[nodiscard]] std::optional<IoEngine> parse_ioengine(std::string_view text) noexcept;
[[nodiscard]] constexpr bool reads(Rw rw) noexcept {
  return rw != Rw::write && rw != Rw::randwrite;
}
[[nodiscard]] constexpr bool writes(Rw rw) noexcept {
  return rw != Rw::read && rw != Rw::randread;
}
[[nodiscard]] constexpr bool mixed(Rw rw) noexcept {
  return rw == Rw::rw || rw == Rw::randrw;
}
[[nodiscard]] constexpr bool random(Rw rw) noexcept {
  return rw == Rw::randread || rw == Rw::randwrite || rw == Rw::randrw;
}

// Engine flags, decided once per sweep from its largest point and stored with it: points measured
// with different flags never share a curve.
namespace engine_flag {
inline constexpr std::uint32_t fixed_buffers = 1U << 0;  // IORING_REGISTER_BUFFERS
inline constexpr std::uint32_t fixed_files = 1U << 1;    // IORING_REGISTER_FILES
inline constexpr std::uint32_t coop_taskrun = 1U << 2;
inline constexpr std::uint32_t single_issuer = 1U << 3;
inline constexpr std::uint32_t defer_taskrun = 1U << 4;
inline constexpr std::uint32_t polled = 1U << 5;  // IORING_SETUP_IOPOLL: hipri
inline constexpr std::uint32_t all = (1U << 6) - 1;
}  // namespace engine_flag

inline constexpr std::uint32_t max_numjobs = 1024;
inline constexpr std::uint32_t max_iodepth = 1024;
inline constexpr std::uint32_t max_engine_threads =
    4096;  // numjobs x iodepth with ioengine=threads
inline constexpr std::uint32_t max_block_bytes = 16U << 20;
inline constexpr std::uint32_t load_version = 3;

struct Load {
  std::uint32_t version = load_version;
  Task task = Task::measure;
  Rw rw = Rw::randread;
  IoEngine ioengine = IoEngine::psync;
  std::uint8_t thread = 0;  // 0: jobs are processes (fio's default), 1: threads
  std::uint32_t numjobs = 1;
  std::uint32_t iodepth = 1;
  std::uint32_t block_bytes = 4096;
  // Distinct files. Of as many jobs or more, job j works on file j % files, and descriptor j is its
  // own open file; fewer jobs share them out: job j works on j, j + numjobs, ..., and descriptor i
  // is file i.
  std::uint32_t files = 1;
  std::uint32_t batch_submit = 0;    // 0: max(1, iodepth / 8)
  std::uint32_t batch_complete = 0;  // 0: 1
  std::uint32_t engine_flags =
      engine_flag::all;  // may be used; what was used comes back in the final frame
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;  // of the region each file offers, a multiple of block_bytes
  std::uint64_t ramp_ns = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t seed = 0;
  Workload workload;
  CpuSet cpus{};  // all zero: any
};

// Throws Error{invalid, field, ...} on the first field that no honest service would send.
void check_load(const Load& load);

}  // namespace iobenchd
