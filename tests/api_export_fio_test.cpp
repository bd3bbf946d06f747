// What fio itself says of our fio exports: of the job file by parsing it, of the JSON by writing
// its own.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "api/export_fio.h"
#include "tests/api_export_house.h"

using namespace iobenchd;
using namespace iobenchd::export_test;

namespace {

bool there_is_fio() {
  static const bool found = std::system("command -v fio >/dev/null 2>&1") == 0;
  if (!found) MESSAGE("skipped: fio is not installed");
  return found;
}

std::string output_of(const std::string& command) {
  std::FILE* stream = popen(command.c_str(), "r");
  REQUIRE(stream != nullptr);
  std::string text;
  char bytes[4096];
  for (std::size_t got = 0; (got = std::fread(bytes, 1, sizeof bytes, stream)) > 0;) {
    text.append(bytes, got);
  }
  pclose(stream);
  return text;
}

std::string type_of(const Json& value) {
  if (value.is_number_integer()) return "integer";
  if (value.is_number_float()) return "float";
  return value.type_name();
}

// "read.lat_ns.mean float": every path and its type. Bins are named by their own place, and a
// job's options by what was asked.
void add_paths(const Json& value, const std::string& path, std::set<std::string>& paths) {
  if (path == "job options") return;
  if (!value.is_object()) {
    paths.insert(path + " " + type_of(value));
    return;
  }
  for (const auto& [name, member] : value.items()) {
    const bool is_bin = path.ends_with(".bins");
    add_paths(member, path + (path.empty() ? "" : ".") + (is_bin ? "*" : name), paths);
  }
}

std::set<std::string> paths_of(const Json& value) {
  std::set<std::string> paths;
  add_paths(value, "", paths);
  return paths;
}

Run run_for(Rw rw) {
  Run run = measured_run(rw, 2, 10'000);
  if (writes(rw)) {
    run.measurement.fsync.ios = 1;
    run.measurement.fsync.latency.add(5'000'000);
  }
  return run;
}

Json exported_fio(Rw rw) {
  House house;
  Sweep sweep = done_sweep("fio");
  sweep.spec.rw = {rw};
  house.keep(sweep, {run_for(rw)});
  return api::parse_strict(house.exported(1, "fio"));
}

// What a person could ask for, in all its kinds.
std::vector<Sweep> sweeps_of_all_kinds() {
  std::vector<Sweep> sweeps(10, done_sweep("kinds\nof=it"));
  sweeps[1].spec.rw = {Rw::write, Rw::randwrite};
  sweeps[1].spec.workload.fsync = 8;
  sweeps[1].spec.workload.sync = Sync::dsync;
  sweeps[1].spec.workload.buffer_compress_percentage = 50;
  sweeps[2].spec.rw = {Rw::randrw};
  sweeps[2].spec.workload.rwmixread = 70;
  sweeps[2].spec.workload.rate_iops = 2001;
  sweeps[2].spec.workload.rate_process = RateProcess::poisson;
  sweeps[2].spec.workload.random_distribution = {Distribution::zipf, 1.2};
  sweeps[3].spec.rw = {Rw::randwrite};
  sweeps[3].spec.workload.verify = 1;
  sweeps[3].spec.repeats = 3;
  sweeps[4].spec.workload.random_distribution = {Distribution::pareto, 0.3};
  sweeps[4].spec.workload.norandommap = 0;
  sweeps[4].spec.workload.io_size_bytes = 1 << 20;
  sweeps[4].spec.cpus_allowed = "0";
  sweeps[5].spec.ioengine = IoEngine::threads;
  sweeps[5].spec.iodepth = {4};
  sweeps[5].spec.thread = true;
  sweeps[6].spec.target = "/dev/disk/by-path/pci-0000:00:1f.2";
  sweeps[6].spec.offset_bytes = 4096;
  sweeps[6].spec.runtime_ns = 1'500'000'000;
  sweeps[6].spec.ramp_time_ns = 500'000'000;
  sweeps[7].spec.steady_rounds = 25;
  sweeps[7].spec.steady_round_ns = 60'000'000'000;
  sweeps[7].spec.precondition = true;
  sweeps[7].spec.cooldown_ns = 5'000'000'000;
  sweeps[8].spec.workload.hipri = 1;
  sweeps[8].spec.latency_limit = LatencyLimit{Statistic::p99, 2'000'000};
  sweeps[9].plan.target = "/var/${HOME}/x";
  sweeps[9].spec.layout = Layout::per_job;
  return sweeps;
}

std::vector<Run> runs_for(const Sweep& sweep) {
  std::vector<Run> runs;
  for (const Rw rw : sweep.spec.rw) {
    Run run = measured_run(rw, 2, 10'000);
    run.setting.iodepth = sweep.spec.iodepth[0];
    if (sweep.spec.ioengine != IoEngine::automatic) {
      run.measurement.ioengine = sweep.spec.ioengine;
    }
    run.measurement.engine_flags = engine_flag::fixed_buffers | engine_flag::fixed_files;
    run.measurement.batch_submit = run.measurement.batch_complete = 1;
    runs.push_back(run);
  }
  return runs;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("fio 3.33 writes the same fields of the same types, for reads, writes and mixes") {
  if (!there_is_fio()) return;
  const TemporaryTree tree;
  if (!says(output_of("fio --version"), "fio-3.33")) {
    MESSAGE("skipped: another fio than 3.33");
    return;
  }
  for (const auto& [rw, words] : {std::pair{Rw::randread, "--rw=randread"},
                                  {Rw::randwrite, "--rw=randwrite --fsync=64"},
                                  {Rw::randrw, "--rw=randrw --fsync=64"}}) {
    CAPTURE(words);
    const std::string text = output_of(
        "cd " + tree.path() + " && fio --name=a --filename=" + (tree / "f") +
        " --size=1m --bs=4k --numjobs=2 --group_reporting --runtime=1 --time_based " + words +
        " --output-format=json+ --lat_percentiles=1 --clat_percentiles=0 2>/dev/null");
    const Json theirs = api::parse_strict(text.substr(std::min(text.find('{'), text.size())));
    const Json ours = exported_fio(rw);
    CHECK(paths_of(ours["jobs"][0]) == paths_of(theirs["jobs"][0]));
    Json their_head = theirs, our_head = ours;
    for (Json* head : {&their_head, &our_head}) {
      head->erase("jobs");
      (*head)["disk_util"] = Json::array();  // disks of that machine
    }
    CHECK(paths_of(our_head) == paths_of(their_head));
  }
}

TEST_CASE("fio's parser takes the job file of every kind of sweep") {
  if (!there_is_fio()) return;
  const TemporaryTree tree;
  for (const Sweep& sweep : sweeps_of_all_kinds()) {
    House house;
    house.keep(sweep, runs_for(sweep));
    const std::string job = house.exported(1, "job");
    const std::string file = tree.file("job.fio", job);
    const std::string said =
        output_of("cd " + tree.path() + " && fio --parse-only " + file + " 2>&1; echo status $?");
    CHECK_MESSAGE(says(said, "status 0"), said, job);
  }
}

TEST_CASE("a job file says what was asked, one job a point, and what fio can't be asked") {
  House house;
  Sweep sweep = done_sweep("night\n[evil]");
  sweep.spec.repeats = 3;
  sweep.spec.cooldown_ns = 5'000'000'000;
  house.keep(sweep, curve_of_reads());
  const std::string job = house.exported(1, "job");
  CHECK(says(job, "# Sweep 1, night [evil], as fio would be asked for it"));
  CHECK(says(job, "# Command: fio --output-format=json+ --lat_percentiles=1 iobenchd-sweep-1.fio"));
  CHECK(says(job, "# Without equivalent: repeats: run this file 3 times"));
  CHECK(says(job, "# Without equivalent: cooldown of 5 s between runs"));
  CHECK(says(job, "filename=/var/scratch/iobenchd-fio.scratch\nsize=4294967296\n"));
  CHECK(says(job, "ioengine=io_uring\ndirect=1\n"));
  CHECK(says(job, "time_based=1\nruntime=30\n"));
  CHECK(says(job, "norandommap=1\n"));
  CHECK(says(job, "randseed=42\n"));
  CHECK(says(job,
             "[randread-bs4k-iodepth1-numjobs8]\nstonewall\nrw=randread\nbs=4096\n"
             "iodepth=1\nnumjobs=8\n"));
  CHECK(!says(job, "WARNING"));
}

TEST_CASE("a mix's one rate is parted for fio, and a device that would be written is named") {
  Sweep sweep = done_sweep("mix");
  sweep.spec.rw = {Rw::randrw};
  sweep.spec.target = "/dev/sdb";
  sweep.spec.workload.rate_iops = 1000;
  sweep.spec.workload.rwmixread = 70;
  House house;
  house.keep(sweep, {measured_run(Rw::randrw, 1, 500)});
  const std::string job = house.exported(1, "job");
  CHECK(says(job, "rwmixread=70\nrate_iops=700,300\n"));
  CHECK(says(job, "# WARNING: it writes to /dev/sdb; what is there is lost."));
}

TEST_CASE("fio's JSON holds 10 000 reads a second for 30 s, half at 80 us, in fio's own bins") {
  const Json document = exported_fio(Rw::randread);
  REQUIRE(document["jobs"].size() == 1);
  const Json& job = document["jobs"][0];
  CHECK(job["jobname"] == "randread-bs4k-iodepth1-numjobs2");
  CHECK(job["job options"]["numjobs"] == "2");
  CHECK(job["job options"]["bs"] == "4096");
  const Json& read = job["read"];
  CHECK(read["total_ios"] == 300'000);
  CHECK(read["runtime"] == 30'000);
  CHECK(read["iops"] == 10'000.0);
  CHECK(read["bw_bytes"] == 40'960'000);
  CHECK(read["bw"] == 40'000);  // KiB/s
  CHECK(read["lat_ns"]["mean"] == 100'000.0);
  CHECK(read["lat_ns"]["min"] == 79'999);
  CHECK(read["lat_ns"]["bins"] == Json{{"80384", 150'000}, {"120320", 150'000}});
  CHECK(read["lat_ns"]["percentile"]["50.000000"] == 80'384);
  CHECK(read["lat_ns"]["percentile"]["99.000000"] == 120'001);
  CHECK(read["iops_mean"] == 10'000.0);
  CHECK(read["iops_samples"] == 30);
  CHECK(job["write"]["total_ios"] == 0);
  CHECK(job["latency_us"]["100"] == 50.0);
  CHECK(job["latency_us"]["250"] == 50.0);
}

TEST_CASE("every good run is a job of fio's, and a drift check or a failed run is none") {
  House house;
  std::vector<Run> runs = curve_of_reads();
  runs.push_back(runs[0]);
  runs.back().is_drift_check = true;
  runs.push_back(runs[0]);
  runs.back().state = RunState::failed;
  runs.push_back(runs[0]);
  runs.back().repeat = 1;
  house.keep(done_sweep("x"), runs);
  const Json document = api::parse_strict(house.exported(1, "fio"));
  REQUIRE(document["jobs"].size() == 5);
  CHECK(document["jobs"][4]["jobname"] == document["jobs"][0]["jobname"]);
}

TEST_CASE("an imported table has its figures in fio's JSON, and no histogram") {
  House house;
  Run run;
  run.state = RunState::done;
  run.setting = {Rw::write, 4096, 1, 1};
  run.imported_figures = true;
  run.imported = {1000, 4'096'000, 50'000, {}, {}, {}};
  house.keep(done_sweep("table"), {run});
  const Json job = api::parse_strict(house.exported(1, "fio"))["jobs"][0];
  CHECK(job["write"]["iops"] == 1000.0);
  CHECK(job["write"]["bw_bytes"] == 4'096'000);
  CHECK(job["write"]["lat_ns"]["mean"] == 50'000.0);
  CHECK(job["write"]["lat_ns"]["N"] == 0);
  CHECK(!job["write"]["lat_ns"].contains("bins"));
  CHECK(job["read"]["iops"] == 0.0);
}
