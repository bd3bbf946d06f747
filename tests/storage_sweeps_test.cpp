#include <doctest/doctest.h>

#include <set>

#include "storage/store.h"
#include "tests/storage_fixture.h"

using namespace iobenchd;
using namespace iobenchd::storage;
using namespace iobenchd::storage_test;

namespace {

std::vector<std::int64_t> ids(const Page<Sweep>& page) {
  std::vector<std::int64_t> result;
  for (const Sweep& sweep : page.items) result.push_back(sweep.id);
  return result;
}

// A value of its own in every field, none of them the default.
SweepSpec full_spec() {
  SweepSpec spec;
  spec.preset = "published";
  spec.label = "label";
  spec.target = "/dev/rsd1c";
  spec.size_bytes = std::uint64_t{1} << 40;
  spec.offset_bytes = 4096;
  spec.rw = {Rw::randread, Rw::randrw};
  spec.bs = {4096, 65536};
  spec.iodepth = {1, 32};
  spec.numjobs = {1, 2, 18};
  spec.numjobs_auto = false;
  spec.runtime_ns = 30'000'000'000;
  spec.ramp_time_ns = 10'000'000'000;
  spec.repeats = 3;
  spec.order = Order::given;
  spec.ioengine = IoEngine::io_uring;
  spec.direct = false;
  spec.thread = spec.refine = spec.keep_file = true;
  spec.batch_submit = 4;
  spec.batch_complete = 2;
  spec.seed = ~std::uint64_t{0};  // all 64 bits
  spec.layout = Layout::per_job;
  spec.cooldown_ns = 5;
  spec.latency_limit = LatencyLimit{Statistic::mean, 500'000};
  spec.on_restart = OnRestart::fail;
  spec.repeats_most = 9;
  spec.repeats_auto = true;
  spec.ci_percent = 2.5;
  spec.steady_rounds = 25;
  spec.steady_round_ns = 60'000'000'000;
  spec.precondition = true;
  Workload& workload = spec.workload;
  workload.rwmixread = 70;
  workload.rate_iops = 1'000;
  workload.rate_process = RateProcess::poisson;
  workload.io_size_bytes = std::uint64_t{1} << 33;
  workload.fsync = 8;
  workload.sync = Sync::dsync;
  workload.norandommap = 0;
  workload.random_distribution = {Distribution::zipf, 1.2};
  workload.buffer_compress_percentage = 40;
  workload.hipri = 1;
  workload.verify = 1;
  spec.cpus_allowed = "0-3,6";
  spec.yield_to_other_io = false;
  spec.confirm = "destroy";
  return spec;
}

}  // namespace

TEST_CASE("a sweep gets an id, a time, a seed and a UUID of version 7 that holds the time") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  const Sweep first = store.sweeps().create(sweep_named("one"));
  const Sweep second = store.sweeps().create(sweep_named("two"));
  CHECK(first.id == 1);
  CHECK(second.id == 2);
  CHECK(first.created_at_ns == clock.now_ns);
  CHECK(first.spec.seed.has_value());
  CHECK(first.spec.seed != second.spec.seed);
  // 1 767 323 045 000 ms = 0x019b7ca98c88
  CHECK(first.uuid.substr(0, 15) == "019b7ca9-8c88-7");
  CHECK(first.uuid.size() == 36);
  CHECK(std::string("89ab").find(first.uuid[19]) != std::string::npos);
  CHECK(first.uuid != second.uuid);
  CHECK(store.sweeps().find_uuid(first.uuid) == first.id);
  CHECK_FALSE(store.sweeps().find_uuid("no such").has_value());
  CHECK_FALSE(store.sweeps().find(3).has_value());
}

