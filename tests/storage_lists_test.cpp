#include <doctest/doctest.h>

#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

std::vector<std::int64_t> ids(const Page<RunSummary>& page) {
  std::vector<std::int64_t> result;
  for (const RunSummary& run : page.items) result.push_back(run.run_id);
  return result;
}

}  // namespace

TEST_CASE("each filter of a run finds exactly its own, newest first, page by page") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  const std::int64_t one = store.sweeps().create(sweep_named("one")).id;
  const std::int64_t two = store.sweeps().create(sweep_named("two")).id;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    Run run = run_of(i <= 2 ? one : two, i, 100 * std::int64_t{i});
    run.setting.rw = i % 2 == 0 ? Rw::randwrite : Rw::randread;
    run.setting.block_bytes = i % 2 == 0 ? 8192 : 4096;
    run.setting.iodepth = i;
    run.measurement.ioengine = i == 3 ? IoEngine::io_uring : IoEngine::psync;
    run.circumstances.host = i == 1 ? "beta" : "alpha";
    run.circumstances.serial = i == 2 ? "S2" : "S1";
    run.circumstances.target = i == 4 ? "/dev/b" : "/dev/a";
    stored_run(store, run, i == 4 ? RunState::failed : RunState::done);
  }
  using Ids = std::vector<std::int64_t>;
  const auto found = [&](auto set) {
    RunFilter filter;
    set(filter);
    return ids(store.runs().list(filter, 0, 50));
  };
  CHECK(found([](RunFilter&) {}) == Ids{4, 3, 2, 1});
  CHECK(found([&](RunFilter& f) { f.sweep_id = one; }) == Ids{2, 1});
  CHECK(found([](RunFilter& f) { f.state = RunState::failed; }) == Ids{4});
  CHECK(found([](RunFilter& f) { f.target = "/dev/a"; }) == Ids{3, 2, 1});
  CHECK(found([](RunFilter& f) { f.label = "two"; }) == Ids{4, 3});
  CHECK(found([](RunFilter& f) { f.host = "beta"; }) == Ids{1});
  CHECK(found([](RunFilter& f) { f.serial = "S2"; }) == Ids{2});
  CHECK(found([](RunFilter& f) { f.rw = Rw::randread; }) == Ids{3, 1});
  CHECK(found([](RunFilter& f) { f.origin = Origin::imported; }) == Ids{});
  CHECK(found([](RunFilter& f) { f.block_bytes = 8192; }) == Ids{4, 2});
  CHECK(found([](RunFilter& f) { f.iodepth = 3; }) == Ids{3});
  CHECK(found([](RunFilter& f) { f.numjobs = 2; }) == Ids{2});
  CHECK(found([](RunFilter& f) { f.ioengine = IoEngine::io_uring; }) == Ids{3});
  CHECK(found([](RunFilter& f) { f.since_ns = 200; }) == Ids{4, 3, 2});
  CHECK(found([](RunFilter& f) { f.until_ns = 200; }) == Ids{1});
  CHECK(found([](RunFilter& f) { f.since_ns = 200, f.until_ns = 400; }) == Ids{3, 2});
  CHECK(found([](RunFilter& f) { f.rw = Rw::randread, f.serial = "S1", f.host = "alpha"; }) ==
        Ids{3});
  RunFilter filter;
  filter.target = "/dev/a";
  const Page<RunSummary> page = store.runs().list(filter, 0, 2);
  CHECK(ids(page) == Ids{3, 2});
  CHECK(ids(store.runs().list(filter, page.next_before, 2)) == Ids{1});
  filter.until_ns = 200;  // the nearer of the two ends counts, whichever it is
  CHECK(ids(store.runs().list(filter, page.next_before, 2)) == Ids{1});
}
