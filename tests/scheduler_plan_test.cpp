#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>

#include "daemon/model/error.h"
#include "daemon/scheduler/plan.h"
#include "tests/scheduler_fakes.h"

namespace iobenchd::scheduler {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

Settings with_targets() {
  Settings settings;
  set_text(settings.scratch_dir, "/scratch");
  settings.target_count = 2;
  set_text(settings.targets[0].pattern, "/dev/sd?");
  settings.targets[0].write = 1;
  set_text(settings.targets[1].pattern, "/data/file");
  return settings;
}

Ability able() {
  Ability ability;
  ability.io_uring = true;
  ability.scratch_real_dir = "/scratch";
  return ability;
}

SweepSpec reading(const std::string& target) {
  SweepSpec spec;
  spec.target = target;
  return spec;
}

SweepSpec writing(const std::string& target) {
  SweepSpec spec = reading(target);
  spec.rw = {Rw::randwrite};
  return spec;
}

// The error a judgement ends with; the test fails when it doesn't.
Error refusal(const SweepSpec& spec, const TargetFacts& facts, const Ability& ability = able()) {
  try {
    static_cast<void>(judge(spec, facts, with_targets(), ability));
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was refused");
  return Error(ErrorCode::internal, "");
}

bool says(const Error& error, const char* text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

TEST_CASE("the default sweep: at most 8 doublings, 6 refinements and a drift check on 4 GiB") {
  const Judgement judgement =
      judge(SweepSpec{}, fakes::directory_facts("/scratch", "sda"), with_targets(), able());
  CHECK(judgement.plan.runs == 15);
  CHECK(judgement.plan.size_bytes == 4 * gibibyte);
  CHECK(judgement.plan.layout_bytes == 4 * gibibyte);
  CHECK(judgement.plan.write_bytes == 4 * gibibyte);
  CHECK(judgement.plan.ioengine == "io_uring");
  CHECK(judgement.plan.target == "/scratch");
  CHECK(judgement.most_jobs == 128);
  CHECK(judgement.files == 1);
  CHECK(judgement.leaves == std::vector<std::string>{"sda"});
  REQUIRE(judgement.plan.settings.size() == 8);
  CHECK(judgement.plan.settings.back().numjobs == 128);
  // 15 x (0.5 + 3 + 0.25) s, 4 GiB at 250 MB/s, 5 s of reference
  CHECK(judgement.plan.seconds == doctest::Approx(15 * 3.75 + 17.18 + 5).epsilon(0.001));
}

TEST_CASE("the published grid is 12 points and 2 drift checks") {
  const auto spec = preset_spec("published");
  TargetFacts facts = fakes::directory_facts("/scratch", "sda");
  facts.size_bytes = 1000 * gibibyte;
  facts.free_bytes = 500 * gibibyte;
  const Judgement judgement = judge(*spec, facts, with_targets(), able());
  CHECK(judgement.plan.runs == 14);
  CHECK(judgement.plan.layout_bytes == 64 * gibibyte);
  CHECK(judgement.plan.settings.size() == 12);
}

TEST_CASE("a curve along any axis has one drift check in the plan") {
  const TargetFacts facts = fakes::directory_facts("/scratch", "sda");
  SweepSpec spec;
  spec.numjobs_auto = false;
  spec.numjobs = {4};
  const auto runs = [&] { return judge(spec, facts, with_targets(), able()).plan.runs; };
  CHECK(runs() == 1);  // a single point
  spec.bs = {4096, 65536};
  CHECK(runs() == 2 + 1);
  spec.iodepth = {1, 8, 32};  // two curves along iodepth
  CHECK(runs() == 6 + 2);
  spec.numjobs = {1, 2, 4, 8};  // six along numjobs
  CHECK(runs() == 24 + 6);
  spec.rw = {Rw::randread, Rw::read};
  CHECK(runs() == 48 + 12);
}

TEST_CASE("a size that doesn't fit is refused, and the one that fits is named") {
  TargetFacts facts = fakes::directory_facts("/scratch", "sda");
  facts.size_bytes = 100 * gibibyte;
  facts.free_bytes = 8 * gibibyte;  // less the 5 that stay free: 3
  const Error error = refusal(SweepSpec{}, facts);
  CHECK(error.code() == ErrorCode::invalid);
  REQUIRE(error.fields().size() == 1);
  CHECK(error.fields()[0].field == "size");
  CHECK(says(error, "\"3g\" would fit"));
  SweepSpec spec;
  spec.size_bytes = 3 * gibibyte;
  CHECK(judge(spec, facts, with_targets(), able()).plan.size_bytes == 3 * gibibyte);
}

TEST_CASE("scratch_limit is a limit like free space") {
  TargetFacts facts = fakes::directory_facts("/scratch", "sda");
  facts.free_bytes = facts.size_bytes = 1000 * gibibyte;
  SweepSpec spec;
  spec.size_bytes = 65 * gibibyte;
  CHECK(says(refusal(spec, facts), "scratch_limit is 64g; \"64g\" would fit"));
}

TEST_CASE("the working set of a disk is what lies behind the offset, and never more") {
  SweepSpec spec = reading("/dev/sda");
  const TargetFacts facts = fakes::disk_facts("/dev/sda", "sda");
  CHECK(judge(spec, facts, with_targets(), able()).plan.size_bytes == gibibyte);
  spec.offset_bytes = gibibyte / 4;
  CHECK(judge(spec, facts, with_targets(), able()).plan.size_bytes == gibibyte / 4 * 3);
  spec.size_bytes = gibibyte;
  CHECK(says(refusal(spec, facts), "\"768m\""));
}

TEST_CASE("what the allow-list doesn't know is refused with the line that would allow it") {
  const Error error = refusal(reading("/dev/nvme0n1"), fakes::disk_facts("/dev/nvme0n1", "nvme0"));
  CHECK(error.code() == ErrorCode::forbidden);
  CHECK(says(error, "{\"path\": \"/dev/nvme0n1\"} in \"targets\" of iobenchd.conf"));
}

TEST_CASE("a link is judged by what it leads to") {
  TargetFacts facts = fakes::disk_facts("/dev/sda", "sda");
  set_text(facts.real_path, "/dev/nvme0n1");
  CHECK(refusal(reading("/dev/sda"), facts).code() == ErrorCode::forbidden);
}

TEST_CASE("a directory, a missing file and a file that isn't ours") {
  CHECK(says(refusal(reading("/data"), fakes::directory_facts("/data", "sda")), "is a directory"));
  TargetFacts missing;
  set_text(missing.path, "/data/file");
  CHECK(says(refusal(reading("/data/file"), missing), "doesn't exist"));
  TargetFacts file = fakes::disk_facts("/data/file", "sda");
  file.kind = TargetKind::regular_file;
  CHECK(judge(reading("/data/file"), file, with_targets(), able()).plan.runs == 15);
  CHECK(says(refusal(writing("/data/file"), file), "never written"));
  TargetFacts hung;
  hung.error_number = ETIMEDOUT;
  set_text(hung.path, "/data/file");
  CHECK(says(refusal(reading("/data/file"), hung), "didn't answer"));
}

TEST_CASE("an existing file in the scratch directory may be read; a device there may not") {
  TargetFacts facts = fakes::disk_facts("/scratch/old", "sda");
  CHECK(refusal(reading("/scratch/old"), facts).code() == ErrorCode::forbidden);
  facts.kind = TargetKind::regular_file;
  CHECK(judge(reading("/scratch/old"), facts, with_targets(), able()).plan.layout_bytes == 0);
}

TEST_CASE("a disk in use is not read without read_in_use and never written") {
  TargetFacts facts = fakes::disk_facts("/dev/sda", "sda");
  facts.in_use = 1;
  set_text(facts.use, "mounted on /home");
  const Error error = refusal(reading("/dev/sda"), facts);
  CHECK(error.code() == ErrorCode::forbidden);
  CHECK(says(error, "mounted on /home"));
  CHECK(says(error, "\"read_in_use\": true"));
  Settings settings = with_targets();
  settings.targets[0].read_in_use = 1;
  CHECK(judge(reading("/dev/sda"), facts, settings, able()).plan.runs == 15);
  SweepSpec spec = writing("/dev/sda");
  spec.confirm = confirm_phrase(facts);
  CHECK(refusal(spec, facts).code() == ErrorCode::forbidden);
}

TEST_CASE("a write to a disk needs write: true, then the phrase, and names what it destroys") {
  TargetFacts facts = fakes::disk_facts("/dev/sda", "sda");
  CHECK_FALSE(refusal(writing("/dev/sda"), facts).destroys()->signatures);  // nobody looked
  facts.signatures_known = 1;
  set_text(facts.signatures, "gpt ext");
  const Error unconfirmed = refusal(writing("/dev/sda"), facts);
  CHECK(unconfirmed.code() == ErrorCode::confirmation_needed);
  CHECK(says(unconfirmed, "Test Disk"));
  CHECK(says(unconfirmed, "S1"));
  CHECK(says(unconfirmed, "1073741824 bytes, on it gpt ext;"));
  REQUIRE(unconfirmed.destroys());
  CHECK(unconfirmed.destroys()->model == "Test Disk");
  CHECK(unconfirmed.destroys()->serial == "S1");
  CHECK(unconfirmed.destroys()->size_bytes == 1073741824);
  CHECK(unconfirmed.destroys()->signatures == std::vector<std::string>{"gpt", "ext"});
  CHECK(unconfirmed.destroys()->confirm == confirm_phrase(facts));
  CHECK(says(unconfirmed, confirm_phrase(facts).c_str()));
  SweepSpec spec = writing("/dev/sda");
  spec.confirm = confirm_phrase(facts);
  CHECK(judge(spec, facts, with_targets(), able()).plan.runs == 15);
  Settings settings = with_targets();
  settings.targets[0].write = 0;
  CHECK_THROWS_WITH_AS(static_cast<void>(judge(spec, facts, settings, able())),
                       doctest::Contains("\"write\": true"), Error);
}

TEST_CASE("auto becomes io_uring where there is one, threads for depth, psync else") {
  const TargetFacts facts = fakes::directory_facts("/scratch", "sda");
  Ability none = able();
  none.io_uring = false;
  none.why_no_io_uring = "the kernel says no";
  SweepSpec spec;
  CHECK(judge(spec, facts, with_targets(), none).plan.ioengine == "psync");
  spec.iodepth = {32};
  const Judgement deep = judge(spec, facts, with_targets(), none);
  CHECK(deep.plan.ioengine == "threads");
  CHECK(deep.most_jobs == 128);  // 128 x 32 = 4096 threads
  spec.iodepth = {64};
  CHECK(judge(spec, facts, with_targets(), none).most_jobs == 64);
  spec.ioengine = IoEngine::io_uring;
  CHECK(says(refusal(spec, facts, none), "the kernel says no"));
}

TEST_CASE("the blocks in flight take at most half of the machine's memory") {
  const TargetFacts facts = fakes::directory_facts("/scratch", "sda");
  Ability small = able();
  small.memory_bytes = 8 * gibibyte;
  SweepSpec spec;
  spec.numjobs_auto = false;
  spec.numjobs = {1, 64};
  spec.iodepth = {1, 64};
  spec.bs = {1 << 20};  // 64 x 64 x 1 MiB: exactly half
  CHECK(judge(spec, facts, with_targets(), small).most_jobs == 64);
  spec.bs = {(1 << 20) + 512};  // a page more
  const Error error = refusal(spec, facts, small);
  CHECK(std::string(error.what()) ==
        "numjobs: the blocks in flight of 64 jobs take 4311744512 bytes, and half of the memory "
        "here is 4294967296: at most 63 jobs would fit; ask for less depth or smaller blocks");
  CHECK(judge(spec, facts, with_targets(), able()).most_jobs == 64);  // nobody knows the memory
  spec.ioengine = IoEngine::psync;                                    // one block a job
  CHECK(judge(spec, facts, with_targets(), small).most_jobs == 64);
  spec.ioengine = IoEngine::automatic;
  spec.numjobs_auto = true;
  spec.numjobs.clear();
  CHECK(judge(spec, facts, with_targets(), small).most_jobs == 63);
  spec.bs = {16 << 20};
  spec.iodepth = {1024};
  CHECK(std::string(refusal(spec, facts, small).what()) ==
        "bs: the blocks in flight of 1 job take 17179869184 bytes, and half of the memory here is "
        "4294967296: ask for less depth or smaller blocks");
}

TEST_CASE("blocks and offsets are multiples of the disk's own sector") {
  TargetFacts facts = fakes::disk_facts("/dev/sda", "sda");
  facts.logical_sector_bytes = 4096;
  SweepSpec spec = reading("/dev/sda");
  spec.bs = {4096, 512};
  spec.offset_bytes = 512;
  const Error error = refusal(spec, facts);
  REQUIRE(error.fields().size() == 2);
  CHECK(error.fields()[0].field == "bs[1]");
  CHECK(error.fields()[1].field == "offset");
}

TEST_CASE("per_job splits the working set over as many files as there are jobs at most") {
  SweepSpec spec;
  spec.layout = Layout::per_job;
  spec.numjobs_auto = false;
  spec.numjobs = {1, 2, 3};
  spec.size_bytes = gibibyte;
  const Judgement judgement =
      judge(spec, fakes::directory_facts("/scratch", "sda"), with_targets(), able());
  CHECK(judgement.files == 3);
  CHECK(judgement.file_bytes == gibibyte / 3 / 4096 * 4096);
  spec.size_bytes = 8192;
  CHECK(says(refusal(spec, fakes::directory_facts("/scratch", "sda")), "at least \"12k\""));
}

TEST_CASE(
    "verify needs two blocks of its own for each I/O in flight, and takes time to read back") {
  SweepSpec spec;
  spec.rw = {Rw::randwrite};
  spec.workload.verify = 1;
  spec.numjobs_auto = false;
  spec.numjobs = {64};
  spec.iodepth = {32};
  const TargetFacts facts = fakes::directory_facts("/scratch", "sda");
  spec.size_bytes = 16 << 20;  // 64 jobs x 32 x 2 blocks of 4 KiB: exactly enough
  const Judgement judgement = judge(spec, facts, with_targets(), able());
  spec.workload.verify = 0;
  // One run, which may have written all of it; read at 500 MB/s.
  CHECK(judgement.plan.seconds - judge(spec, facts, with_targets(), able()).plan.seconds ==
        doctest::Approx((16 << 20) / 500e6));
  spec.workload.verify = 1;
  spec.size_bytes -= 4096;
  const Error error = refusal(spec, facts);
  CHECK(says(error, "size: verify needs two blocks"));
  CHECK(says(error, "at least \"16m\" for 64 jobs"));
  spec.iodepth = {1};
  CHECK(judge(spec, facts, with_targets(), able()).plan.runs == 1);
}

TEST_CASE("every wrong field comes in one answer, the size of the disk among them") {
  SweepSpec spec;
  spec.bs = {1000};
  spec.runtime_ns = 0;
  spec.size_bytes = 99 * gibibyte;
  const Error error = refusal(spec, fakes::directory_facts("/scratch", "sda"));
  std::vector<std::string> fields;
  for (const FieldError& one : error.fields()) fields.push_back(one.field);
  CHECK(fields == std::vector<std::string>{"bs", "runtime", "size"});
}

TEST_CASE("a broken scratch directory is the daemon's trouble, not the request's") {
  TargetFacts facts;
  facts.error_number = EACCES;
  CHECK(refusal(SweepSpec{}, facts).code() == ErrorCode::unavailable);
}

TEST_CASE("sizes are spoken as they are typed") {
  CHECK(size_text(4 * gibibyte) == "4g");
  CHECK(size_text(1536 << 20) == "1536m");
  CHECK(size_text(4096) == "4k");
  CHECK(size_text(1000) == "1000");
  CHECK(size_text(0) == "0");
}

}  // namespace
}  // namespace iobenchd::scheduler
