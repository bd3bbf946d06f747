// One engine, from its Load to its Measurement, under deadlines: whatever engine or disk do, this
// returns. Knows neither store nor hub, so that `iobench run` measures with it too. One thread for
// each call; the callbacks run on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "daemon/model/load.h"
#include "daemon/model/run.h"
#include "daemon/scheduler/deadlines.h"
#include "daemon/scheduler/engine_host.h"
#include "daemon/scheduler/run_failure.h"

namespace iobenchd::scheduler {

// What a quarter second brought.
struct Tick {
  Phase phase = Phase::starting;
  double iops = 0, latency_mean_ns = 0;
  std::uint64_t done_bytes = 0, total_bytes = 0;  // layout
  std::uint64_t read_bytes = 0, write_bytes = 0;  // by the jobs, in this tick
};

struct Observer {
  // Every tick, and once more with phase drain when the result is there.
  std::function<void(const Tick&)> on_tick;
  // Asked every 50 ms at least; true ends the run in well under a second.
  std::function<bool()> stop_requested;
};

enum class RunEnd : std::uint8_t { done, failed, stopped };

struct MeasureResult {
  RunEnd end = RunEnd::failed;
  // done: what the engine can know; the machine's figures are not in it. stopped: the same, up to
  // then, where the engine said it in time; else its measured_ns is 0.
  Measurement measurement;
  RunFailure failure;  // failed
};

// Sends the load and reads frames until the engine has said its last word, dies, is stopped or is
// silent for too long; then kills what still lives, and doesn't wait for it.
[[nodiscard]] MeasureResult measure(EngineProcess& process, const Load& load,
                                    const Deadlines& deadlines, const Observer& observer);

// Waits at most `patience` until the engine is reaped; false: it is not.
[[nodiscard]] bool wait_until_reaped(EngineProcess& process, std::chrono::milliseconds patience);

}  // namespace iobenchd::scheduler
