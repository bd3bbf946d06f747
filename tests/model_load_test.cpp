#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "daemon/model/error.h"
#include "daemon/model/load.h"

namespace {

using namespace iobenchd;

Load sound_load() {
  Load load;
  load.size_bytes = 1 << 20;
  load.runtime_ns = 1'000'000'000;
  return load;
}

// The field that check_load complains about; empty when it doesn't.
std::string refused_field(const std::function<void(Load&)>& spoil) {
  Load load = sound_load();
  spoil(load);
  try {
    check_load(load);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    REQUIRE(error.fields().size() == 1);
    CHECK_FALSE(error.fields()[0].message.empty());
    return error.fields()[0].field;
  }
  return {};
}

}  // namespace

TEST_CASE("a sound load passes, at both ends of its ranges") {
  CHECK(refused_field([](Load&) {}).empty());
  CHECK(refused_field([](Load& load) { load.numjobs = load.iodepth = 1024; }).empty());
  CHECK(refused_field([](Load& load) { load.block_bytes = 512; }).empty());
  const auto largest_block = [](Load& load) { load.size_bytes = load.block_bytes = 16 << 20; };
  CHECK(refused_field(largest_block).empty());
  const auto untimed_layout = [](Load& load) {
    load.task = Task::layout;
    load.runtime_ns = 0;
  };
  CHECK(refused_field(untimed_layout).empty());
}

TEST_CASE("a load that no honest service would send is refused by the name of its field") {
  CHECK(refused_field([](Load& load) { load.version = 0; }) == "version");
  CHECK(refused_field([](Load& load) { load.task = static_cast<Task>(3); }) == "task");
  CHECK(refused_field([](Load& load) { load.rw = static_cast<Rw>(6); }) == "rw");
  CHECK(refused_field([](Load& load) { load.ioengine = static_cast<IoEngine>(6); }) == "ioengine");
  CHECK(refused_field([](Load& load) { load.ioengine = IoEngine::automatic; }) == "ioengine");
  CHECK(refused_field([](Load& load) { load.thread = 2; }) == "thread");
  CHECK(refused_field([](Load& load) { load.numjobs = 0; }) == "numjobs");
  CHECK(refused_field([](Load& load) { load.numjobs = 1025; }) == "numjobs");
  CHECK(refused_field([](Load& load) { load.iodepth = 0; }) == "iodepth");
  CHECK(refused_field([](Load& load) { load.iodepth = 1025; }) == "iodepth");
  CHECK(refused_field([](Load& load) { load.files = 0; }) == "files");
  CHECK(refused_field([](Load& load) { load.files = 1025; }) == "files");
  CHECK(refused_field([](Load& load) { load.batch_submit = 2; }) == "batch_submit");
  CHECK(refused_field([](Load& load) { load.batch_complete = 2; }) == "batch_complete");
  CHECK(refused_field([](Load& load) { load.engine_flags = 1U << 6; }) == "engine_flags");
  CHECK(refused_field([](Load& load) { load.block_bytes = 0; }) == "bs");
  CHECK(refused_field([](Load& load) { load.block_bytes = 1000; }) == "bs");
  CHECK(refused_field([](Load& load) { load.block_bytes = (16U << 20) + 512; }) == "bs");
  CHECK(refused_field([](Load& load) { load.offset_bytes = 100; }) == "offset");
  CHECK(refused_field([](Load& load) { load.size_bytes = 0; }) == "size");
  CHECK(refused_field([](Load& load) { load.size_bytes = 4097; }) == "size");
  CHECK(refused_field([](Load& load) { load.ramp_ns = ~std::uint64_t{0}; }) == "ramp_time");
  CHECK(refused_field([](Load& load) { load.runtime_ns = 0; }) == "runtime");
  CHECK(refused_field([](Load& load) { load.runtime_ns = ~std::uint64_t{0}; }) == "runtime");
}

TEST_CASE("a region that ends beyond 2^63 bytes is refused however its two numbers share the sum") {
  const std::uint64_t large = std::uint64_t{1} << 62;
  const auto refused = [](std::uint64_t offset, std::uint64_t size) {
    return refused_field([=](Load& load) {
      load.offset_bytes = offset;
      load.size_bytes = size;
    });
  };
  CHECK(refused(large, large) == "size");
  CHECK(refused(0, ~std::uint64_t{4095}) == "size");
  CHECK(refused(large, large - 4096).empty());
}

TEST_CASE("threads are bounded by their product, 64 x 64 and not 65 x 64") {
  const auto refused = [](std::uint32_t numjobs, std::uint32_t iodepth) {
    return refused_field([=](Load& load) {
      load.ioengine = IoEngine::threads;
      load.numjobs = numjobs;
      load.iodepth = iodepth;
    });
  };
  CHECK(refused(64, 64).empty());
  CHECK(refused(65, 64) == "iodepth");
}

TEST_CASE("workloads and engines are spelled as fio spells them, there and back") {
  CHECK(to_string(Rw::randwrite) == "randwrite");
  CHECK(to_string(IoEngine::automatic) == "auto");
  for (const Rw rw : {Rw::read, Rw::write, Rw::randread, Rw::randwrite, Rw::rw, Rw::randrw})
    CHECK(parse_rw(to_string(rw)) == rw);
  for (const IoEngine ioengine : {IoEngine::automatic, IoEngine::io_uring, IoEngine::psync,
                                  IoEngine::threads, IoEngine::mmap, IoEngine::null})
    CHECK(parse_ioengine(to_string(ioengine)) == ioengine);
  CHECK_FALSE(parse_rw("trim").has_value());
  CHECK_FALSE(parse_ioengine("libaio").has_value());
}
