// Verdicts that compare what the jobs asked for with what the device says it did.
#include <doctest/doctest.h>

#include "daemon/analysis/verdicts.h"
#include "tests/verdict_checks.h"

using namespace iobenchd;
using namespace iobenchd::tests;
using analysis::run_doubts;

TEST_CASE("other_load: not the journal that an fsync takes along, but what is read besides") {
  Run run = clean_run();
  run.circumstances.target_kind = "regular_file";
  Measurement& m = run.measurement;
  m.device_counters_known = true;
  m.device_read_bytes = m.read.bytes;
  m.device_write_bytes = m.read.bytes / 2;
  SweepSpec spec;
  CHECK(run_doubts(run, &spec).size() == 1);
  spec.workload.fsync = 1;
  CHECK(run_doubts(run, &spec).empty());
  spec.workload.fsync = 0;
  spec.workload.sync = Sync::dsync;
  CHECK(run_doubts(run, &spec).empty());
  m.device_read_bytes = m.read.bytes / 100 * 109;
  CHECK(run_doubts(run, &spec).size() == 1);
}

TEST_CASE("other_load: 5 I/Os a second of the device's own size are little, whatever a block is") {
  Run run = clean_run();
  Measurement& m = run.measurement;
  set_traffic(run, 1000, 30'000'000'000);  // 33 I/Os a second
  for (Sample& sample : m.samples) sample.read_ios = 33;
  m.device_counters_known = true;
  m.device_read_bytes = m.read.bytes;
  m.device_read_ios = 1000;
  m.device_write_bytes = 4096 * 149;  // 4.97 a second beyond, and 15 % of ours
  m.device_write_ios = 149;
  CHECK_FALSE(has(run, "other_load"));
  m.device_write_bytes = 4096 * 180;
  m.device_write_ios = 180;
  CHECK(has(run, "other_load"));
  m.device_read_ios = 10;  // of 410 KB each: less than one a second beyond
  m.device_write_ios = 1;
  CHECK_FALSE(has(run, "other_load"));
}
