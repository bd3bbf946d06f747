// verify: what a written block carries, what is said of one that isn't as it was written, and runs
// that look.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/engine/crc32c.h"
#include "daemon/engine/offsets.h"
#include "daemon/engine/verifier.h"
#include "tests/engine_process.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

constexpr std::size_t block_bytes = 4096;
using Block = std::vector<std::byte>;

std::uint32_t crc_of(std::string_view text) {
  return crc32c(reinterpret_cast<const std::byte*>(text.data()), text.size());
}

Seal seal_of(std::uint64_t offset, std::uint64_t generation, std::uint64_t run) {
  Seal seal;
  seal.offset_bytes = offset;
  seal.generation = generation;
  seal.run = run;
  return seal;
}

std::string fault_in(const Block& block, const Seal& wanted) {
  FaultText room{};
  return std::string(fault_of(block.data(), block.size(), wanted, room));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// One worker on a file of eight blocks, as the engine would have it.
class Bench {
 public:
  Bench() : file_(8 * block_bytes) {
    Load load = engine_test::small_load(IoEngine::psync, Rw::randrw);
    load.numjobs = 1;
    load.size_bytes = 8 * block_bytes;
    load.workload.verify = 1;
    descriptor_ = open(file_.path().c_str(), O_RDWR);
    REQUIRE(descriptor_ >= 0);
    board = make_board(load, descriptor_);
    REQUIRE(board != nullptr);
    board->may_read_back = 1;
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { close(descriptor_); }

  // Of a region so large; the file stays as short as it is.
  void claim(std::uint64_t bytes) const { board->load.size_bytes = bytes; }
  [[nodiscard]] Worker& worker() const { return board->workers[0]; }
  void write_sealed(Verifier& verifier, std::uint64_t offset) const {
    Block block(block_bytes);
    verifier.seal(block.data(), offset);
    put(block, offset);
    REQUIRE(verifier.settle(true, block.data(), offset));
  }
  void put(const Block& block, std::uint64_t offset) const {
    REQUIRE(pwrite(descriptor_, block.data(), block.size(), static_cast<off_t>(offset)) ==
            static_cast<ssize_t>(block.size()));
  }
  [[nodiscard]] Block get(std::uint64_t offset) const {
    Block block(block_bytes);
    REQUIRE(pread(descriptor_, block.data(), block.size(), static_cast<off_t>(offset)) ==
            static_cast<ssize_t>(block.size()));
    return block;
  }

  Board* board = nullptr;

 private:
  engine_test::TemporaryFile file_;
  int descriptor_ = -1;
};

Load verifying_load(IoEngine ioengine, Rw rw) {
  Load load = engine_test::small_load(ioengine, rw);
  load.workload.verify = 1;
  return load;
}

}  // namespace

TEST_CASE("CRC-32C gives the sums of RFC 3720, appendix B.4") {
  CHECK(crc_of("123456789") == 0xE3069283);
  CHECK(crc_of(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc_of(std::string(32, '\xFF')) == 0x62A8AB43);
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending += c;
  CHECK(crc_of(ascending) == 0x46DD794E);
  CHECK(crc_of("") == 0);
}

TEST_CASE("a sealed block is found as written") {
  Block block(block_bytes, std::byte{7});
  put_seal(block.data(), block.size(), seal_of(8192, 3, 99));
  CHECK(fault_in(block, seal_of(8192, 3, 99)).empty());
}

TEST_CASE("whatever is wrong with a block is said in words") {
  Block block(block_bytes, std::byte{7});
  put_seal(block.data(), block.size(), seal_of(8192, 3, 99));
  CHECK(fault_in(block, seal_of(8192, 4, 99)) ==
        "it holds generation 3 where 4 was written: the last write was lost");
  CHECK(fault_in(block, seal_of(4096, 3, 99)) ==
        "it holds the block of offset 8192: a write went astray");
  CHECK(contains(fault_in(block, seal_of(8192, 3, 98)), "nothing of this run"));
  CHECK(contains(fault_in(Block(block_bytes), seal_of(8192, 3, 99)), "nothing of this run"));
  block[block_bytes - 1] ^= std::byte{1};  // a single bit, in the last byte
  CHECK(contains(fault_in(block, seal_of(8192, 3, 99)), "the data has changed"));
}

TEST_CASE("a block that something is in flight to is not taken a second time") {
  const Bench bench;
  Verifier verifier(bench.worker(), *bench.board);
  REQUIRE(verifier.prepare());
  RandomOffsets offsets(region_of(bench.worker(), *bench.board));
  std::array<int, 8> times{};
  for (int i = 0; i < 8; ++i) ++times[verifier.take(offsets) / block_bytes];
  for (const int each : times) CHECK(each == 1);
}

TEST_CASE("the last pass finds everything as written, and counts it") {
  const Bench bench;
  Verifier verifier(bench.worker(), *bench.board);
  REQUIRE(verifier.prepare());
  for (const std::uint64_t offset : {0U, 4096U, 28672U, 4096U})
    bench.write_sealed(verifier, offset);
  verifier.read_back();
  CHECK_FALSE(bench.worker().failed());
  CHECK(bench.worker().to_read_back_bytes == 3 * block_bytes);  // one of them twice
  CHECK(bench.worker().read_back_bytes == 3 * block_bytes);
  CHECK(bench.worker().verified_bytes == 3 * block_bytes);
}

TEST_CASE("the table of a large disk takes no memory where nothing was written") {
  std::ifstream statm("/proc/self/statm");
  if (!statm) return;
  const auto resident_bytes = [&statm] {
    std::uint64_t whole = 0, resident = 0;
    statm.clear();
    statm.seekg(0);
    statm >> whole >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  };
  const Bench bench;
  bench.claim(std::uint64_t{256} << 30);  // 64 Mi blocks: 256 MiB of table
  Verifier verifier(bench.worker(), *bench.board);
  REQUIRE(verifier.prepare());
  bench.write_sealed(verifier, 4096);
  const std::uint64_t before = resident_bytes();
  verifier.read_back();
  CHECK_FALSE(bench.worker().failed());
  CHECK(bench.worker().verified_bytes == block_bytes);
  CHECK(resident_bytes() < before + (std::uint64_t{64} << 20));
}

TEST_CASE("a block that has changed behind the run's back is named by the last pass") {
  const Bench bench;
  Verifier verifier(bench.worker(), *bench.board);
  REQUIRE(verifier.prepare());
  bench.write_sealed(verifier, 8192);
  bench.write_sealed(verifier, 20480);
  SUBCASE("a bit has flipped") {
    Block block = bench.get(20480);
    block[100] ^= std::byte{4};
    bench.put(block, 20480);
    verifier.read_back();
    CHECK(contains(bench.worker().failure.text.data(), "the data has changed"));
  }
  SUBCASE("it was overwritten by another block") {
    bench.put(bench.get(8192), 20480);
    verifier.read_back();
    CHECK(contains(bench.worker().failure.text.data(), "holds the block of offset 8192"));
  }
  SUBCASE("it is as it was before the last write") {
    const Block before = bench.get(20480);
    bench.write_sealed(verifier, 20480);
    bench.put(before, 20480);
    verifier.read_back();
    CHECK(contains(bench.worker().failure.text.data(), "generation 1 where 2 was written"));
  }
  SUBCASE("it is gone") {
    bench.put(Block(block_bytes), 20480);
    verifier.read_back();
    CHECK(contains(bench.worker().failure.text.data(), "nothing of this run stands there"));
  }
  CHECK(std::string(bench.worker().failure.operation.data()) == "verify");
  CHECK(bench.worker().failure.offset_bytes == 20480);
  CHECK(bench.worker().failure.error_number == 0);
}

TEST_CASE("a read during the run looks at what the run has written, and at nothing else") {
  const Bench bench;
  Verifier verifier(bench.worker(), *bench.board);
  REQUIRE(verifier.prepare());
  CHECK(verifier.settle(false, Block(block_bytes).data(), 4096));  // never written: not ours
  bench.write_sealed(verifier, 4096);
  Block block = bench.get(4096);
  CHECK(verifier.settle(false, block.data(), 4096));
  CHECK(bench.worker().verified_bytes == block_bytes);
  block[4000] ^= std::byte{1};
  CHECK_FALSE(verifier.settle(false, block.data(), 4096));
  CHECK(bench.worker().failure.offset_bytes == 4096);
}

TEST_CASE("a write that was made and never sent is not missed") {
  const Bench bench;
  Verifier verifier(bench.worker(), *bench.board);
  REQUIRE(verifier.prepare());
  bench.write_sealed(verifier, 4096);
  Block block(block_bytes);
  for (const std::uint64_t offset : {4096U, 12288U}) {
    verifier.seal(block.data(), offset);
    verifier.give_up(true, offset);
  }
  verifier.read_back();
  CHECK_FALSE(bench.worker().failed());
  CHECK(bench.worker().verified_bytes == block_bytes);
}

TEST_CASE("a run with verify writes with every engine, reads it all back, and says how much") {
  const bool no_uring = engine_test::io_uring_forbidden();
  const engine_test::TemporaryFile file(1 << 20);
  for (const IoEngine ioengine :
       {IoEngine::psync, IoEngine::threads, IoEngine::mmap, IoEngine::io_uring}) {
    if (ioengine == IoEngine::io_uring && no_uring) continue;
    for (const std::uint64_t rate : {0U, 20'000U}) {
      CAPTURE(to_string(ioengine));
      CAPTURE(rate);
      Load load = verifying_load(ioengine, rate == 0 ? Rw::write : Rw::randrw);
      load.workload.rate_iops = rate;
      const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
      CHECK(outcome.exit_status == 0);
      REQUIRE(outcome.finals.size() == 1);
      const FinalBody& final = outcome.finals[0];
      CHECK((final.write.ios == 0 || final.verified_bytes > 0));
      // Of writes alone no block is looked at twice.
      CHECK((mixed(load.rw) || final.verified_bytes <= load.size_bytes));
      CHECK(final.verified_bytes % load.block_bytes == 0);
    }
  }
}

TEST_CASE("ramp and measured time are what they are without verify") {
  const engine_test::TemporaryFile file(1 << 20);
  const Load load = verifying_load(IoEngine::psync, Rw::randwrite);
  const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
  REQUIRE(outcome.finals.size() == 1);
  CHECK(outcome.span_ns(Phase::measure) == load.runtime_ns);
  CHECK(outcome.span_ns(Phase::ramp) == load.ramp_ns);
  bool read_back = false;
  for (const Frame& tick : outcome.ticks) read_back |= tick.header.phase == Phase::verify;
  CHECK(read_back);
}

TEST_CASE("a job that has moved io_size reads back what it wrote") {
  const engine_test::TemporaryFile file(1 << 20);
  Load load = verifying_load(IoEngine::psync, Rw::write);
  load.numjobs = 1;
  load.ramp_ns = 0;
  load.runtime_ns = 60'000'000'000;
  load.workload.io_size_bytes = 64 << 10;
  const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
  REQUIRE(outcome.finals.size() == 1);
  CHECK(outcome.finals[0].write.bytes == 64 << 10);
  CHECK(outcome.finals[0].verified_bytes == 64 << 10);
}

TEST_CASE("a target that takes every write and keeps none fails the run, which names a block") {
  if (access("/dev/zero", W_OK) != 0) return;
  for (const Rw rw : {Rw::randwrite, Rw::randrw}) {
    const engine_test::Outcome outcome =
        engine_test::run_engine(verifying_load(IoEngine::psync, rw), "/dev/zero");
    REQUIRE(outcome.failures.size() == 1);
    const FailureBody& failure = outcome.failures[0];
    CHECK(std::string(failure.operation.data()) == "verify");
    CHECK(failure.offset_bytes % block_bytes == 0);
    CHECK(contains(failure.text.data(), "the block of 4096 bytes isn't as written"));
  }
}

TEST_CASE("a region too small for what is in flight is refused before the run") {
  const engine_test::TemporaryFile file(1 << 20);
  Load load = verifying_load(IoEngine::psync, Rw::randwrite);
  load.size_bytes = 3 * block_bytes;  // for two jobs: one of them has a single block
  const engine_test::Outcome outcome = engine_test::run_engine(load, file.path());
  REQUIRE(outcome.failures.size() == 1);
  CHECK(outcome.failed_in == Phase::starting);
  CHECK(contains(outcome.failures[0].text.data(), "too few blocks"));
}

TEST_CASE("a stop during the last pass ends it") {
  const engine_test::TemporaryFile file(1 << 20);
  const engine_test::Outcome outcome =
      engine_test::run_engine(verifying_load(IoEngine::psync, Rw::randwrite), file.path(),
                              [](engine_test::EngineProcess& engine, const Frame& frame) {
                                if (frame.header.phase == Phase::verify) engine.send_stop();
                              });
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.failures.empty());
  CHECK(outcome.finals.size() == 1);
}
