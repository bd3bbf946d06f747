// A daemon's life in miniature, for the tests of whole sweeps: a directory, a store, a scheduler,
// and engines made of threads.
#pragma once

#include <dirent.h>
#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/scheduler/scheduler.h"
#include "tests/scheduler_fakes.h"

namespace iobenchd::scheduler::fakes {

using Clock = std::chrono::steady_clock;

// A directory of the test's own, gone with it.
class Workshop {
 public:
  Workshop() {
    const char* place = std::getenv("TMPDIR");
    path_ = std::string(place == nullptr ? "/tmp" : place) + "/iobenchd-test-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw Error(ErrorCode::internal, "mkdtemp " + path_);
    spdlog::set_level(spdlog::level::off);
    host.facts[path_] = directory_facts(path_, "leaf0");
    host.facts["/dev/sda"] = disk_facts("/dev/sda", "sda");
    host.facts["/dev/sdb"] = disk_facts("/dev/sdb", "sdb");
    host.script = disk_of([](std::uint32_t n) { return 1000.0 * n; });
    set_text(settings.scratch_dir, path_);
    set_text(settings.database, path_ + "/db");
    settings.target_count = 1;
    set_text(settings.targets[0].pattern, "/dev/sd?");
    timing.reference_s = timing.short_reference_s = 0.01;
    timing.grace = milliseconds(0);
    timing.storage_retry = milliseconds(20);
  }
  ~Workshop() {
    if (DIR* directory = opendir(path_.c_str())) {
      while (const dirent* entry = readdir(directory))
        unlink((path_ + "/" + entry->d_name).c_str());
      closedir(directory);
    }
    rmdir(path_.c_str());
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  [[nodiscard]] std::string database() const { return path_ + "/db"; }
  [[nodiscard]] const std::string& path() const { return path_; }

  FakeHost host;
  MachineProbe machine;
  Settings settings;
  Timing timing;

 private:
  std::string path_;
};

// A daemon's life: everything from store to scheduler.
struct Life {
  explicit Life(Workshop& workshop)
      : store(workshop.database()),
        scheduler(store, hub, workshop.host, workshop.settings, workshop.machine, workshop.timing) {
  }

  storage::Store store;
  events::Hub hub;
  Scheduler scheduler;

  Sweep wait_for_end(std::int64_t id) {
    const auto until = Clock::now() + std::chrono::seconds(20);
    for (;;) {
      const auto sweep = store.sweeps().find(id);
      REQUIRE(sweep);
      if (sweep->finished_at_ns != 0) return *sweep;
      REQUIRE_MESSAGE(Clock::now() < until, "the sweep doesn't end");
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  std::size_t runs_in(std::int64_t id, RunState state) {
    const auto runs = store.runs().of_sweep(id);
    return static_cast<std::size_t>(std::count_if(
        runs.begin(), runs.end(), [&](const Run& run) { return run.state == state; }));
  }
};

inline bool wait_until(const std::function<bool()>& true_at_last) {
  const auto until = Clock::now() + std::chrono::seconds(10);
  while (!true_at_last()) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

inline SweepSpec grid_on(const std::string& target, std::vector<std::uint32_t> numjobs) {
  SweepSpec spec;
  spec.target = target;
  spec.numjobs_auto = false;
  spec.numjobs = std::move(numjobs);
  spec.runtime_ns = 100'000'000;
  spec.ramp_time_ns = 0;
  spec.order = Order::given;
  spec.seed = 1;
  return spec;
}

// Works until it is told to stop.
inline void work_on(EngineEnd& end) {
  while (!end.stopped_within(milliseconds(10))) end.tick(Phase::measure, 10, 1'000'000, 10'000'000);
}

}  // namespace iobenchd::scheduler::fakes
