// The other formats: columns, Markdown, and how an export is asked for.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "api/csv.h"
#include "api/imports.h"
#include "tests/api_export_house.h"

using namespace iobenchd;
using namespace iobenchd::export_test;

namespace {

std::string header_of(const Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an unknown format is refused with the names of the six") {
  House house;
  house.keep(done_sweep("x"), curve_of_reads());
  const Response response =
      house.call(api::get_sweep_export, "/api/v1/sweeps/1/export", "", {{"format", "xlsx"}});
  CHECK(response.status == 422);
  CHECK(says(response.body, "json, csv, fio, job, md or html"));
  CHECK(house.call(api::get_sweep_export, "/api/v1/sweeps/9/export").status == 404);
  CHECK(house.call(api::get_sweep_export, "/api/v1/sweeps/1/export", "", {{"fmt", "csv"}}).status ==
        400);
}

TEST_CASE("each format has its type and its file's name, and none says anything of the label") {
  House house;
  house.keep(done_sweep("a\r\nSet-Cookie: x"), curve_of_reads());
  for (const auto& [format, type, name] :
       {std::tuple{"json", "application/json", "iobenchd-sweep-1.json"},
        {"csv", "text/csv; charset=utf-8", "iobenchd-sweep-1.csv"},
        {"fio", "application/json", "iobenchd-sweep-1.fio.json"},
        {"job", "text/plain; charset=utf-8", "iobenchd-sweep-1.fio"},
        {"md", "text/markdown; charset=utf-8", "iobenchd-sweep-1.md"},
        {"html", "text/html; charset=utf-8", "iobenchd-sweep-1.html"}}) {
    CAPTURE(format);
    const Response response =
        house.call(api::get_sweep_export, "/api/v1/sweeps/1/export", "", {{"format", format}});
    CHECK(response.status == 200);
    CHECK(response.content_type == type);
    CHECK(header_of(response, "Content-Disposition") ==
          "attachment; filename=\"" + std::string(name) + "\"");
    CHECK(says(header_of(response, "Content-Security-Policy"), "default-src 'none'"));
    CHECK(House::drained(response).back() == '\n');
  }
  CHECK(house.call(api::get_sweep_export, "/api/v1/sweeps/1/export").content_type ==
        "application/json");
}

TEST_CASE("a sweep that isn't over can't be exported yet, and the answer says when") {
  House house;
  Sweep sweep;
  sweep.plan.target = "/var/scratch";
  const Sweep queued = house.store.sweeps().create(sweep);
  const Response response =
      house.call(api::get_sweep_export, "/api/v1/sweeps/" + std::to_string(queued.id) + "/export");
  CHECK(response.status == 409);
  CHECK(says(response.body, "is queued"));
  CHECK(says(response.body, "/events"));
}

TEST_CASE("a JSON export reads one run at a time") {
  House house;
  house.keep(done_sweep("x"), curve_of_reads());
  const Response response = house.call(api::get_sweep_export, "/api/v1/sweeps/1/export");
  REQUIRE(response.stream);
  std::string chunk;
  std::size_t chunks = 0;
  for (bool more = true; more; ++chunks) {
    chunk.clear();
    more = response.stream(chunk);
    CHECK((chunk.find("\"measurement\"") == chunk.rfind("\"measurement\"")));
  }
  CHECK(chunks == 6);  // head, four runs, tail
}

TEST_CASE("a sweep that is deleted while it goes out breaks the export off") {
  House house;
  house.keep(done_sweep("x"), curve_of_reads());
  const Response response = house.call(api::get_sweep_export, "/api/v1/sweeps/1/export");
  std::string chunk;
  CHECK(response.stream(chunk));
  house.store.sweeps().remove(1);
  CHECK_THROWS_AS((void)response.stream(chunk), Error);
}

TEST_CASE(
    "CSV: notes, then a header, then a line a point whose first six columns can be imported") {
  House house;
  house.keep(done_sweep("two\nlines"), curve_of_reads());
  const std::string text = house.exported(1, "csv");
  const api::CsvTable table = api::parse_csv(text, 100);
  REQUIRE(table.rows.size() == 4);
  CHECK(table.notes[0] == "Sweep 1, two lines");
  const std::vector<std::string> six(table.columns.begin(), table.columns.begin() + 6);
  CHECK(six == std::vector<std::string>{"rw", "numjobs", "bandwidth_mib_per_s", "iops",
                                        "latency_mean_us", "note"});
  CHECK(table.rows[2].cells[1] == "4");
  CHECK(table.rows[2].cells[2] == "156.250");  // 40 000 * 4096 / 2^20
  CHECK(table.rows[2].cells[3] == "40000.000");
  CHECK(table.rows[2].cells[4] == "100.000");
  for (const char* column : {"bs", "iodepth", "latency_p99_ns", "iops_ci95_low", "read_iops",
                             "write_latency_p99_ns", "fsync_fsyncs_per_s", "verdicts", "run_ids"}) {
    CAPTURE(column);
    CHECK(std::count(table.columns.begin(), table.columns.end(), column) == 1);
  }
  std::string importable;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::size_t end = 0;
    for (int i = 0; i < 6; ++i) end = line.find(',', end + (i > 0 ? 1 : 0));
    importable += line.substr(0, end) + "\n";
  }
  const api::ImportedTable back = api::parse_import(importable, {});
  REQUIRE(back.runs.size() == 4);
  CHECK(back.runs[3].imported.iops == doctest::Approx(41'000));
}

TEST_CASE("Markdown: the answer, the article's table, and no markup of a user's") {
  House house;
  Sweep sweep = done_sweep("a | b <script> *c*\n# d");
  sweep.answer = "4 jobs.";
  house.keep(sweep, curve_of_reads());
  const std::string text = house.exported(1, "md");
  CHECK(text.starts_with("# Sweep 1, a \\| b \\<script\\> \\*c\\* \\# d\n"));
  CHECK(says(text, "**4 jobs.**"));
  CHECK(says(text, "## randread, bs 4k, iodepth 1"));
  CHECK(says(text, "| randread | 4k | 1 | 4 | 156.3 | 40 000 | - | 100.0 | 120.0 |"));
  CHECK(says(text, "- System: Linux 6.1"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) continue;
    CHECK(std::count(line.begin(), line.end(), '|') == 11);
  }
}

TEST_CASE("a sweep without a point says so in every format") {
  House house;
  Sweep sweep = done_sweep("nothing");
  sweep.state = SweepState::cancelled;
  house.keep(sweep, {});
  for (const char* format : {"json", "csv", "fio", "job", "md", "html"}) {
    CAPTURE(format);
    CHECK(!house.exported(1, format).empty());
  }
  CHECK(says(house.exported(1, "md"), "No point was measured to its end"));
  CHECK(says(house.exported(1, "html"), "No point was measured to its end"));
  CHECK(api::parse_strict(house.exported(1, "fio"))["jobs"].empty());
  CHECK(api::parse_strict(house.exported(1, "json"))["runs"].empty());
}
