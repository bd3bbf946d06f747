// fio's JSON on its way in: what fio 3.33 wrote comes out as it was meant.
#include <doctest/doctest.h>

#include <string>

#include "api/fio_json.h"
#include "daemon/analysis/analysis.h"
#include "tests/fio_files.h"

using namespace iobenchd;
using api::parse_fio_json;
using doctest::Approx;
using fio_files::document;
using fio_files::Json;
using fio_files::says;
using fio_files::text;

TEST_CASE("a group of two jobs is one run: its figures are fio's own") {
  const api::ImportedTable table = parse_fio_json(text("group.json"), {});
  REQUIRE(table.runs.size() == 1);
  const Run& run = table.runs[0];
  CHECK(run.setting == Setting{Rw::randread, 4096, 1, 2});
  CHECK(run.state == RunState::done);
  CHECK(run.imported_figures);
  CHECK(run.imported.iops == Approx(5000));  // 120 I/Os in 24 ms
  CHECK(run.imported.bandwidth_bytes_per_s == Approx(20'480'000));
  CHECK(run.imported.latency_mean_ns == Approx(328'671.516667));  // lat's
  CHECK(run.measurement.read.ios == 120);
  CHECK(run.measurement.read.bytes == 491'520);
  CHECK(run.measurement.measured_ns == 24'000'000);
  CHECK(run.measurement.read.latency.count == 120);
  CHECK(run.measurement.cpu_system_ns == Approx(5'000'000).epsilon(1e-6));  // 13.157895 % of 38 ms
  CHECK(run.measurement.ioengine == IoEngine::psync);
  CHECK(run.measurement.direct);
  CHECK(run.circumstances.program_version == "fio-3.33");
  CHECK(run.circumstances.target == "f");
  const RunSummary line = analysis::summarise(run);
  CHECK(line.latency_p50_ns == 119'296);  // as fio prints them
  CHECK(line.latency_p99_ns == 4'292'608);
  CHECK(line.latency_min_ns == 43'119);
  CHECK(line.latency_max_ns == 4'485'989);
  CHECK(line.cpu_system_percent == Approx(5.0 / 24 * 100));
  CHECK(says(table.sweep.notes, "document 1: fio-3.33, vda"));
  CHECK(says(table.sweep.notes, "clat"));  // whose percentiles they are
}

TEST_CASE("a sweep is as old as the file says") {
  const Json file = document("group.json");
  const auto ended_ns = file["timestamp_ms"].get<std::int64_t>() * 1'000'000;
  const api::ImportedTable table = parse_fio_json(text("group.json"), {});
  CHECK(table.sweep.finished_at_ns == ended_ns);
  CHECK(table.sweep.created_at_ns == ended_ns - 24'000'000);
  CHECK(table.runs[0].started_at_ns == ended_ns - 24'000'000);
}

TEST_CASE("clones are added up: IOPS, bytes, buckets, and latency by the number of I/Os") {
  const Json file = document("clones.json");
  const Json& a = file["jobs"][0]["read"];
  const Json& b = file["jobs"][1]["read"];
  const api::ImportedTable table = parse_fio_json(text("clones.json"), {});
  REQUIRE(table.runs.size() == 1);
  const Run& run = table.runs[0];
  CHECK(run.setting.numjobs == 2);
  CHECK(run.imported.iops == Approx(1875 + 1935.483871));
  CHECK(run.measurement.read.ios == 120);
  CHECK(run.measurement.read.bytes == 491'520);
  CHECK(run.measurement.measured_ns == 32'000'000);  // the longer one
  CHECK(run.measurement.read.latency.count == 120);
  CHECK(run.measurement.read.latency.min_ns == 62'326);
  CHECK(run.measurement.read.latency.max_ns == 5'500'453);
  const double sum_ns =
      a["lat_ns"]["mean"].get<double>() * 60 + b["lat_ns"]["mean"].get<double>() * 60;
  CHECK(run.imported.latency_mean_ns == Approx(sum_ns / 120));
  // A bucket that both have holds what both had in it.
  std::uint64_t in_both = 0;
  for (const auto& [bucket, count] : a["clat_ns"]["bins"].items()) {
    const Json& others = b["clat_ns"]["bins"];
    if (!others.contains(bucket)) continue;
    ++in_both;
    CHECK(run.measurement.read.latency.buckets[bucket_index(std::stoull(bucket))] ==
          count.get<std::uint64_t>() + others[bucket].get<std::uint64_t>());
  }
  CHECK(in_both > 0);
}

TEST_CASE("the mean latency of clones is weighted, not the mean of their means") {
  // 60 I/Os of 100 us and 600 of 1000 us: 918.18 us, not 550.
  Json file = document("plain_clones.json");
  for (std::size_t i = 0; i < 2; ++i) {
    Json& read = file["jobs"][i]["read"];
    const std::uint64_t ios = i == 0 ? 60 : 600;
    const double mean_ns = i == 0 ? 100'000 : 1'000'000;
    read["total_ios"] = ios;
    read["io_bytes"] = ios * 4096;
    read["runtime"] = 1000;
    read["iops"] = ios;
    read["bw_bytes"] = ios * 4096;
    read["bw"] = ios * 4;
    read["io_kbytes"] = ios * 4;
    for (const char* kind : {"lat_ns", "clat_ns"}) {
      read[kind]["N"] = ios;
      read[kind]["mean"] = mean_ns;
      read[kind]["min"] = 50'000;
      read[kind]["max"] = 2'000'000;
      read[kind].erase("percentile");
    }
    file["jobs"][i]["job_runtime"] = 1000;
  }
  const api::ImportedTable table = parse_fio_json(file.dump(), {});
  REQUIRE(table.runs.size() == 1);
  CHECK(table.runs[0].imported.iops == Approx(660));
  CHECK(table.runs[0].imported.latency_mean_ns == Approx(918'181.818));
}

TEST_CASE("percentiles without buckets are what was printed; of several clones there are none") {
  const api::ImportedTable one = parse_fio_json(text("plain.json"), {});
  REQUIRE(one.runs.size() == 1);
  CHECK(one.runs[0].measurement.read.latency.count == 0);
  RunSummary line = analysis::summarise(one.runs[0]);
  CHECK(line.latency_p50_ns == 96'768);
  CHECK(line.latency_p99_ns == 4'014'080);
  CHECK(line.latency_max_ns == 8'011'471);
  const api::ImportedTable clones = parse_fio_json(text("plain_clones.json"), {});
  line = analysis::summarise(clones.runs[0]);
  CHECK(line.iops == Approx(1875 + 2857.142857));
  CHECK(line.latency_p50_ns == 0);  // (152 576 + 148 480) / 2 would be wrong
  CHECK(line.latency_p99_ns == 0);
  CHECK(line.latency_min_ns == 88'796);
  CHECK(line.latency_max_ns == 5'037'302);
  CHECK(says(clones.sweep.notes, "no percentiles of several jobs"));
}

TEST_CASE("without percentiles the extremes are of lat, and without lat all is of clat") {
  Json file = document("plain.json");
  Json& read = file["jobs"][0]["read"];
  read["clat_ns"].erase("percentile");
  const api::ImportedTable extremes = parse_fio_json(file.dump(), {});
  CHECK(extremes.runs[0].imported.read.latency_min_ns == read["lat_ns"]["min"]);
  CHECK(extremes.runs[0].imported.read.latency_p50_ns == 0);
  const double clat_mean_ns = read["clat_ns"]["mean"];
  read["lat_ns"] = {{"min", 0}, {"max", 0}, {"mean", 0}, {"stddev", 0}, {"N", 0}};  // disable_lat
  const api::ImportedTable clat = parse_fio_json(file.dump(), {});
  CHECK(clat.runs[0].imported.latency_mean_ns == Approx(clat_mean_ns));
  CHECK(says(clat.sweep.notes, "mean latency is of fio's clat"));
  read["clat_ns"] = read["lat_ns"];  // gtod_reduce
  const api::ImportedTable none = parse_fio_json(file.dump(), {});
  CHECK(none.runs[0].imported.latency_mean_ns == 0);
  CHECK(none.runs[0].imported.iops == Approx(3157.894737));
}

TEST_CASE("a mixed job keeps its directions and its fsyncs apart, by lat where fio kept lat") {
  const api::ImportedTable table = parse_fio_json(text("mixed.json"), {});
  REQUIRE(table.runs.size() == 1);
  const Run& run = table.runs[0];
  CHECK(run.setting == Setting{Rw::randrw, 8192, 1, 1});
  CHECK(run.measurement.read.ios == 54);
  CHECK(run.measurement.write.ios == 26);
  CHECK(run.measurement.fsync.ios == 18);
  CHECK(run.measurement.read.latency.count == 54);
  CHECK(run.imported.iops == Approx(760.56338 + 366.197183));
  CHECK(run.imported.latency_mean_ns == Approx((712'088.796296 * 54 + 529'699.153846 * 26) / 80));
  CHECK(table.sweep.spec.workload.rwmixread == 70);
  CHECK(table.sweep.spec.workload.fsync == 4);
  CHECK_FALSE(says(table.sweep.notes, "clat"));
  const SweepResult result = analysis::analyse(table.sweep.spec, table.runs);
  REQUIRE(result.points.size() == 1);
  REQUIRE(result.points[0].read);
  REQUIRE(result.points[0].fsync);
  CHECK(result.points[0].read->latency_p50_ns == 123'392);
  CHECK(result.points[0].write->latency_p50_ns == 162'816);
  CHECK(result.points[0].fsync->latency_mean_ns == Approx(975'030.055556));
  CHECK(result.points[0].fsync->latency_p50_ns == 148'480);
}

TEST_CASE("several jobs of one file are the points of one sweep") {
  // Its second job says rw twice, as fio was told; the last one counts.
  const api::ImportedTable table = parse_fio_json(text("three_jobs.json"), {});
  REQUIRE(table.runs.size() == 3);
  CHECK(table.sweep.spec.numjobs == std::vector<std::uint32_t>{1, 2, 4});
  CHECK(table.sweep.spec.rw == std::vector<Rw>{Rw::randread});
  CHECK(table.runs[1].setting.rw == Rw::randread);
  CHECK(table.runs[1].imported.iops == Approx(4444.444444));
  // Groups run one behind the other: each began before the next one ended.
  CHECK(table.runs[1].finished_at_ns == table.runs[2].started_at_ns);
  const SweepResult result = analysis::analyse(table.sweep.spec, table.runs);
  CHECK(result.points.size() == 3);
  REQUIRE(result.curves.size() == 1);
  CHECK(result.curves[0].axis == "numjobs");
}

TEST_CASE("documents one behind the other, with warnings between them, are repeats") {
  const std::string warning = "fio: this platform does not support process shared mutexes {x}\n";
  const std::string both = warning + text("group.json") + "\n" + warning + text("plain.json");
  const api::ImportedTable table = parse_fio_json(both, {});
  REQUIRE(table.runs.size() == 2);
  CHECK(table.runs[0].repeat == 0);
  CHECK(table.runs[1].repeat == 1);
  CHECK(table.sweep.spec.repeats == 2);
  CHECK(says(table.sweep.notes, "document 2: fio-3.33"));
  const SweepResult result = analysis::analyse(table.sweep.spec, table.runs);
  REQUIRE(result.points.size() == 1);
  CHECK(result.points[0].iops == Approx((5000 + 3157.894737) / 2));
  // One of the two has buckets: of both together only the extremes are known.
  CHECK(result.points[0].latency_p50_ns == 0);
  CHECK(result.points[0].latency_min_ns == 43'119);
  CHECK(result.points[0].latency_max_ns == 8'011'471);
}

TEST_CASE("the same setting of jobs of other names is a repeat") {
  Json other = document("group.json");
  other["jobs"][0]["jobname"] = "again";
  other["jobs"][0]["job options"]["name"] = "again";
  const api::ImportedTable table = parse_fio_json(text("group.json") + other.dump(), {});
  REQUIRE(table.runs.size() == 2);
  CHECK(table.runs[1].repeat == 1);
}

TEST_CASE("of several clients one is chosen, and their sum is left out") {
  CHECK(says(fio_files::complaint(parse_fio_json, text("clients.json")),
             "several clients measured at the same time (127.0.0.1:8765, 127.0.0.1:8766)"));
  api::ImportFacts facts;
  facts.host = "127.0.0.1:8766";
  const api::ImportedTable table = parse_fio_json(text("clients.json"), facts);
  REQUIRE(table.runs.size() == 1);
  CHECK(table.runs[0].setting == Setting{Rw::randread, 4096, 1, 2});
  CHECK(table.runs[0].imported.iops == Approx(5693.227092));
}

TEST_CASE("the sum of all clients stands for itself where it is alone") {
  Json file = document("clients.json");
  const Json sum = file["client_stats"].back();
  REQUIRE(sum["jobname"] == "All clients");
  file["client_stats"] = Json::array({sum});
  api::ImportFacts facts;
  facts.numjobs = 4;
  facts.rw = Rw::randread;
  const api::ImportedTable table = parse_fio_json(file.dump(), facts);
  REQUIRE(table.runs.size() == 1);
  CHECK(table.runs[0].setting.numjobs == 4);
  CHECK(table.runs[0].imported.iops == Approx(13'794.820717));
  CHECK(table.runs[0].circumstances.host == "127.0.0.1");
}

TEST_CASE("a job that ended with an error is a failed run") {
  const api::ImportedTable table = parse_fio_json(text("failed.json"), {});
  REQUIRE(table.runs.size() == 1);
  CHECK(table.runs[0].state == RunState::failed);
  CHECK(says(table.runs[0].error, "fio ended with error 28: No space left on device"));
  CHECK(table.runs[0].imported.iops == 0);
  CHECK(table.sweep.state == SweepState::failed);
  CHECK(table.sweep.runs_failed == 1);
}

TEST_CASE("what the options don't tell is fio's default, or what the query says") {
  Json file = document("group.json");
  Json& options = file["jobs"][0]["job options"];
  for (const char* name : {"ioengine", "direct", "bs"}) options.erase(name);
  const api::ImportedTable table = parse_fio_json(file.dump(), {});
  CHECK(table.runs[0].measurement.ioengine == IoEngine::psync);
  CHECK_FALSE(table.runs[0].measurement.direct);
  CHECK(table.runs[0].setting.block_bytes == 4096);
  CHECK(table.runs[0].setting.iodepth == 1);
  api::ImportFacts facts;
  facts.iodepth = 8;
  facts.ioengine = IoEngine::io_uring;
  const api::ImportedTable told = parse_fio_json(file.dump(), facts);
  CHECK(told.runs[0].setting.iodepth == 8);
  CHECK(told.runs[0].measurement.ioengine == IoEngine::io_uring);
}

TEST_CASE("the job's own options win over the global ones") {
  Json file = document("three_jobs.json");
  file["global options"]["iodepth"] = "16";
  file["jobs"][0]["job options"]["iodepth"] = "2";
  file["jobs"][1]["job options"]["ioengine"] = "psync";
  const api::ImportedTable table = parse_fio_json(file.dump(), {});
  CHECK(table.runs[0].setting.iodepth == 2);
  CHECK(table.runs[1].setting.iodepth == 16);
}

TEST_CASE("an engine that isn't ours is unknown, and the notes name it") {
  Json file = document("group.json");
  file["jobs"][0]["job options"]["ioengine"] = "libaio";
  const api::ImportedTable table = parse_fio_json(file.dump(), {});
  CHECK(table.runs[0].measurement.ioengine == IoEngine::automatic);
  CHECK(says(table.sweep.notes, "ioengine libaio"));
}

TEST_CASE("jobs of one group ran at the same time, and the notes say so") {
  Json file = document("three_jobs.json");
  file["jobs"][1]["groupid"] = 0;
  CHECK(says(parse_fio_json(file.dump(), {}).sweep.notes, "these ran at the same time"));
  CHECK_FALSE(says(parse_fio_json(text("three_jobs.json"), {}).sweep.notes, "same time"));
}
