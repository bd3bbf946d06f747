// What an engine says, every 250 ms and at its end, over a stream socket: frames of one fixed size.
// A frame is untrusted input: `check_frame` bounds every count before anyone uses it. Same machine,
// same build: native byte order, versioned.
#pragma once

#include <array>
#include <cstdint>

#include "daemon/model/histogram.h"
#include "daemon/model/load.h"

namespace iobenchd {

inline constexpr std::uint32_t frame_magic = 0x494F4246;  // "IOBF"
inline constexpr std::uint16_t frame_version = 3;
inline constexpr std::uint64_t tick_ns = 250'000'000;
inline constexpr std::uint32_t jobs_per_frame = 64;

// tick: progress. jobs: figures of up to 64 jobs (as many frames as it takes). final: the merged
// result, the last frame of a good run. failure: the last frame of a bad one; also what the opener
// says when it refuses a target.
enum class FrameKind : std::uint16_t { tick, jobs, final, failure };
// verify: what has been written is read back, after the measured time.
enum class Phase : std::uint32_t { starting, layout, ramp, measure, drain, verify };
enum class ClockSource : std::uint32_t { clock_gettime, tsc };

struct FrameHeader {
  std::uint32_t magic = frame_magic;
  std::uint16_t version = frame_version;
  FrameKind kind = FrameKind::tick;
  std::uint32_t sequence = 0;  // counts from 0 without gaps
  Phase phase = Phase::starting;
  std::uint64_t elapsed_ns = 0;  // since the engine started
};

// One direction over one span of time: the tick's own span, or the whole measured span in a final
// frame.
struct Traffic {
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  Histogram latency;
};

struct TickBody {
  std::uint64_t span_ns = 0;      // how long this tick lasted; spans add up to the phase's time
  std::uint64_t done_bytes = 0;   // layout and verify only
  std::uint64_t total_bytes = 0;  // layout and verify only
  Traffic read;
  Traffic write;
  Traffic fsync;  // no bytes; its I/Os are in neither of the others
};

struct JobFigures {
  std::uint32_t job = 0;
  std::uint32_t reserved = 0;
  std::uint64_t read_ios = 0;
  std::uint64_t write_ios = 0;
  std::uint64_t latency_sum_ns = 0;
  std::uint64_t latency_max_ns = 0;
  std::uint64_t measured_ns = 0;
  std::uint64_t cpu_user_ns = 0;  // from ramp end to stop
  std::uint64_t cpu_system_ns = 0;
};

struct JobsBody {
  std::uint32_t count = 0;  // 1..jobs_per_frame
  std::uint32_t reserved = 0;
  std::array<JobFigures, jobs_per_frame> jobs{};
};

struct FinalBody {
  std::uint64_t measured_ns = 0;
  std::uint64_t cpu_user_ns = 0;  // all jobs, ramp end to stop
  std::uint64_t cpu_system_ns = 0;
  ClockSource clock_source = ClockSource::clock_gettime;
  IoEngine ioengine = IoEngine::psync;
  std::uint8_t direct = 0;  // the descriptors really were opened for direct I/O
  std::uint8_t reserved[2] = {};
  std::uint32_t engine_flags = 0;    // really used
  std::uint32_t batch_submit = 0;    // really used
  std::uint32_t batch_complete = 0;  // really used
  std::uint32_t in_flight_max =
      0;  // numjobs x iodepth, or numjobs where the engine holds one per job
  // Of all jobs, from ramp end to stop.
  std::uint64_t voluntary_context_switches = 0, involuntary_context_switches = 0;
  std::uint64_t minor_page_faults = 0, major_page_faults = 0;
  std::uint64_t verified_bytes = 0;  // found as written, during the run and after it
  Traffic read;
  Traffic write;
  Traffic fsync;
};

// operation: "open", "read", "write", "fsync", "io_uring_setup", ... What a person can do about it
// stands in `text`.
struct FailureBody {
  std::int32_t error_number =
      0;  // errno; 0: a short transfer or a refusal explained by `text` alone
  std::uint32_t job = 0;
  std::uint64_t offset_bytes = 0;
  std::array<char, 32> operation{};  // NUL-terminated
  std::array<char, 448> text{};      // NUL-terminated
};

struct Frame {
  FrameHeader header;
  union Body {
    TickBody tick;
    JobsBody jobs;
    FinalBody final;
    FailureBody failure;
    Body() : tick() {}
  } body;
};

// Throws Error{internal} naming the field when magic, version, kind, sequence, phase, a count or a
// terminator is impossible.
void check_frame(const Frame& frame, std::uint32_t expected_sequence);

}  // namespace iobenchd
