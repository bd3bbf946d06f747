// Published tables on their way in.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "api/csv.h"
#include "api/imports.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"

using namespace iobenchd;
using api::parse_import;

namespace {

constexpr const char* header = "rw,numjobs,bandwidth_mib_per_s,iops,latency_mean_us,note\n";

std::string published() {
  std::ifstream in(std::string(IOBENCHD_SOURCE_DIR) + "/storage/baselines/openbsd77-2025.csv");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Everything that is said about `csv`, or "" when it is taken.
std::string complaint(const std::string& csv, const api::ImportFacts& facts = {}) {
  try {
    (void)parse_import(csv, facts);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the published table comes in whole: twelve runs, its notes, depth 32 from its comment") {
  const api::ImportedTable table = parse_import(published(), {});
  REQUIRE(table.runs.size() == 12);
  const Run& run = table.runs[3];
  CHECK(run.setting == Setting{Rw::randread, 4096, 32, 8});
  CHECK(run.imported_figures);
  CHECK(run.imported.iops == doctest::Approx(439728));
  CHECK(run.imported.bandwidth_bytes_per_s == doctest::Approx(1712.0 * 1048576));
  CHECK(run.imported.latency_mean_ns == doctest::Approx(58220));
  CHECK(table.sweep.origin == Origin::imported);
  CHECK(table.sweep.state == SweepState::done);
  CHECK(table.sweep.spec.numjobs == std::vector<std::uint32_t>{1, 2, 4, 8, 18, 32});
  CHECK(says(table.sweep.notes, "R. Sadowski, May 2025"));
  CHECK(says(table.sweep.notes, "randread 32: Slight regression, high latency"));
}

TEST_CASE("the published reads are worth 8 jobs") {
  const api::ImportedTable table = parse_import(published(), {});
  const SweepResult result = analysis::analyse(table.sweep.spec, table.runs);
  REQUIRE(result.curves.size() == 2);
  REQUIRE(result.curves[0].sweet_spot.has_value());
  CHECK(result.curves[0].setting.rw == Rw::randread);
  CHECK(result.curves[0].sweet_spot->at == 8);
  CHECK(result.curves[0].sweet_spot->low == 6);
  CHECK(says(result.answer, "8"));
}

TEST_CASE("what the query says wins over the table's notes") {
  api::ImportFacts facts;
  facts.iodepth = 4;
  facts.ioengine = IoEngine::psync;
  facts.os = "OpenBSD 7.7";
  facts.target = "sd0";
  facts.model = "CT1000P3PSSD8";
  facts.serial = "2247E68C";
  const api::ImportedTable table = parse_import(published(), facts);
  CHECK(table.runs[0].setting.iodepth == 4);
  CHECK(table.runs[0].measurement.ioengine == IoEngine::psync);
  CHECK(table.runs[0].circumstances.os == "OpenBSD 7.7");
  CHECK(table.sweep.spec.target == "sd0");
  CHECK(table.runs[0].circumstances.model == "CT1000P3PSSD8");
  CHECK(table.runs[0].circumstances.serial == "2247E68C");
}

TEST_CASE("columns may come in any order, and bandwidth, latency and note may be missing") {
  const api::ImportedTable table = parse_import("iops,rw,numjobs\n1000,read,2\n", {});
  REQUIRE(table.runs.size() == 1);
  CHECK(table.runs[0].setting == Setting{Rw::read, 4096, 1, 2});
  CHECK(table.runs[0].imported.bandwidth_bytes_per_s == doctest::Approx(4096000));
  CHECK(table.runs[0].imported.latency_mean_ns == 0);
}

TEST_CASE("a setting that comes twice is a repeat") {
  const api::ImportedTable table =
      parse_import("rw,numjobs,iops\nread,1,100\nread,1,110\nread,2,150\n", {});
  CHECK(table.runs[1].repeat == 1);
  CHECK(table.runs[2].repeat == 0);
  CHECK(table.sweep.spec.repeats == 2);
}

TEST_CASE("every wrong cell is named by line, column and reason") {
  const std::string text = complaint(std::string("# a note\n") + header +
                                     "randread,0,473.0,121318,26.41,x\n"
                                     "sideways,2,808.3,207333,30.80,y\n"
                                     "randread,4,fast,334219,37.97,z\n"
                                     "randread,8,1712.0,,58.22,z\n");
  CHECK(says(text, "line 3, numjobs: got \"0\""));
  CHECK(says(text, "line 4, rw: got \"sideways\""));
  CHECK(says(text, "line 5, bandwidth_mib_per_s: got \"fast\""));
  CHECK(says(text, "line 6, iops: must not be empty"));
}

TEST_CASE("bandwidth that isn't IOPS times the block size names the block size it would fit") {
  const std::string wrong = std::string(header) + "randread,1,473.0,121318,26.41,x\n";
  api::ImportFacts facts;
  facts.block_bytes = 65536;
  CHECK(complaint(wrong) == "");
  const std::string text = complaint(wrong, facts);
  CHECK(says(text, "line 2, bandwidth_mib_per_s"));
  CHECK(says(text, "4088 bytes, but the block size is 64 KiB"));
  CHECK(says(text, "?bs="));
}

TEST_CASE("a table without header, rows or needed columns is refused with the reason") {
  CHECK(says(complaint(""), "there is no header"));
  CHECK(says(complaint("# only a note\n"), "there is no header"));
  CHECK(says(complaint(header), "there are no rows"));
  CHECK(says(complaint("rw,jobs\nread,1\n"), "numjobs: this column is missing"));
  CHECK(says(complaint("rw,jobs\nread,1\n"), "jobs: unknown column"));
  CHECK(says(complaint("rw,rw,numjobs,iops\nread,read,1,1\n"), "there twice"));
  CHECK(says(complaint("rw,numjobs,iops\nread,1\n"), "line 2: has 2 cells"));
}

TEST_CASE("negative, signed, exponent and comma numbers are no numbers of a table") {
  for (const char* iops :
       {"-1", "+1", "1e5", "0", "0.0", "1.2.3", ".", "nan", " 1", "1234567890123456789012"}) {
    CAPTURE(iops);
    const std::string csv = std::string("rw,numjobs,iops\nread,1,") + iops + "\n";
    CHECK(says(complaint(csv), "line 2, iops"));
  }
}

TEST_CASE("quotes, doubled quotes, line breaks inside them, CRLF and a byte-order mark are CSV") {
  const api::CsvTable table =
      api::parse_csv("\xEF\xBB\xBF# note\r\na,b\r\n\"x, y\",\"say \"\"no\"\"\"\r\n\"1\n2\",3", 10);
  CHECK(table.notes == std::vector<std::string>{"note"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells == std::vector<std::string>{"x, y", "say \"no\""});
  CHECK(table.rows[1].cells == std::vector<std::string>{"1\n2", "3"});
  CHECK(table.rows[1].line == 4);
}

TEST_CASE("an open quote, text behind one and too many rows name their line") {
  CHECK(says(complaint("rw,numjobs,iops\n\"read,1,1\n"), "line 2: a quote is opened"));
  CHECK(says(complaint("rw,numjobs,iops\n\"read\"x,1,1\n"), "line 2: text behind"));
  CHECK_THROWS_AS((void)api::parse_csv("a\n1\n2\n3\n", 2), Error);
}