TEST_CASE("every field of a sweep comes back as it went in") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  Sweep sweep;
  sweep.origin = Origin::local;
  sweep.host = "h\xC3\xB6st";
  sweep.notes = "it's 'quoted'";
  sweep.pinned = true;
  const SweepSpec spec = sweep.spec = full_spec();
  sweep.plan = {7, 12.5, 1, 2, "io_uring", 3, "/dev/rsd1c", {{Rw::randread, 4096, 1, 2}}};

  const Sweep made = store.sweeps().create(sweep);
  const Sweep found = store.sweeps().find(made.id).value();
  CHECK(found.uuid == made.uuid);
  CHECK(found.host == sweep.host);
  CHECK(found.notes == sweep.notes);
  CHECK(found.pinned);
  const SweepSpec& back = found.spec;
  CHECK(back.preset == spec.preset);
  CHECK(back.label == spec.label);
  CHECK(back.target == spec.target);
  CHECK(back.size_bytes == spec.size_bytes);
  CHECK(back.offset_bytes == spec.offset_bytes);
  CHECK(back.rw == spec.rw);
  CHECK(back.bs == spec.bs);
  CHECK(back.iodepth == spec.iodepth);
  CHECK(back.numjobs == spec.numjobs);
  CHECK_FALSE(back.numjobs_auto);
  CHECK(back.runtime_ns == spec.runtime_ns);
  CHECK(back.ramp_time_ns == spec.ramp_time_ns);
  CHECK(back.repeats == 3);
  CHECK(back.repeats_most == 9);
  CHECK(back.repeats_auto);
  CHECK(back.ci_percent == 2.5);
  CHECK(back.steady_rounds == 25);
  CHECK(back.steady_round_ns == spec.steady_round_ns);
  CHECK(back.precondition);
  CHECK(back.workload == spec.workload);
  CHECK(back.cpus_allowed == spec.cpus_allowed);
  CHECK(back == spec);
  CHECK(back.order == Order::given);
  CHECK(back.ioengine == IoEngine::io_uring);
  CHECK_FALSE(back.direct);
  CHECK(back.thread);
  CHECK(back.refine);
  CHECK(back.keep_file);
  CHECK(back.batch_submit == 4);
  CHECK(back.batch_complete == 2);
  CHECK(back.seed == spec.seed);
  CHECK(back.layout == spec.layout);
  CHECK(back.cooldown_ns == 5);
  CHECK(back.latency_limit == spec.latency_limit);
  CHECK(back.on_restart == OnRestart::fail);
  CHECK(back.confirm == "destroy");
  CHECK(found.plan.runs == 7);
  CHECK(found.plan.seconds == 12.5);
  CHECK(found.plan.layout_bytes == 1);
  CHECK(found.plan.write_bytes == 2);
  CHECK(found.plan.ioengine == "io_uring");
  CHECK(found.plan.size_bytes == 3);
  CHECK(found.plan.target == "/dev/rsd1c");
  CHECK(found.plan.settings == sweep.plan.settings);
}

TEST_CASE("a sweep's life: queued, running, interrupted, running, done, and no way back") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  const std::int64_t id = sweeps.create(sweep_named("")).id;
  const std::int64_t first_start = clock.now_ns += 10;
  sweeps.set_started(id);
  CHECK(code_of([&] { sweeps.set_started(id); }) == ErrorCode::conflict);
  CHECK(code_of([&] { sweeps.remove(id); }) == ErrorCode::conflict);
  sweeps.set_queued(id);
  clock.now_ns += 10;
  sweeps.set_started(id);
  sweeps.set_error(id, "waits: database_full");
  CHECK(sweeps.find(id)->started_at_ns == first_start);
  CHECK(sweeps.find(id)->error == "waits: database_full");
  CHECK(sweeps.count_unfinished() == 1);
  clock.now_ns += 10;
  sweeps.finish(id, SweepState::done, "6 to 8 jobs.", "");
  const Sweep done = sweeps.find(id).value();
  CHECK(done.state == SweepState::done);
  CHECK(done.answer == "6 to 8 jobs.");
  CHECK(done.error.empty());
  CHECK(done.finished_at_ns == clock.now_ns);
  CHECK(sweeps.count_unfinished() == 0);
  CHECK_NOTHROW(sweeps.finish(id, SweepState::done, "again", ""));
  CHECK(sweeps.find(id)->answer == "6 to 8 jobs.");
  CHECK(code_of([&] { sweeps.finish(id, SweepState::failed, "", "x"); }) == ErrorCode::conflict);
  CHECK(code_of([&] { sweeps.set_queued(id); }) == ErrorCode::conflict);
  CHECK(code_of([&] { sweeps.set_started(99); }) == ErrorCode::not_found);
}

