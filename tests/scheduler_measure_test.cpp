#include <doctest/doctest.h>

#include <cerrno>

#include "daemon/scheduler/measure.h"
#include "tests/scheduler_fakes.h"

namespace iobenchd::scheduler {
namespace {

using fakes::EngineEnd;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Deadlines brief() {
  Deadlines deadlines;
  deadlines.setup = deadlines.silence = deadlines.layout_silence = milliseconds(200);
  deadlines.stop_grace = milliseconds(100);
  return deadlines;
}

Load one_second() {
  Load load;
  load.runtime_ns = 1'000'000'000;
  load.size_bytes = 1 << 20;
  return load;
}

struct Measured {
  MeasureResult result;
  milliseconds took{};
  bool reaped = false;
};

Measured measure_with(const fakes::Script& script, const Observer& observer = {},
                      const Deadlines& deadlines = {}, Task task = Task::measure) {
  fakes::FakeHost host;
  host.script = script;
  const auto process = host.open(OpenRun{});
  Load load = one_second();
  load.task = task;
  const Clock::time_point begin = Clock::now();
  Measured measured;
  measured.result = measure(*process, load, deadlines, observer);
  measured.took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  measured.reaped = wait_until_reaped(*process, milliseconds(500));
  return measured;
}

TEST_CASE("four ticks and a result make a measurement with one sample") {
  std::vector<Tick> ticks;
  Observer observer;
  observer.on_tick = [&](const Tick& tick) { ticks.push_back(tick); };
  const Measured measured = measure_with(
      [](EngineEnd& end, const OpenRun&) {
        for (int i = 0; i < 4; ++i) end.tick(Phase::measure, 250, 4'000'000, tick_ns);
        Frame& frame = end.begin(FrameKind::jobs, Phase::drain);
        frame.body.jobs = JobsBody{};
        frame.body.jobs.count = 2;
        frame.body.jobs.jobs[0].job = 1;
        end.send();
        end.final(1000, 4'000'000);
      },
      observer);
  REQUIRE(measured.result.end == RunEnd::done);
  const Measurement& got = measured.result.measurement;
  CHECK(got.read.ios == 1000);
  CHECK(got.read.bytes == 4'096'000);
  CHECK(got.measured_ns == 1'000'000'000);
  CHECK(got.direct);
  REQUIRE(got.samples.size() == 1);
  CHECK(got.samples[0].read_ios == 1000);
  CHECK(got.samples[0].latency_mean_ns == 4'000'000);
  CHECK(got.samples[0].span_ns == 1'000'000'000);
  REQUIRE(got.jobs.size() == 2);
  CHECK(got.jobs[0].job == 0);
  CHECK(got.jobs[1].job == 1);
  REQUIRE(ticks.size() == 5);
  CHECK(ticks[0].iops == doctest::Approx(1000));
  CHECK(ticks[0].latency_mean_ns == doctest::Approx(4e6));
  CHECK(ticks[4].phase == Phase::drain);
  CHECK(measured.reaped);
}

TEST_CASE("the ramp's ticks never mix with the measured ones") {
  const Measured measured = measure_with([](EngineEnd& end, const OpenRun&) {
    for (int i = 0; i < 2; ++i) end.tick(Phase::ramp, 100, 1'000'000, tick_ns);
    for (int i = 0; i < 6; ++i) end.tick(Phase::measure, 250, 1'000'000, tick_ns);
    end.final(1500, 1'000'000);
  });
  const auto& samples = measured.result.measurement.samples;
  REQUIRE(samples.size() == 3);
  CHECK(samples[0].ramp);
  CHECK(samples[0].read_ios == 200);
  CHECK_FALSE(samples[1].ramp);
  CHECK(samples[1].read_ios == 1000);
  CHECK(samples[2].read_ios == 500);  // the half second that is left
  CHECK(samples[2].second == 2);
}

TEST_CASE("an engine that completes nothing is hung, however lively it ticks") {
  const Measured measured = measure_with(
      [](EngineEnd& end, const OpenRun&) {
        end.tick(Phase::measure, 10, 1'000'000, tick_ns);
        while (!end.stopped_within(milliseconds(20))) end.tick(Phase::measure, 0, 0, tick_ns / 10);
      },
      {}, brief());
  CHECK(measured.result.end == RunEnd::failed);
  CHECK(measured.result.failure.kind == FailureKind::hung);
  CHECK(measured.result.failure.text == "hung: no I/O completed for 0.2 s");
  CHECK(measured.took >= milliseconds(200));
  CHECK(measured.reaped);
}

TEST_CASE("a silent engine is hung, and measure() returns though it can't be killed") {
  std::atomic<bool> over = false;
  fakes::FakeHost host;
  host.killable = false;
  host.script = [&](EngineEnd& end, const OpenRun&) {
    end.tick(Phase::measure, 10, 1'000'000, tick_ns);
    while (!over) std::this_thread::sleep_for(milliseconds(5));
  };
  const auto process = host.open(OpenRun{});
  const MeasureResult result = measure(*process, one_second(), brief(), {});
  CHECK(result.failure.kind == FailureKind::hung);
  CHECK_FALSE(wait_until_reaped(*process, milliseconds(20)));
  over = true;
}

TEST_CASE("an engine that keeps working beyond its time is ended") {
  const Clock::time_point begin = Clock::now();
  const Measured measured = measure_with(
      [](EngineEnd& end, const OpenRun&) {
        while (!end.stopped_within(milliseconds(50)))
          end.tick(Phase::measure, 1, 1'000'000, tick_ns);
      },
      {}, brief());
  CHECK(measured.result.failure.kind == FailureKind::hung);
  // 1 s of runtime, 200 ms of setup, 200 ms of silence
  CHECK(Clock::now() - begin >= milliseconds(1400));
}

TEST_CASE("reading back may take longer than the run, but not without progress") {
  for (const bool goes_on : {true, false}) {
    fakes::FakeHost host;
    host.script = [goes_on](EngineEnd& end, const OpenRun&) {
      end.tick(Phase::measure, 250, 4'000'000, 1'000'000'000);
      for (std::uint64_t i = 1; !goes_on || i <= 60; ++i) {
        end.progress_tick(Phase::verify, goes_on ? i << 20 : 1 << 20, 60 << 20);
        if (end.stopped_within(milliseconds(30))) return;
      }
      end.final(250, 4'000'000);
    };
    Load load = one_second();
    load.runtime_ns = 250'000'000;
    load.workload.verify = 1;
    Deadlines deadlines = brief();
    deadlines.layout_silence = milliseconds(1000);
    const auto process = host.open(OpenRun{});
    const MeasureResult result = measure(*process, load, deadlines, {});
    CHECK(result.end == (goes_on ? RunEnd::done : RunEnd::failed));
    if (!goes_on) CHECK(result.failure.kind == FailureKind::hung);
    if (goes_on) CHECK(result.measurement.samples.size() == 1);
  }
}

TEST_CASE("an engine killed from outside has crashed, by signal") {
  fakes::FakeHost host;
  host.script = [](EngineEnd& end, const OpenRun&) {
    end.tick(Phase::measure, 10, 1'000'000, tick_ns);
    end.stopped_within(milliseconds(2000));
  };
  const auto process = host.open(OpenRun{});
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(50));
    process->kill();
  });
  const MeasureResult result = measure(*process, one_second(), brief(), {});
  killer.join();
  CHECK(result.failure.kind == FailureKind::crashed);
  CHECK(result.failure.text.find("SIGKILL") != std::string::npos);
}

TEST_CASE("an engine that just leaves has crashed too, half a frame or none") {
  const Measured measured = measure_with([](EngineEnd& end, const OpenRun&) {
    const Frame half;
    end.send_bytes(&half, sizeof half / 2);
  });
  CHECK(measured.result.failure.kind == FailureKind::crashed);
  CHECK(measured.result.failure.text == "the engine ended with status 0 before its result");
}

TEST_CASE("nonsense ends the run: zeros, a frame twice, a gap, more ticks than time") {
  const auto kind_of = [](const fakes::Script& script) {
    return measure_with(script).result.failure.kind;
  };
  CHECK(kind_of([](EngineEnd& end, const OpenRun&) {
          const std::vector<char> zeros(sizeof(Frame), '\0');
          end.send_bytes(zeros.data(), zeros.size());
          end.stopped_within(milliseconds(1000));
        }) == FailureKind::garbled);
  CHECK(kind_of([](EngineEnd& end, const OpenRun&) {
          const Frame first;
          end.send_bytes(&first, sizeof first);
          end.send_bytes(&first, sizeof first);
          end.stopped_within(milliseconds(1000));
        }) == FailureKind::garbled);
  CHECK(kind_of([](EngineEnd& end, const OpenRun&) {
          Frame second;
          second.header.sequence = 1;
          end.send_bytes(&second, sizeof second);
          end.stopped_within(milliseconds(1000));
        }) == FailureKind::garbled);
  CHECK(kind_of([](EngineEnd& end, const OpenRun&) {
          for (int i = 0; i < 5000; ++i) end.tick(Phase::measure, 1, 1000, 1000);
        }) == FailureKind::garbled);
}

TEST_CASE("a failure frame says operation, offset and errno in words") {
  const Measured measured = measure_with(
      [](EngineEnd& end, const OpenRun&) { end.failure(Phase::measure, EIO, "read", 8192); });
  CHECK(measured.result.failure.kind == FailureKind::io);
  CHECK(measured.result.failure.error_number == EIO);
  CHECK(measured.result.failure.text == "read failed at offset 8192 (job 0): Input/output error");
}

TEST_CASE("ENXIO and ENODEV mean that the disk is gone") {
  for (const int error_number : {ENXIO, ENODEV}) {
    const Measured measured = measure_with([=](EngineEnd& end, const OpenRun&) {
      end.failure(Phase::measure, error_number, "write", 0);
    });
    CHECK(measured.result.failure.kind == FailureKind::device_gone);
  }
}

TEST_CASE("what the opener refuses is refused in its own words") {
  const Measured measured = measure_with([](EngineEnd& end, const OpenRun&) {
    FailureBody body;
    body.error_number = EBUSY;
    set_text(body.operation, "open");
    set_text(body.text, "/dev/sdb is busy: another run holds it");
    end.begin(FrameKind::failure, Phase::starting).body.failure = body;
    end.send();
  });
  CHECK(measured.result.failure.kind == FailureKind::refused);
  CHECK(measured.result.failure.text == "/dev/sdb is busy: another run holds it");
}

TEST_CASE("a stop ends a run, whether the engine listens or not") {
  for (const bool listens : {true, false}) {
    std::atomic<bool> over = false;
    std::atomic<bool> stop = false;
    fakes::FakeHost host;
    host.killable = listens;
    host.script = [&](EngineEnd& end, const OpenRun&) {
      while (!over && !(listens && end.stopped_within(milliseconds(10)))) {
        end.tick(Phase::measure, 1, 1'000'000, tick_ns / 25);
        if (!listens) std::this_thread::sleep_for(milliseconds(10));
      }
    };
    const auto process = host.open(OpenRun{});
    Observer observer;
    observer.stop_requested = [&] { return stop.load(); };
    std::thread stopper([&] {
      std::this_thread::sleep_for(milliseconds(60));
      stop = true;
    });
    const MeasureResult result = measure(*process, one_second(), brief(), observer);
    CHECK(result.end == RunEnd::stopped);
    CHECK(result.measurement.measured_ns == 0);
    stopper.join();
    over = true;
  }
}

TEST_CASE("a run that is stopped has what the engine had measured by then") {
  for (const bool sane : {true, false}) {
    bool ticked = false;
    Observer observer;
    observer.on_tick = [&](const Tick&) { ticked = true; };
    observer.stop_requested = [&] { return ticked; };
    Deadlines patient;
    patient.stop_grace = milliseconds(10'000);
    const Measured measured = measure_with(
        [sane](EngineEnd& end, const OpenRun&) {
          end.tick(Phase::measure, 250, 4'000'000, tick_ns);
          end.stopped_within(milliseconds(10'000));
          const std::vector<char> zeros(sizeof(Frame), '\0');
          if (sane) return end.final(250, 4'000'000);
          end.send_bytes(zeros.data(), zeros.size());
        },
        observer, patient);
    CHECK(measured.result.end == RunEnd::stopped);
    const Measurement& got = measured.result.measurement;
    CHECK(got.measured_ns == (sane ? 1'000'000'000 : 0));
    CHECK(got.read.ios == (sane ? 250 : 0));
    CHECK(got.samples.size() == (sane ? 1 : 0));
    CHECK(measured.reaped);
  }
}

TEST_CASE("a layout may take longer than any run, as long as bytes get written") {
  const Measured measured = measure_with(
      [](EngineEnd& end, const OpenRun&) {
        for (std::uint64_t done = 1; done <= 12; ++done) {
          end.layout_tick(done, 12);
          std::this_thread::sleep_for(milliseconds(150));
        }
        end.final(0, 0);
      },
      {}, brief(), Task::layout);
  CHECK(measured.result.end == RunEnd::done);
  CHECK(measured.took > milliseconds(1600));
}

}  // namespace
}  // namespace iobenchd::scheduler
