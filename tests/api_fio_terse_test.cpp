// fio's terse output, version 3, on its way in.
#include <doctest/doctest.h>

#include <string>

#include "api/fio_terse.h"
#include "daemon/analysis/analysis.h"
#include "tests/fio_files.h"

using namespace iobenchd;
using api::parse_fio_terse;
using doctest::Approx;
using fio_files::replaced;
using fio_files::says;
using fio_files::text;

namespace {

std::string complaint(const std::string& file, const api::ImportFacts& facts = {}) {
  return fio_files::complaint(parse_fio_terse, file, facts);
}

}  // namespace

TEST_CASE("a line of a group is a run; the number its name ends in is its jobs") {
  // reads-2: 21468 KiB, 30581 KiB/s, 7645 IOPS in 702 ms.
  const api::ImportedTable table = parse_fio_terse(text("group.terse"), {});
  REQUIRE(table.runs.size() == 1);
  const Run& run = table.runs[0];
  CHECK(run.setting == Setting{Rw::randread, 4096, 1, 2});
  CHECK(run.measurement.read.ios == 5367);  // 21468 / 4
  CHECK(run.imported.iops == Approx(5367 / 0.702));
  CHECK(run.imported.bandwidth_bytes_per_s == Approx(21'468 * 1024 / 0.702));
  CHECK(run.imported.latency_mean_ns == Approx(259'820.351));
  CHECK(run.measurement.measured_ns == 702'000'000);
  const RunSummary line = analysis::summarise(run);
  CHECK(line.latency_min_ns == 39'000);
  CHECK(line.latency_max_ns == 20'398'000);
  CHECK(line.latency_p50_ns > 39'000);
  CHECK(line.cpu_user_percent == Approx(2 * 1.142041));
  CHECK(line.cpu_system_percent == Approx(2 * 6.852248));
  for (const char* guess : {"?rw=", "?bs=", "?iodepth=", "clat"}) {
    CHECK(says(table.sweep.notes, guess));
  }
}

TEST_CASE("the lines of one fio's clones are one run, whatever their name ends in") {
  const api::ImportedTable table = parse_fio_terse(text("clones.terse"), {});
  REQUIRE(table.runs.size() == 1);
  const Run& run = table.runs[0];
  CHECK(run.setting.numjobs == 2);
  CHECK(run.measurement.read.ios == 3974 + 4000);  // 15896 / 4 and 16000 / 4
  CHECK(run.imported.iops == Approx(3974 / 0.702 + 4000 / 0.701));
  CHECK(run.imported.latency_mean_ns == Approx((175'393.224 * 3974 + 174'040.555 * 4000) / 7974));
  CHECK(run.measurement.jobs.empty());
  CHECK(analysis::summarise(run).latency_p99_ns == 0);  // never an average of two
}

TEST_CASE("what terse doesn't tell is what the query says") {
  api::ImportFacts facts;
  facts.rw = Rw::read;
  facts.iodepth = 4;
  facts.numjobs = 8;
  facts.block_bytes = 4096;
  facts.ioengine = IoEngine::io_uring;
  const api::ImportedTable table = parse_fio_terse(text("group.terse"), facts);
  CHECK(table.runs[0].setting == Setting{Rw::read, 4096, 4, 8});
  CHECK(table.runs[0].measurement.ioengine == IoEngine::io_uring);
  CHECK_FALSE(says(table.sweep.notes, "for granted"));
  facts.rw = Rw::write;
  CHECK(says(complaint(text("group.terse"), facts), "rw is write, but there are reads"));
  facts.rw = Rw::read;
  facts.block_bytes = 65536;
  const std::string said = complaint(text("group.terse"), facts);
  CHECK(says(said, "line 1, field 6"));
  CHECK(says(said, "bytes, but the block size is 64 KiB"));
  CHECK(says(said, "?bs="));
}

TEST_CASE("a name without a number needs ?numjobs=, and the cure is told") {
  const std::string unnamed = replaced(text("group.terse"), "reads-2", "reads");
  CHECK(says(complaint(unnamed), "line 1 (reads), numjobs: one line doesn't tell"));
  CHECK(says(complaint(unnamed), "?numjobs="));
  api::ImportFacts facts;
  facts.numjobs = 2;
  CHECK(parse_fio_terse(unnamed, facts).runs[0].setting.numjobs == 2);
  facts.numjobs = 3;
  CHECK(says(complaint(text("clones.terse"), facts), "3, but there are 2 entries"));
}

TEST_CASE("lines without figures of disks may be clones or repeats: only of one job it is clear") {
  std::string one = text("group.terse");
  one = one.substr(0, one.find(";vda")) + "\n";
  CHECK(parse_fio_terse(one, {}).runs.size() == 1);
  const std::string other = replaced(one, ";21468;30581;7645;702;", ";21472;30630;7657;701;");
  CHECK(says(complaint(one + other), "line 2, numjobs: there are several lines"));
  api::ImportFacts facts;
  facts.numjobs = 1;
  const api::ImportedTable table = parse_fio_terse(one + other, facts);
  REQUIRE(table.runs.size() == 2);
  CHECK(table.runs[1].repeat == 1);
}

TEST_CASE("other versions of terse, and lines cut off, are refused") {
  CHECK(says(complaint("4" + text("group.terse").substr(1)),
             "line 1, field 1: version 4 of terse isn't read"));
  CHECK(says(complaint("2;reads;0;0;1\n"), "version 2"));
  const std::string line = text("group.terse");
  CHECK(says(complaint(line + line.substr(0, 200) + "\n"), "line 2, field "));
  CHECK(says(complaint("fio: a warning\n" + line.substr(0, 40)), "cut off"));
}

TEST_CASE("fields that are negative, NaN, absurd or no percentile are named by their number") {
  const std::string line = text("group.terse");
  const std::string figures = ";21468;30581;7645;702;";
  CHECK(says(complaint(replaced(line, figures, ";-1;30581;7645;702;")),
             "line 1, field 6: got \"-1\""));
  CHECK(says(complaint(replaced(line, figures, ";21468;nan;7645;702;")), "field 7: got \"nan\""));
  CHECK(says(complaint(replaced(line, figures, ";21468;30581;7645;99999999999;")), "field 9"));
  CHECK(says(complaint(replaced(line, figures, ";21468;31315;7645;702;")), "field 7"));  // kB
  CHECK(says(complaint(replaced(line, ";50.000000%=", ";50.000000%")), "a percentile such as"));
}

TEST_CASE("a failed job's line is a failed run") {
  const api::ImportedTable table =
      parse_fio_terse(replaced(text("group.terse"), "reads-2;0;0;", "reads-2;0;5;"), {});
  CHECK(table.runs[0].state == RunState::failed);
  CHECK(says(table.runs[0].error, "error 5"));
}

TEST_CASE("a text without a line of terse is no import") {
  CHECK(says(complaint("fio: nothing was measured\n"), "no job of fio"));
}
