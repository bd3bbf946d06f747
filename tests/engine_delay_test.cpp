// A disk of exactly known latency, in a time that is made up: what the loop itself adds or hides
// shows to the nanosecond, on any machine (ENGINE, "Truth").
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/engine/serial_loop.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

constexpr std::uint64_t second_ns = 1'000'000'000;

// Reading it takes 20 ns; a sleep ends 50 us late.
struct VirtualClock {
  static std::uint64_t now() noexcept { return time += 20; }
  static std::uint64_t span_ns(std::uint64_t ticks, std::uint64_t) noexcept { return ticks; }
  static void sleep(std::uint64_t ticks, std::uint64_t) noexcept { time += ticks + 50'000; }
  static inline std::uint64_t time = 0;
};

// 99 % of its transfers take 100 us, 1 % take 1 ms; it may stall once, from an instant on.
struct DelayDevice {
  std::uint64_t usual_ns = 100'000;
  std::uint64_t rare_ns = 1'000'000;  // every hundredth
  std::uint64_t sync_ns = 5'000'000;
  std::uint64_t stall_at = ~std::uint64_t{0};
  std::uint64_t stall_ns = 0;
  std::uint64_t transfers = 0;

  bool transfer(bool, std::uint64_t) noexcept {
    ++transfers;
    VirtualClock::time += transfers % 100 == 0 ? rare_ns : usual_ns;
    if (VirtualClock::time < stall_at) return true;
    VirtualClock::time += stall_ns;
    stall_at = ~std::uint64_t{0};
    return true;
  }
  bool sync(std::uint64_t) const noexcept {
    VirtualClock::time += sync_ns;
    return true;
  }
};

// A run of one worker from second 1 on; the first `ramp_ns` don't count.
Worker& run_on(DelayDevice& device, Load& load) {
  static std::vector<std::byte> pool = make_pool(1);
  std::vector<std::byte> block(load.block_bytes);
  load.size_bytes = 1 << 20;
  Board& board = *make_board(load, 4);
  board.pool = pool.data();
  board.start_ticks = VirtualClock::time = second_ns;
  board.ramp_end_ticks = board.start_ticks + load.ramp_ns;
  board.deadline_ticks = board.ramp_end_ticks + load.runtime_ns;
  if (load.workload.rate_iops != 0) {
    serial_spin<VirtualClock, RandomOffsets, Mixing, Governor<VirtualClock>, Unverified>(
        board.workers[0], board, block.data(), device);
  } else {
    serial_spin<VirtualClock, RandomOffsets, Mixing, Free, Unverified>(board.workers[0], board,
                                                                       block.data(), device);
  }
  CHECK(board.workers[0].measured_end_ticks == board.deadline_ticks);
  return board.workers[0];
}

double in_ms(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

}  // namespace

TEST_CASE("a disk of 99 % 100 us and 1 % 1 ms is measured as that") {
  DelayDevice device;
  Load load;
  load.ramp_ns = second_ns;
  load.runtime_ns = 10 * second_ns;
  const Worker& worker = run_on(device, load);
  const Histogram& latency = worker.measured.of(Kind::read);
  // A bucket is 0.8 % wide.
  CHECK(in_ms(latency.percentile_ns(50'000)) == doctest::Approx(0.1).epsilon(0.01));
  CHECK(in_ms(latency.percentile_ns(98'900)) == doctest::Approx(0.1).epsilon(0.01));
  CHECK(in_ms(latency.percentile_ns(99'500)) == doctest::Approx(1).epsilon(0.01));
  CHECK(latency.mean_ns() == doctest::Approx(109'020).epsilon(0.001));
  // 10 s / 109.02 us; and one at once, all of the time.
  CHECK(static_cast<double>(latency.count) == doctest::Approx(91'726).epsilon(0.001));
  CHECK(in_ms(latency.sum_ns) == doctest::Approx(10'000).epsilon(0.001));
}

TEST_CASE("a closed loop hides a stall of a second, an open one tells who had to wait") {
  for (const std::uint64_t rate : {0U, 1000U}) {
    DelayDevice device;
    device.usual_ns = device.rare_ns = 1000;  // next to nothing
    device.stall_at = 5 * second_ns;
    device.stall_ns = second_ns;
    Load load;
    load.runtime_ns = 10 * second_ns;
    load.workload.rate_iops = rate;
    const Worker& worker = run_on(device, load);
    const Histogram& latency = worker.measured.of(Kind::read);
    if (rate == 0) {
      CHECK(latency.percentile_ns(99'900) < 2'000);
      CHECK(in_ms(latency.max_ns) == doctest::Approx(1000).epsilon(0.001));
      continue;
    }
    // 10 000 were due, the thousand of the stalled second waited 0 to 1 s each.
    CHECK(latency.count == 10'000);
    CHECK(latency.percentile_ns(89'000) < 3'000);
    CHECK(in_ms(latency.percentile_ns(95'000)) == doctest::Approx(500).epsilon(0.05));
    CHECK(in_ms(latency.percentile_ns(99'000)) == doctest::Approx(900).epsilon(0.05));
  }
}

TEST_CASE("the oracle through the loop: 450 I/Os a second, 1 ms each, every 500th 200 ms") {
  DelayDevice device;
  device.usual_ns = 1'000'000;
  Load load;
  load.runtime_ns = 30 * second_ns;
  load.workload.rate_iops = 450;
  Worker& worker = run_on(device, load);
  CHECK(worker.measured.of(Kind::read).count == 13'500);
  CHECK(in_ms(worker.measured.of(Kind::read).percentile_ns(99'000)) ==
        doctest::Approx(1).epsilon(0.01));  // nothing stalls yet

  struct Stalling : DelayDevice {
    bool transfer(bool, std::uint64_t) noexcept {
      VirtualClock::time += ++transfers % 500 == 0 ? 200'000'000 : 1'000'000;
      return true;
    }
  } stalling;
  std::vector<std::byte> block(4096);
  Board& board = *make_board(load, 4);
  board.start_ticks = board.ramp_end_ticks = VirtualClock::time = second_ns;
  board.deadline_ticks = 31 * second_ns;
  serial_spin<VirtualClock, RandomOffsets, Mixing, Governor<VirtualClock>, Unverified>(
      board.workers[0], board, block.data(), stalling);
  const Histogram& latency = board.workers[0].measured.of(Kind::read);
  CHECK(in_ms(latency.percentile_ns(99'000)) == doctest::Approx(193.9).epsilon(0.01));
  CHECK(in_ms(latency.percentile_ns(99'900)) == doctest::Approx(200).epsilon(0.01));
}

TEST_CASE("an fsync after every third write takes its own time, not the writes'") {
  DelayDevice device;
  Load load;
  load.rw = Rw::randwrite;
  load.runtime_ns = second_ns;
  load.workload.fsync = 3;
  const Worker& worker = run_on(device, load);
  const Histogram& writes = worker.measured.of(Kind::write);
  const Histogram& syncs = worker.measured.of(Kind::fsync);
  CHECK(syncs.count <= writes.count / 3);  // the last one may have ended too late
  CHECK(syncs.count + 1 >= writes.count / 3);
  CHECK(in_ms(syncs.min_ns) == doctest::Approx(5).epsilon(0.001));
  CHECK(in_ms(syncs.max_ns) == doctest::Approx(5).epsilon(0.001));
  CHECK(in_ms(writes.max_ns) == doctest::Approx(1).epsilon(0.001));
  // Three writes and an fsync take 5.3 ms, a little more where one is slow.
  CHECK(static_cast<double>(writes.count) == doctest::Approx(3 * 1000 / 5.327).epsilon(0.02));
}