TEST_CASE("a clock that is set back lets nothing end before it began") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  const Sweep queued = store.sweeps().create(sweep_named("jump"));
  clock.now_ns -= 259'200'000'000'000;  // three days
  store.sweeps().set_started(queued.id);
  CHECK(store.sweeps().find(queued.id)->started_at_ns == queued.created_at_ns);
  Run run = run_of(queued.id, 1, queued.created_at_ns + 5);
  run.id = store.runs().begin(run);
  CHECK(store.runs().interrupt_running() == 1);
  CHECK(store.runs().find(run.id)->finished_at_ns == queued.created_at_ns + 5);
  store.sweeps().finish(queued.id, SweepState::done, "6 jobs.", "");
  CHECK(store.sweeps().find(queued.id)->finished_at_ns == queued.created_at_ns);
}

TEST_CASE("unfinished sweeps come oldest first, as they were queued") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  for (const char* label : {"a", "b", "c"}) static_cast<void>(sweeps.create(sweep_named(label)));
  sweeps.finish(1, SweepState::cancelled, "", "by the user");
  sweeps.set_started(3);
  const std::vector<Sweep> unfinished = sweeps.unfinished();
  REQUIRE(unfinished.size() == 2);
  CHECK(unfinished[0].id == 2);
  CHECK(unfinished[1].id == 3);
}

TEST_CASE("pages go newest first, without a gap or a repeat, also where times are equal") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  for (int i = 0; i < 7; ++i) {
    if (i % 3 == 0) ++clock.now_ns;
    static_cast<void>(sweeps.create(sweep_named("")));
  }
  const Page<Sweep> first = sweeps.list({}, 0, 3);
  CHECK(ids(first) == std::vector<std::int64_t>{7, 6, 5});
  const Page<Sweep> second = sweeps.list({}, first.next_before, 3);
  CHECK(ids(second) == std::vector<std::int64_t>{4, 3, 2});
  const Page<Sweep> third = sweeps.list({}, second.next_before, 3);
  CHECK(ids(third) == std::vector<std::int64_t>{1});
  CHECK(third.next_before == 0);
  CHECK(ids(sweeps.list({}, 0, 7)).size() == 7);
  CHECK(sweeps.list({}, 0, 7).next_before == 0);  // exactly full is the end
  CHECK(sweeps.list({}, 0, 100'000).items.size() == 7);
}

TEST_CASE("a page goes on in the right place when the last sweep of the one before is deleted") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  for (int i = 0; i < 5; ++i) static_cast<void>(sweeps.create(sweep_named("")));
  const Page<Sweep> first = sweeps.list({}, 0, 2);
  REQUIRE(first.next_before == 4);
  sweeps.finish(4, SweepState::done, "", "");
  sweeps.remove(4);
  CHECK(ids(sweeps.list({}, 4, 2)) == std::vector<std::int64_t>{3, 2});
  for (const std::int64_t id : {1, 2, 3}) {
    sweeps.finish(id, SweepState::done, "", "");
    sweeps.remove(id);
  }
  CHECK(sweeps.list({}, 4, 2).items.empty());
}

