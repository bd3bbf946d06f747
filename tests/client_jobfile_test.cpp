#include <doctest/doctest.h>

#include "daemon/client/jobfile.h"
#include "daemon/client/options.h"
#include "daemon/model/error.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using namespace iobenchd::client;

namespace {

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(api::spec_of_fields(parse_jobfile(text, "a.fio").fields));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* article = R"(; the article's reads
[global]
ioengine=psync
direct=1
bs=4k
time_based
group_reporting

[randread]
rw=randread
iodepth=32
numjobs=8
runtime=30
ramp_time = 10
size=64g
norandommap
filename=/var/tmp/fio.test
)";

}  // namespace

TEST_CASE("a job file means what it means to fio") {
  const JobFile job = parse_jobfile(article, "a.fio");
  CHECK(job.file == "/var/tmp/fio.test");
  const SweepSpec spec = api::spec_of_fields(job.fields);
  CHECK(spec.rw == std::vector<Rw>{Rw::randread});
  CHECK(spec.numjobs == std::vector<std::uint32_t>{8});
  CHECK(spec.iodepth == std::vector<std::uint32_t>{32});
  CHECK(spec.ioengine == IoEngine::psync);
  CHECK(spec.direct);
  CHECK(spec.runtime_ns == 30'000'000'000);
  CHECK(spec.ramp_time_ns == 10'000'000'000);
  CHECK(spec.workload.norandommap == 1);
  CHECK(spec.workload.io_size_bytes == 0);  // time_based
}

TEST_CASE("where a job file says nothing, fio's defaults hold, not ours") {
  const SweepSpec spec =
      api::spec_of_fields(parse_jobfile("[j]\nruntime=5\nsize=1g\n", "a").fields);
  CHECK(spec.rw == std::vector<Rw>{Rw::read});
  CHECK(spec.numjobs == std::vector<std::uint32_t>{1});
  CHECK_FALSE(spec.direct);
  CHECK(spec.workload.norandommap == 0);
  CHECK(spec.workload.io_size_bytes == std::uint64_t{1} << 30);  // a job ends with its size
}

TEST_CASE("verify=crc32c reads back what was written") {
  const auto verifies = [](const std::string& line) {
    const std::string text = "[j]\nruntime=5\nrw=randwrite\n" + line;
    return api::spec_of_fields(parse_jobfile(text, "a").fields).workload.verify;
  };
  CHECK(verifies("verify=crc32c\n") == 1);
  CHECK(verifies("verify=0\n") == 0);
  CHECK(verifies("") == 0);
}

TEST_CASE("the job's options override the global ones") {
  const auto fields = parse_jobfile("[global]\nbs=4k\nruntime=5\n[j]\nbs=64k\n", "a").fields;
  CHECK(api::spec_of_fields(fields).bs == std::vector<std::uint32_t>{65536});
}

TEST_CASE("what iobench doesn't do is refused by name and line") {
  CHECK(refusal("[j]\nruntime=5\nbssplit=4k/50:8k/50\n") ==
        "a.fio:3: bssplit is no option of iobench run");
  CHECK(contains(refusal("[a]\nruntime=5\n[b]\n"), "a.fio:3: a second job, [b]"));
  CHECK(contains(refusal("rw=read\n"), "a.fio:1: an option before any section"));
  CHECK(contains(refusal("[global]\nrw=read\n"), "there is no job"));
  CHECK(contains(refusal("[j]\nrw=read\n"), "no runtime"));
  CHECK(contains(refusal("[j]\nruntime=5\nbs=\n"), "a.fio:3: bs needs a value"));
  CHECK(contains(refusal("[j]\nruntime=5\nfilename=/a:/b\n"), "one file at a time"));
  CHECK(contains(refusal("[j\n"), "a.fio:1: a section is written [name]"));
  CHECK(contains(refusal("[j]\nruntime=5\nrw=write\nverify=md5\n"), "a.fio:4: verify=md5"));
}

TEST_CASE("a value that won't do is told with its file, its line and the name that was typed") {
  CHECK(contains(refusal("[j]\nruntime=5\n\nioengine=libaio\n"),
                 "a.fio:4: ioengine: got \"libaio\""));
  const std::string both = refusal("[global]\nblocksize=abc\n[j]\nruntime=5\niodepth=0\n");
  CHECK(contains(both, "a.fio:2: blocksize: got \"abc\""));
  CHECK(contains(both, "a.fio:5: iodepth: got 0"));
  // Read well, and wrong beside the others.
  CHECK(contains(refusal("[j]\nruntime=5\nrw=read\nfsync=8\n"), "a.fio:4: fsync: is for"));
}

TEST_CASE("fio's comma is no grid: reads and writes apart are refused by name and line") {
  CHECK(refusal("[j]\nruntime=5\nbs=4k,8k\n") ==
        "a.fio:3: bs=4k,8k: fio's comma parts reads from writes, which have one value here");
  for (const char* line : {"rate_iops=100,200", "rwmixread=50,50", "iodepth=1,2", "bs=,8k"}) {
    CAPTURE(line);
    CHECK(contains(refusal(std::string("[j]\nruntime=5\n") + line + "\n"),
                   std::string("a.fio:3: ") + line));
  }
  const auto fields = parse_jobfile("[j]\nruntime=5\ncpus_allowed=0-3,6\n", "a").fields;
  CHECK(api::spec_of_fields(fields).cpus_allowed == "0-3,6");
}

TEST_CASE("what the command line says instead is told without the job file's line") {
  const TemporaryTree tree;
  const std::string path = tree.file("a.fio", "[j]\nruntime=5\nbs=4k\n");
  const RunOptions options = parse_run_options({"run", "--jobfile", path, "--bs=abc", "F"});
  try {
    static_cast<void>(api::spec_of_fields(options.fields));
    FAIL("abc is no size");
  } catch (const Error& error) {
    REQUIRE(error.fields().size() == 1);
    CHECK(error.fields()[0].field == "bs");
  }
}

TEST_CASE("the command line goes before the job file, and names the file where it names none") {
  const TemporaryTree tree;
  const std::string path = tree.file("a.fio", article);
  const RunOptions options = parse_run_options({"run", "--jobfile", path, "--numjobs=1,2,4"});
  CHECK(options.file == "/var/tmp/fio.test");
  const SweepSpec spec = api::spec_of_fields(options.fields);
  CHECK(spec.numjobs == std::vector<std::uint32_t>{1, 2, 4});
  CHECK(spec.iodepth == std::vector<std::uint32_t>{32});
  CHECK(parse_run_options({"run", "--jobfile=" + path, "/srv/disk"}).file == "/srv/disk");
  CHECK_THROWS_AS(static_cast<void>(parse_run_options({"run", "--jobfile=/no/such", "F"})), Error);
}
