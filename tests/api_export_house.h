// What the export tests share: a daemon without sockets or engines, runs with something in every
// field, and sweeps made of them. One thread.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/handlers.h"
#include "api/http.h"
#include "api/respond.h"
#include "api/server.h"
#include "api/strict_json.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"
#include "tests/runs.h"
#include "tests/scheduler_fakes.h"
#include "tests/temporary_tree.h"

namespace iobenchd::export_test {

using api::Method;
using api::Request;
using api::Response;
using Json = nlohmann::ordered_json;

struct House {
  House() : scratch(tree.directory("scratch")), scheduler(store, hub, host, settings(), {}) {}

  [[nodiscard]] Settings settings() const {
    Settings made;
    made.workers = 0;  // what is queued stays queued
    set_text(made.scratch_dir, scratch);
    return made;
  }

  Response call(api::Handler handler, const std::string& path, const std::string& body = "",
                std::map<std::string, std::string> query = {},
                std::map<std::string, std::string> headers = {}) {
    Request request;
    request.path = path;
    request.body = body;
    request.query = std::move(query);
    request.headers = std::move(headers);
    const std::string prefix = "/api/v1/sweeps/";
    if (path.starts_with(prefix)) {
      const std::string rest = path.substr(prefix.size());
      request.parameters = {rest.substr(0, rest.find('/'))};
    }
    try {
      return handler({store, hub, scheduler, nullptr, memory}, request);
    } catch (const Error& error) {
      return api::problem(error);
    }
  }

  static std::string drained(const Response& response) {
    std::string text = response.body;
    while (response.stream && response.stream(text)) {
    }
    return text;
  }

  std::string exported(std::int64_t id, const std::string& format) {
    const Response response = call(api::get_sweep_export, "/api/v1/sweeps/" + std::to_string(id),
                                   "", {{"format", format}});
    CHECK_MESSAGE(response.status == 200, response.body);
    return drained(response);
  }

  Response import(const std::string& body, std::map<std::string, std::string> query = {}) {
    return call(api::post_import, "/api/v1/imports", body, std::move(query),
                {{"content-type", "application/json"}});
  }

  // As the store keeps a sweep that was measured elsewhere. Returns its id.
  std::int64_t keep(const Sweep& sweep, const std::vector<Run>& runs) {
    std::vector<RunSummary> summaries;
    for (const Run& run : runs) summaries.push_back(analysis::summarise(run));
    return store.runs().import(sweep, runs, summaries);
  }

