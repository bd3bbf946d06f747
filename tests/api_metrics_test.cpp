// /metrics, line by line: a store, a scheduler, and disks that are scripts.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#include "api/handlers.h"
#include "api/metrics_text.h"
#include "api/openapi.h"
#include "api/server.h"
#include "tests/scheduler_workshop.h"

using namespace iobenchd;

namespace {

namespace fakes = scheduler::fakes;

struct House {
  // `silence`: how long an engine may say nothing.
  explicit House(std::chrono::milliseconds silence = std::chrono::seconds(30))
      : life(patient(workshop, silence)) {
    // Doubles to 4 jobs, then nothing more.
    workshop.host.script = fakes::disk_of(
        [](std::uint32_t jobs) { return 10'000.0 * std::min<std::uint32_t>(jobs, 4); });
  }

  [[nodiscard]] std::string metrics() {
    api::Request request;
    request.path = "/metrics";
    return api::get_metrics(context, request).body;
  }

  Sweep measure(const SweepSpec& spec) { return life.wait_for_end(life.scheduler.submit(spec).id); }

  // A run of one job at rest since 2026-12-23T04:26:40Z, stored and never measured.
  void store_run(std::int64_t started_at_ns, double iops, Origin origin = Origin::local) {
    Sweep sweep;
    sweep.plan.size_bytes = std::uint64_t{4} << 30;
    sweep.plan.target = "/dev/sda";
    Run run;
    run.circumstances.target = "/dev/sda";
    run.circumstances.serial = "S\"1\"";
    run.setting = {Rw::randwrite, 4096, 32, 8};
    run.measurement.ioengine = IoEngine::io_uring;
    run.measurement.direct = true;
    run.started_at_ns = started_at_ns;
    run.state = RunState::done;
    run.finished_at_ns = started_at_ns + 250'000'000;
    RunSummary summary;
    summary.state = RunState::done;
    summary.target = run.circumstances.target;
    summary.serial = run.circumstances.serial;
    summary.ioengine = run.measurement.ioengine;
    summary.direct = true;
    summary.iops = iops;
    summary.bandwidth_bytes_per_s = iops * 4096;
    summary.latency_mean_ns = 93'400;
    summary.latency_p99_ns = 250'000;
    if (origin == Origin::imported) {
      static_cast<void>(life.store.runs().import(sweep, {run}, {summary}));
      return;
    }
    run.sweep_id = life.store.sweeps().create(sweep).id;
    run.id = life.store.runs().begin(run);
    life.store.runs().finish(run, summary);
  }

  static fakes::Workshop& patient(fakes::Workshop& workshop, std::chrono::milliseconds silence) {
    workshop.timing.deadlines.setup = workshop.timing.deadlines.silence = silence;
    return workshop;
  }

  fakes::Workshop workshop;
  fakes::Life life;
  api::Context context{life.store, life.hub, life.scheduler};
};

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// What stands between the lines of two families, the first one's among it.
std::string between(const std::string& text, const std::string& first, const std::string& next) {
  const std::size_t from = text.find("# HELP " + first + " ");
  const std::size_t to = text.find("# HELP " + next + " ");
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  return text.substr(from, to - from);
}

}  // namespace

TEST_CASE("a daemon that has done nothing yet says so") {
  House house;
  CHECK(between(house.metrics(), "iobenchd_ready", "iobenchd_written_bytes_total") ==
        "# HELP iobenchd_ready 1: new sweeps are accepted; 0: /readyz says why not.\n"
        "# TYPE iobenchd_ready gauge\n"
        "iobenchd_ready 1\n"
        "# HELP iobenchd_queue_length Sweeps that wait.\n"
        "# TYPE iobenchd_queue_length gauge\n"
        "iobenchd_queue_length 0\n"
        "# HELP iobenchd_queue_limit Sweeps that may wait (queue_limit).\n"
        "# TYPE iobenchd_queue_limit gauge\n"
        "iobenchd_queue_limit 64\n"
        "# HELP iobenchd_sweeps_running Sweeps under way.\n"
        "# TYPE iobenchd_sweeps_running gauge\n"
        "iobenchd_sweeps_running 0\n"
        "# HELP iobenchd_device_run_active 1: a sweep is at work on this device, and whatever else "
        "measures it measures that, too. Devices that a sweep has had since the daemon started.\n"
        "# TYPE iobenchd_device_run_active gauge\n"
        "# HELP iobenchd_device_stuck 1: an engine was ended on this device and isn't gone yet: "
        "the device hangs.\n"
        "# TYPE iobenchd_device_stuck gauge\n"
        "# HELP iobenchd_sweeps_total Sweeps that ended since the daemon started.\n"
        "# TYPE iobenchd_sweeps_total counter\n"
        "iobenchd_sweeps_total{state=\"done\"} 0\n"
        "iobenchd_sweeps_total{state=\"failed\"} 0\n"
        "iobenchd_sweeps_total{state=\"cancelled\"} 0\n"
        "# HELP iobenchd_runs_total Runs that ended since the daemon started.\n"
        "# TYPE iobenchd_runs_total counter\n"
        "iobenchd_runs_total{state=\"done\"} 0\n"
        "iobenchd_runs_total{state=\"failed\"} 0\n"
        "iobenchd_runs_total{state=\"interrupted\"} 0\n"
        "iobenchd_runs_total{state=\"cancelled\"} 0\n");
}

TEST_CASE("every family has its help and its type once, before its samples") {
  House house;
  house.measure(fakes::grid_on("/dev/sda", {1, 2, 4, 8}));
  house.store_run(1'798'000'000'000'000'000, 20'000);
  const std::string text = house.metrics();
  std::string family;
  std::size_t families = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    CAPTURE(line);
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      CHECK(count_of(text, "# HELP " + family + " ") == 1);
      CHECK(count_of(text, "# TYPE " + family + " ") == 1);
      CHECK(text.compare(at, 7 + family.size() + 1, "# TYPE " + family + " ") == 0);
      CHECK(api::openapi_json().find("`" + family + "`") != std::string::npos);
      ++families;
    } else if (!line.starts_with("# TYPE ")) {
      CHECK(line.starts_with(family));
    }
  }
  CHECK(families == 20);
}

TEST_CASE("after a sweep of four runs its device is free, its runs and its latencies are counted") {
  House house;
  const Sweep sweep = house.measure(fakes::grid_on("/dev/sda", {1, 2, 4, 8}));
  REQUIRE(sweep.state == SweepState::done);
  // Its thread lets go of the device after the end is stored.
  REQUIRE(fakes::wait_until([&] { return house.life.scheduler.running() == 0; }));
  const std::string text = house.metrics();
  CHECK(has_line(text, "iobenchd_device_run_active{device=\"sda\"} 0"));
  CHECK(has_line(text, "iobenchd_device_stuck{device=\"sda\"} 0"));
  CHECK(has_line(text, "iobenchd_sweeps_total{state=\"done\"} 1"));
  CHECK(has_line(text, "iobenchd_written_bytes_total{target=\"/dev/sda\"} 0"));
  // Runs of 0.1 s at 10 000 I/Os a second and job, up to four jobs: four points and the first once
  // more. 1, 2 and 4 jobs take 100 us an I/O, 8 take 200 us.
  const std::string labels = "{target=\"/dev/sda\",direction=\"read\"";
  const auto bucket = [&](const std::string& bound, const std::string& ios) {
    return has_line(
        text, "iobenchd_io_latency_seconds_bucket" + labels + ",le=\"" + bound + "\"} " + ios);
  };
  CHECK(has_line(text, "iobenchd_runs_total{state=\"done\"} 5"));
  CHECK(bucket("1e-06", "0"));
  CHECK(bucket("5e-05", "0"));
  CHECK(bucket("0.0001", "8000"));
  CHECK(bucket("0.0002", "12000"));
  CHECK(bucket("10", "12000"));
  CHECK(bucket("+Inf", "12000"));
  CHECK(has_line(text, "iobenchd_io_latency_seconds_sum" + labels + "} 1.6"));
  CHECK(has_line(text, "iobenchd_io_latency_seconds_count" + labels + "} 12000"));
  CHECK(text.find("direction=\"write\"") == std::string::npos);
}

TEST_CASE("a sweep's sweet spot is told for its curve, and a newer sweep's instead") {
  House house;
  const std::string labels =
      "{target=\"/dev/sda\",rw=\"randread\",bs=\"4k\",iodepth=\"1\",ioengine=\"";
  house.measure(fakes::grid_on("/dev/sda", {1, 2, 4, 8}));
  std::string text = house.metrics();
  CHECK(count_of(text, "\niobenchd_sweet_spot_numjobs" + labels) == 1);
  CHECK(text.find("\niobenchd_sweet_spot_numjobs" + labels) <
        text.find("\"} 4\n# HELP iobenchd_sweet_spot_low_numjobs "));
  CHECK(count_of(text, "\niobenchd_sweet_spot_timestamp_seconds" + labels) == 1);
  house.workshop.host.script = fakes::disk_of([](std::uint32_t jobs) { return 1'000.0 * jobs; });
  house.measure(fakes::grid_on("/dev/sda", {1, 2, 4, 8}));
  text = house.metrics();
  CHECK(count_of(text, "\niobenchd_sweet_spot_numjobs{") == 0);
}

TEST_CASE("a measurement tells its newest run's figures, in base units, and what is imported not") {
  House house;
  house.store_run(1'798'000'000'000'000'000, 20'000);
  house.store_run(1'798'000'100'000'000'000, 21'000.5);
  house.store_run(1'797'000'000'000'000'000, 1);
  house.store_run(1'798'000'200'000'000'000, 5, Origin::imported);
  const std::string labels =
      "{target=\"/dev/sda\",serial=\"S\\\"1\\\"\",rw=\"randwrite\",bs=\"4k\",iodepth=\"32\","
      "numjobs=\"8\",ioengine=\"io_uring\",direct=\"true\",size_class=\"32\",workload=\"\"} ";
  const std::string text =
      between(house.metrics(), "iobenchd_last_run_iops", "iobenchd_sweet_spot_numjobs");
  CHECK(count_of(text, "\niobenchd_last_run_") == 5);
  CHECK(has_line(text, "iobenchd_last_run_iops" + labels + "21000.5"));
  CHECK(has_line(text, "iobenchd_last_run_bandwidth_bytes_per_second" + labels + "86018048"));
  CHECK(has_line(text, "iobenchd_last_run_latency_mean_seconds" + labels + "9.34e-05"));
  CHECK(has_line(text, "iobenchd_last_run_latency_p99_seconds" + labels + "0.00025"));
  CHECK(has_line(text, "iobenchd_last_run_timestamp_seconds" + labels + "1798000100.25"));
}

TEST_CASE("a device is active while a sweep has it, and stuck while its engine doesn't end") {
  House house(std::chrono::seconds(2));
  const auto says = [&](const std::string& family, const std::string& value) {
    const std::string line = "iobenchd_device_" + family + "{device=\"sda\"} " + value;
    return fakes::wait_until([&] { return has_line(house.metrics(), line); });
  };
  std::atomic<bool> over = false;
  house.workshop.host.killable = false;
  house.workshop.host.script = [&](fakes::EngineEnd& end, const OpenRun&) {
    if (fakes::prepares(end)) return;
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  static_cast<void>(house.life.scheduler.submit(fakes::grid_on("/dev/sda", {1})));
  CHECK(says("run_active", "1"));
  CHECK(says("stuck", "0"));
  CHECK(says("stuck", "1"));
  CHECK(says("run_active", "0"));
  over = true;  // the disk answers at last, and the kernel lets the engine die
  {
    const auto engine = house.workshop.host.last_life();
    const std::lock_guard lock(engine->mutex);
    engine->killed = false;
  }
  CHECK(says("stuck", "0"));
}

TEST_CASE("a label may hold anything, and what is no number isn't told") {
  api::MetricsText metrics;
  metrics.family("a", "gauge", "About.");
  metrics.value(1.0 / 3, {{"path", "C:\\\"x\"\n"}});
  metrics.value(-0.25);
  metrics.value(std::numeric_limits<double>::quiet_NaN());
  CHECK(metrics.take() ==
        "# HELP a About.\n# TYPE a gauge\n"
        "a{path=\"C:\\\\\\\"x\\\"\\n\"} 0.333333333333333\n"
        "a -0.25\n");
}
