// What one loop works on and writes: its own cache lines in the mapping that all jobs share. The
// owner alone writes; the control thread reads the histograms while they grow, whole words at a
// time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "daemon/engine/clock.h"
#include "daemon/model/frame.h"
#include "daemon/model/histogram.h"
#include "daemon/model/load.h"

namespace iobenchd::engine {

// What an I/O does, and the place of its latency in a span.
enum class Kind : std::uint8_t { read, write, fsync };
inline constexpr std::size_t kinds = 3;
[[nodiscard]] bool has(const Load& load, Kind kind) noexcept;  // whether a load makes any of these

// One span of time: ramp, or what counts.
struct Span {
  std::array<Histogram, kinds> latency;

  [[nodiscard]] Histogram& of(bool write) noexcept { return latency[write ? 1 : 0]; }
  [[nodiscard]] Histogram& of(Kind kind) noexcept {
    return latency[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const Histogram& of(Kind kind) const noexcept {
    return latency[static_cast<std::size_t>(kind)];
  }
};

// What a thread has cost so far.
struct Usage {
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
};
[[nodiscard]] Usage thread_usage() noexcept;  // of the calling thread
[[nodiscard]] Usage operator-(const Usage& later, const Usage& earlier) noexcept;

class Verifier;

struct alignas(64) Worker {
  // Set before the jobs are made.
  std::uint32_t index = 0;
  std::uint32_t job = 0;
  std::int32_t descriptor = -1;  // of its first file
  bool is_file = false;          // else the target is a device

  // The owner's.
  std::uint32_t engine_flags = 0;  // really used
  Usage at_ramp_end;
  Usage at_stop;
  std::uint64_t measured_end_ticks = 0;  // 0: never got beyond the ramp
  std::uint64_t null_offset_bytes = 0;   // where the null loop would have gone
  FailureBody failure{};                 // operation empty: none
  Verifier* verifier = nullptr;          // in the owner's memory; null: nothing is verified
  // Of verify: found as written, and of the last pass what there is to read and what has been.
  std::uint64_t verified_bytes = 0, to_read_back_bytes = 0, read_back_bytes = 0;
  alignas(64) Span ramp;
  Span measured;

  void fail(const char* operation, int error_number, std::uint64_t offset_bytes,
            const char* text) noexcept;
  // A transfer that ended with `result`: an error, or fewer bytes than asked for.
  void fail_transfer(bool write, long long result, std::uint64_t offset_bytes,
                     std::uint32_t block_bytes) noexcept;
  [[nodiscard]] bool failed() const noexcept { return failure.operation[0] != '\0'; }
};
// make_board takes it from zeroed memory as it is.
static_assert(std::is_trivially_copyable_v<Worker>);

// What `stop` says. Enough has been moved (io_size), or the service wants the run to end: then
// nothing is read back either.
inline constexpr std::uint32_t stop_moved_enough = 1, stop_at_once = 2;

// What all jobs share. Everything but `stop`, which a worker may set too (io_size), is written
// before the gate opens. Mapped once and
// never unmapped: a thread that hangs with its disk may outlive everything else.
struct alignas(64) Board {
  Load load;
  ClockScale clock;
  std::uint64_t start_ticks = 0;
  std::uint64_t ramp_end_ticks = 0;
  std::uint64_t deadline_ticks = 0;
  std::uint32_t workers_per_job = 1;
  std::uint32_t worker_count = 1;
  std::uint32_t batch_submit = 1;
  std::uint32_t batch_complete = 1;
  const std::byte* pool = nullptr;             // random bytes to write
  std::uint64_t nonce = 0;                     // no other run has it
  Worker* workers = nullptr;                   // worker_count of them
  mutable std::atomic<std::uint32_t> stop{0};  // written rarely: it needs no line of its own
  // Of verify: the service has looked at the device's counters, and the last pass may begin.
  std::atomic<std::uint32_t> may_read_back{0};
};

// Null when there is no memory.
[[nodiscard]] Board* make_board(const Load& load, int first_target_fd) noexcept;

// The one clock of a run, as a loop sees it: a single comparison per completion tells ramp from
// measured time from what is over.
class Gate {
 public:
  Gate(Worker& worker, const Board& board) noexcept;

  [[nodiscard]] bool reached(std::uint64_t now_ticks) const noexcept {
    return now_ticks >= boundary_ticks_;
  }
  // At a boundary: false when the run is over.
  [[nodiscard]] bool pass(std::uint64_t now_ticks) noexcept;
  // Stopped; after the deadline that says nothing new.
  void close_early(std::uint64_t now_ticks) noexcept;
  [[nodiscard]] std::uint64_t boundary_ticks() const noexcept { return boundary_ticks_; }
  [[nodiscard]] bool measuring() const noexcept { return span_ == &worker_.measured; }
  // Where completions count now.
  [[nodiscard]] Span& span() noexcept { return *span_; }

 private:
  void start_measuring() noexcept;

  std::uint64_t boundary_ticks_;
  Span* span_;
  bool over_ = false;
  Worker& worker_;
  const Board& board_;
};

}  // namespace iobenchd::engine