  TemporaryTree tree;
  std::string scratch;
  storage::Store store{tree / "iobenchd.db"};
  events::Hub hub;
  scheduler::fakes::FakeHost host;
  scheduler::Scheduler scheduler;
  std::shared_ptr<api::Memory> memory = api::make_memory();
};

// 30 s by so many jobs at so many I/Os a second, half of them 80 us and half 120 us long.
inline Run measured_run(Rw rw, std::uint32_t numjobs, std::uint64_t iops) {
  Run run = tests::clean_run();
  run.setting = {rw, 4096, 1, numjobs};
  run.started_at_ns = 1'767'323'045'123'456'789;  // 2026-01-02T03:04:05.123456789Z
  run.finished_at_ns = run.started_at_ns + 30'500'000'001;
  const std::uint64_t ios = iops * 30;
  Traffic traffic;
  traffic.ios = ios;
  traffic.bytes = ios * 4096;
  traffic.latency.buckets[bucket_index(80'000)] = ios / 2;
  traffic.latency.buckets[bucket_index(120'000)] = ios - ios / 2;
  traffic.latency.count = ios;
  traffic.latency.sum_ns = ios * 100'000;
  traffic.latency.min_ns = 79'999;
  traffic.latency.max_ns = 120'001;
  Measurement& m = run.measurement;
  m.read = m.write = Traffic{};
  if (reads(rw)) m.read = traffic;
  if (writes(rw)) m.write = traffic;
  for (Sample& sample : m.samples) {
    sample.read_ios = reads(rw) ? iops : 0;
    sample.write_ios = writes(rw) ? iops : 0;
    sample.read_bytes = sample.read_ios * 4096;
    sample.write_bytes = sample.write_ios * 4096;
    sample.latency_p99_ns = 120'832;
  }
  return run;
}

// Something in every field, so that whatever gets lost on the way is missed.
inline Run full_run() {
  Run run = measured_run(Rw::randrw, 2, 10'000);
  run.repeat = 3;
  run.seed = 9'007'199'254'740'991;
  Measurement& m = run.measurement;
  m.fsync.ios = 3;
  m.fsync.latency.add(5'000'000);
  m.fsync.latency.add(20'000'000'000);  // in the last bucket, which has no upper end
  m.fsync.latency.add(0);
  m.read.errors = 1;
  m.jobs = {{0, 0, 11, 12, 13, 14, 15, 16, 17}, {1, 0, 21, 22, 23, 24, 25, 26, 27}};
  m.samples[0].ramp = true;
  m.samples[1].latency_mean_ns = 99'999;
  m.cpu_user_ns = 31;
  m.cpu_system_ns = 32;
  m.voluntary_context_switches = 33;
  m.involuntary_context_switches = 34;
  m.minor_page_faults = 35;
  m.major_page_faults = 36;
  m.verified_bytes = 37;
  m.rounds = 7;
  m.rounds_steady = true;
  m.samples_variation = 0.125;
  m.machine_cpu_busy_percent = 40.1;
  m.load_average = 0.07;
  m.device_read_ios = 41;
  m.device_write_ios = 42;
  m.device_read_bytes = 43;
  m.device_write_bytes = 44;
  m.device_counters_known = true;
  m.clock_source = ClockSource::tsc;
  m.engine_flags = engine_flag::fixed_buffers | engine_flag::polled;
  m.batch_submit = 4;
  m.batch_complete = 2;
  m.in_flight_max = 2;
  run.health = {41.5, 80, 3};
  run.hole_percent = 0.5;
  run.governor = "performance";
  run.container = "docker";
  Circumstances& c = run.circumstances;
  c.host = "alpha";
  c.cpu = "Test CPU";
  c.program_version = "0.1.0";
  c.compiler = "g++ 12";
  c.cpus = 4;
  c.target = "/dev/sdb";
  c.target_kind = "block device";
  c.model = "Test Disk";
  c.serial = "S1";
  c.firmware = "F1";
  c.filesystem = "ext4";
  c.mount_options = "rw,noatime";
  c.io_scheduler = "none";
  c.logical_sector_bytes = 512;
  c.physical_sector_bytes = 4096;
  c.virtual_machine = c.in_use = c.database_on_target = true;
  c.block_storage = false;
  return run;
}

// A sweep of one curve of reads that doubles to 4 jobs and then stands still: 4 are worth it.
inline std::vector<Run> curve_of_reads() {
  std::vector<Run> runs;
  for (const auto& [numjobs, iops] : {std::pair<std::uint32_t, std::uint64_t>{1, 10'000},
                                      {2, 20'000},
                                      {4, 40'000},
                                      {8, 41'000}}) {
    runs.push_back(measured_run(Rw::randread, numjobs, iops));
  }
  return runs;
}

inline Sweep done_sweep(const std::string& label) {
  Sweep sweep;
  sweep.state = SweepState::done;
  sweep.host = "alpha";
  sweep.spec.label = label;
  sweep.spec.numjobs_auto = false;
  sweep.spec.numjobs = {1, 2, 4, 8};
  sweep.spec.runtime_ns = 30'000'000'000;
  sweep.spec.seed = 42;
  sweep.plan.target = "/var/scratch";
  sweep.plan.size_bytes = std::uint64_t{4} << 30;
  sweep.plan.ioengine = "io_uring";
  sweep.plan.runs = 4;
  sweep.plan.settings = {{Rw::randread, 4096, 1, 1}, {Rw::randread, 4096, 1, 2}};
  sweep.created_at_ns = 1'767'323'040'000'000'001;
  sweep.started_at_ns = 1'767'323'041'000'000'002;
  sweep.finished_at_ns = 1'767'323'200'000'000'003;
  sweep.uuid = "01939d2e-7b1c-7000-8000-000000000001";
  return sweep;
}

}  // namespace iobenchd::export_test