TEST_CASE("each filter of a sweep finds exactly its own, alone and together") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  const auto make = [&](const char* label, const char* host, const char* target,
                        std::vector<Rw> rw) {
    Sweep sweep = sweep_named(label);
    sweep.host = host;
    sweep.plan.target = target;
    sweep.spec.rw = std::move(rw);
    clock.now_ns += 1'000;
    return sweeps.create(sweep).id;
  };
  const std::int64_t base_ns = clock.now_ns;
  make("x", "alpha", "/dev/a", {Rw::randread});                // 1 at +1000
  make("x", "beta", "/dev/b", {Rw::randread, Rw::randwrite});  // 2 at +2000
  make("y", "alpha", "/dev/a", {Rw::randwrite});               // 3 at +3000
  sweeps.finish(1, SweepState::done, "", "");
  using Ids = std::vector<std::int64_t>;
  const auto found = [&](const SweepFilter& filter) { return ids(sweeps.list(filter, 0, 50)); };
  SweepFilter filter;
  filter.label = "x";
  CHECK(found(filter) == Ids{2, 1});
  filter.host = "beta";
  CHECK(found(filter) == Ids{2});
  filter = {};
  filter.target = "/dev/a";
  CHECK(found(filter) == Ids{3, 1});
  filter.state = SweepState::queued;
  CHECK(found(filter) == Ids{3});
  filter = {};
  filter.rw = Rw::randread;
  CHECK(found(filter) == Ids{2, 1});
  CHECK(ids(sweeps.list(filter, 2, 50)) == Ids{1});
  filter.rw = Rw::randwrite;
  CHECK(found(filter) == Ids{3, 2});
  filter.label = "y";
  CHECK(found(filter) == Ids{3});
  filter = {};
  filter.rw = Rw::rw;
  CHECK(found(filter).empty());
  filter = {};
  filter.origin = Origin::imported;
  CHECK(found(filter).empty());
  filter = {};
  filter.since_ns = base_ns + 2'000;
  CHECK(found(filter) == Ids{3, 2});
  filter.until_ns = base_ns + 3'000;
  CHECK(found(filter) == Ids{2});
  filter = {};
  filter.until_ns = base_ns + 2'000;
  CHECK(found(filter) == Ids{1});
}

TEST_CASE("label, notes and pin change one by one; a run is found under the new label") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  const std::int64_t id = sweeps.create(sweep_named("old")).id;
  stored_run(store, run_of(id, 1, 5));
  sweeps.describe(id, "new", std::nullopt, std::nullopt);
  sweeps.describe(id, std::nullopt, "a note", true);
  const Sweep found = sweeps.find(id).value();
  CHECK(found.spec.label == "new");
  CHECK(found.notes == "a note");
  CHECK(found.pinned);
  RunFilter filter;
  filter.label = "old";
  CHECK(store.runs().list(filter, 0, 50).items.empty());
  filter.label = "new";
  CHECK(store.runs().list(filter, 0, 50).items.size() == 1);
  CHECK(code_of([&] { sweeps.describe(9, "x", {}, {}); }) == ErrorCode::not_found);
}

TEST_CASE("deleting a sweep deletes its runs and nobody else's, and its number stays unused") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  const std::int64_t gone = sweeps.create(sweep_named("gone")).id;
  const std::int64_t stays = sweeps.create(sweep_named("stays")).id;
  const Run deleted = stored_run(store, run_of(gone, 1, 5));
  const Run kept = stored_run(store, run_of(stays, 1, 6));
  sweeps.finish(gone, SweepState::done, "", "");
  sweeps.remember_key("key", gone);
  sweeps.remove(gone);
  CHECK_FALSE(sweeps.find(gone).has_value());
  CHECK_FALSE(store.runs().find(deleted.id).has_value());
  CHECK_FALSE(sweeps.find_key("key").has_value());
  CHECK(store.runs().find(kept.id)->circumstances.serial == "S1");
  CHECK(code_of([&] { sweeps.remove(gone); }) == ErrorCode::not_found);
  sweeps.finish(stays, SweepState::done, "", "");
  sweeps.remove(stays);
  CHECK(sweeps.create(sweep_named("next")).id == 3);
}

TEST_CASE("an idempotency key is known for 24 hours, and the first sweep keeps it") {
  TempDir dir;
  Clock clock;
  Store store(dir / "db", clock.function());
  SweepStore& sweeps = store.sweeps();
  const std::int64_t first = sweeps.create(sweep_named("")).id;
  const std::int64_t second = sweeps.create(sweep_named("")).id;
  sweeps.remember_key("k", first);
  sweeps.remember_key("k", second);
  CHECK(sweeps.find_key("k") == first);
  CHECK_FALSE(sweeps.find_key("other").has_value());
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  clock.now_ns += day_ns - 1;
  CHECK(sweeps.find_key("k") == first);
  clock.now_ns += 1;
  CHECK_FALSE(sweeps.find_key("k").has_value());
  sweeps.remember_key("k", second);
  CHECK(sweeps.find_key("k") == second);
  CHECK(code_of([&] { sweeps.remember_key("z", 99); }) == ErrorCode::not_found);
}
