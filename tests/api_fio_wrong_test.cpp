// Files that aren't what fio wrote: each is refused with its place and a reason.
#include <doctest/doctest.h>

#include <string>

#include "api/documents.h"
#include "api/fio_json.h"
#include "api/imports_kind.h"
#include "api/strict_json.h"
#include "tests/fio_files.h"

using namespace iobenchd;
using api::ImportKind;
using api::imports_kind;
using api::parse_fio_json;
using fio_files::document;
using fio_files::Json;
using fio_files::replaced;
using fio_files::says;
using fio_files::text;

namespace {

std::string complaint(const std::string& file, const api::ImportFacts& facts = {}) {
  return fio_files::complaint(parse_fio_json, file, facts);
}

// What is said when one member of group.json's reads is another.
std::string with_read(const char* name, const Json& value) {
  Json file = document("group.json");
  file["jobs"][0]["read"][name] = value;
  return complaint(file.dump());
}

std::string with_option(const char* name, const char* value) {
  Json file = document("group.json");
  file["jobs"][0]["job options"][name] = value;
  return complaint(file.dump());
}

std::string kind_complaint(const char* type, const std::string& body) {
  try {
    (void)imports_kind(type, body);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the kind of an import is its type's, or its document's shape") {
  CHECK(imports_kind("text/csv", "{") == ImportKind::csv);
  CHECK(imports_kind("application/json; charset=utf-8", text("group.json")) ==
        ImportKind::fio_json);
  CHECK(imports_kind("application/json", "fio: a warning\n" + text("clients.json")) ==
        ImportKind::fio_json);
  CHECK(imports_kind("text/plain", text("group.json")) == ImportKind::fio_json);
  CHECK(imports_kind("text/plain", "fio: a warning\n" + text("group.terse")) ==
        ImportKind::fio_terse);
  CHECK(says(kind_complaint("application/json", "[]"), "no JSON document"));
  CHECK(says(kind_complaint("application/json", "{\"name\": {\"jobs\": 1}}"), "isn't fio's JSON"));
  CHECK(says(kind_complaint("application/json", text("group.terse")), "text/plain"));
  CHECK(says(kind_complaint("text/plain", "randread,1,2"), "no line begins with \"3;fio-\""));
}

TEST_CASE("documents are found with their lines, and braces in strings are none") {
  const auto found =
      api::split_documents("a {note}\n{\"a\": \"}\\\"{\",\n \"b\": {\"c\": 1}}\nx\n {\"d\":1}");
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 2);
  CHECK(found[0].offset == 9);
  CHECK(found[0].keys == std::vector<std::string_view>{"a", "b"});
  CHECK(found[1].line == 5);
  CHECK(found[1].text == "{\"d\":1}");
  CHECK(api::split_documents("warning: {\"a\":1}").size() == 1);
  CHECK(api::split_documents("nothing").empty());
}

TEST_CASE("a thousand documents are taken, one more is not") {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "{}\n";
  CHECK(api::split_documents(many).size() == 1000);
  CHECK_THROWS_AS((void)api::split_documents(many + "{}"), Error);
}

TEST_CASE("options of absurd length are cut, and clones are still known by all of them") {
  Json file = document("clones.json");
  for (Json& job : file["jobs"]) job["job options"]["filename"] = std::string(100'000, 'x');
  const api::ImportedTable table = parse_fio_json(file.dump(), {});
  REQUIRE(table.runs.size() == 1);
  CHECK(table.runs[0].setting.numjobs == 2);
  CHECK(table.runs[0].circumstances.target.empty());
  Json& other = file["jobs"][1]["job options"]["filename"];
  other = std::string(100'000, 'x') + "y";
  CHECK(
      says(complaint(file.dump()),
           "job_runtime: is that of one job, and numjobs says 2: the entries of its other clones"));
}

TEST_CASE("a truncated document names itself, its line and its end") {
  const std::string whole = text("group.json");
  const std::string half = complaint(whole + whole.substr(0, whole.size() / 2));
  CHECK(says(half, "document 2, which begins in line "));
  CHECK(says(half, "column"));
}

TEST_CASE("NaN is no number, and its line and column are named") {
  const std::string said =
      complaint(replaced(text("group.json"), "\"mean\" : 0.000000", "\"mean\" : nan"));
  CHECK(says(said, "document 1"));
  CHECK(says(said, "line "));
}

TEST_CASE("a key twice is an error but among the options, where fio writes what it was told") {
  const std::string options = replaced(text("group.json"), "\"rw\" : \"randread\"",
                                       "\"rw\" : \"write\",\n\"rw\" : \"randread\"");
  CHECK(complaint(options) == "");
  const std::string figures =
      replaced(text("group.json"), "\"iops\" :", "\"iops\" : 1,\n\"iops\" :");
  CHECK(says(complaint(figures), "the key \"iops\" is there twice"));
  std::string many = "{\"job options\": {\"rw\": \"read\"";
  for (int i = 0; i < 101; ++i) many += ",\"rw\": \"read\"";
  CHECK(says(complaint("{\"jobs\": [" + many + "}}]}"), "there twice"));
}

TEST_CASE("what isn't fio's, has no jobs, or is of fio 2 is refused") {
  CHECK(says(complaint("{\"jobs\": []}"), "document 1, fio version"));
  CHECK(says(complaint("{\"fio version\": \"fio-3.33\", \"jobs\": []}"), "at least one job"));
  CHECK(says(complaint("{\"fio version\": \"fio-3.33\", \"jobs\": {}}"), "at least one job"));
  CHECK(says(complaint("{\"fio version\": \"fio-3.33\", \"jobs\": [7]}"),
             "jobs[0]: got 7, but an object is needed"));
  CHECK(says(complaint(replaced(text("group.json"), "fio-3.33", "fio-2.21")), "microseconds"));
  Json file = document("group.json");
  Json& read = file["jobs"][0]["read"];
  read["lat"] = read["lat_ns"];
  read.erase("lat_ns");
  CHECK(says(complaint(file.dump()), "jobs[0] (reads), read.lat: is in microseconds"));
}

TEST_CASE("nesting without end is refused with its place") {
  std::string deep = "{\"jobs\": ";
  for (int i = 0; i < 40; ++i) deep += "[";
  for (int i = 0; i < 40; ++i) deep += "]";
  CHECK(says(complaint(deep + "}"), "nested more than 32 deep"));
}

TEST_CASE("numbers that are negative, absurd, missing or none name document, job and field") {
  CHECK(says(with_read("total_ios", -1), "document 1, jobs[0] (reads), read.total_ios: got -1"));
  CHECK(says(with_read("total_ios", 1.5), "read.total_ios: got 1.5"));
  CHECK(says(with_read("iops", "5000"), "read.iops: got \"5000\""));
  CHECK(says(with_read("iops", -1.0), "read.iops: got -1"));
  CHECK(says(with_read("io_bytes", 1e18), "read.io_bytes: got "));
  CHECK(says(with_read("runtime", 1e12), "read.runtime: got "));
  CHECK(says(with_read("runtime", 0), "read.runtime: is 0, but there were I/Os"));
  Json file = document("group.json");
  file["jobs"][0]["read"].erase("iops");
  CHECK(says(complaint(file.dump()), "read.iops: is missing"));
  file["jobs"][0].erase("read");
  CHECK(says(complaint(file.dump()), "read: is missing"));
  file["jobs"][0]["error"] = -5;
  CHECK(says(complaint(file.dump()), "(reads), error: got -5"));
}

TEST_CASE("IOPS, bytes, blocks and runtime that contradict one another are refused") {
  CHECK(says(with_read("iops", 5200.0), "read.iops: 5200, but total_ios / runtime is 5000"));
  CHECK(says(with_read("bw_bytes", 20'000'000),
             "read.bw: 20000000 bytes/s, but io_bytes / runtime is 20480000"));
  CHECK(says(with_option("bs", "64k"),
             "read.io_bytes: io_bytes / total_ios is 4096 bytes, but the block size is 64 KiB"));
}

TEST_CASE("bandwidth in kB where fio writes KiB is refused") {
  // 20 480 000 bytes are 20 000 KiB and 20 480 kB.
  const std::string said = with_read("bw", 20'480);
  CHECK(says(said, "read.bw: 20480, but the bytes are 20000 KiB"));
  CHECK(says(said, "kB (of 1000)"));
  CHECK(with_read("bw", 20'000) == "");
  CHECK(says(with_read("io_kbytes", 491.52), "read.io_kbytes"));
}

TEST_CASE("latencies that contradict their buckets or one another are refused") {
  const auto with_latency = [](const char* kind, const char* name, const Json& value) {
    Json file = document("group.json");
    file["jobs"][0]["read"][kind][name] = value;
    return complaint(file.dump());
  };
  CHECK(says(with_latency("lat_ns", "mean", 1.0), "read.lat_ns.mean: 1 isn't between min"));
  CHECK(says(with_latency("lat_ns", "N", 500), "read.lat_ns.N: 500, but total_ios is 120"));
  CHECK(says(with_latency("clat_ns", "N", 119), "the buckets hold 120, but N is 119"));
  CHECK(says(with_latency("clat_ns", "mean", 200'000.0), "but the mean of the buckets is "));
  CHECK(says(with_latency("clat_ns", "bins", Json{{"43120", 120}}), "\"43120\" is no bucket"));
  CHECK(says(with_latency("clat_ns", "bins", Json{{"43264", -1}}), "clat_ns.bins"));
  CHECK(says(with_latency("clat_ns", "percentile", Json{{"50.000000", 9000}, {"90.000000", 8000}}),
             "percentile.90.000000: is less than the percentile before it"));
}

TEST_CASE("settings that no point can have are refused") {
  CHECK(says(with_option("rw", "randtrim"), "(reads), rw: got \"randtrim\""));
  CHECK(says(with_option("rw", "read:8"), "without \":\""));
  CHECK(says(with_option("bsrange", "4k-16k"), "a point has one block size"));
  CHECK(says(with_option("numjobs", "0"), "from 1 to 1024"));
  CHECK(says(with_option("iodepth", "many"), "(reads), iodepth: got \"many\""));
  CHECK(says(with_option("rw", "randwrite"), "rw is randwrite, but there are reads"));
  api::ImportFacts facts;
  facts.block_bytes = 8192;
  CHECK(says(complaint(text("group.json"), facts), "the document says 4k, and the query"));
}

TEST_CASE("trims, folded directions and no I/O at all are refused") {
  Json file = document("group.json");
  file["jobs"][0]["trim"]["total_ios"] = 3;
  CHECK(says(complaint(file.dump()), "(reads), trim: there are trims"));
  file = document("group.json");
  file["jobs"][0]["mixed"] = file["jobs"][0]["read"];
  file["jobs"][0].erase("read");
  CHECK(says(complaint(file.dump()), "mixed: unified_rw_reporting"));
  CHECK(says(with_read("total_ios", 0), "read: there is no I/O"));
}

TEST_CASE("clones that are neither one nor all are refused, and so are folded jobs") {
  CHECK(says(complaint(replaced(
                 replaced(text("clones.json"), "\"numjobs\" : \"2\"", "\"numjobs\" : \"3\""),
                 "\"numjobs\" : \"2\"", "\"numjobs\" : \"3\"")),
             "numjobs: 3, but there are 2 entries"));
  Json file = document("group.json");
  file["jobs"][0]["job_runtime"] = 24 * 6;
  CHECK(says(complaint(file.dump()), "job_runtime is that of 6 jobs, numjobs says 2"));
}

TEST_CASE("jobs that differ in more than their setting are no repeats") {
  Json file = document("group.json");
  Json& options = file["jobs"][0]["job options"];
  options["filename"] = "/dev/other";
  const std::string both = text("group.json") + file.dump();
  const std::string said = complaint(both);
  CHECK(says(said, "document 2, jobs[0] (reads), filename: got \"/dev/other\""));
  CHECK(says(said, "?target="));
  api::ImportFacts facts;
  facts.target = "the one disk";
  file["jobs"][0]["read"]["lat_ns"]["mean"] = 330'000.0;  // else it would be the same run
  CHECK(complaint(text("group.json") + file.dump(), facts) == "");
  options["rate_iops"] = "100";
  CHECK(says(complaint(text("group.json") + file.dump(), facts), "rate_iops: got \"100\""));
}

TEST_CASE("the same run twice is no repeat: copies, and what --status-interval prints") {
  CHECK(says(complaint(text("group.json") + text("group.json")), "once more, not a repeat"));
  // Half a second later the same fio has run half a second longer.
  Json later = document("group.json");
  later["timestamp_ms"] = later["timestamp_ms"].get<std::uint64_t>() + 500;
  later["jobs"][0]["job_runtime"] = 1048;
  Json& read = later["jobs"][0]["read"];
  read["runtime"] = 524;
  read["iops"] = 120 / 0.524;
  read["bw_bytes"] = 491'520 / 0.524;
  read["bw"] = 480 / 0.524;
  CHECK(says(complaint(text("group.json") + later.dump()), "--status-interval"));
  later["timestamp_ms"] = later["timestamp_ms"].get<std::uint64_t>() + 2000;
  CHECK(complaint(text("group.json") + later.dump()) == "");
}

TEST_CASE("a thousand runs are taken, one more is not") {
  Json file = document("failed.json");
  Json job = file["jobs"][0];
  file["jobs"] = Json::array();
  for (int i = 0; i < 1001; ++i) {
    job["jobname"] = "job" + std::to_string(i);
    job["job options"]["numjobs"] = "1";
    file["jobs"].push_back(job);
  }
  CHECK(says(complaint(file.dump()), "more than 1000 runs; split the file"));
  file["jobs"].erase(1000);
  CHECK(complaint(file.dump()) == "");
}
