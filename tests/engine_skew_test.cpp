// Offsets that repeat nothing, and offsets that like some blocks more than others.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "daemon/engine/loop.h"
#include "daemon/engine/permutation.h"
#include "daemon/engine/skew.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

Region blocks_of(std::uint64_t blocks, std::uint32_t share = 0, std::uint32_t shares = 1) {
  Region region;
  region.begin_bytes = 1 << 20;
  region.blocks = blocks;
  region.share = share;
  region.shares = shares;
  region.seed = share + 1;
  region.common_seed = 42;
  return region;
}

std::uint64_t block_of(std::uint64_t offset) {
  return (offset - (1 << 20)) / 4096;
}

}  // namespace

TEST_CASE("a permutation has every number once, whether or not their count is a power of two") {
  for (const std::uint64_t count : {1U, 2U, 3U, 5U, 7U, 8U, 1000U, 1023U, 1024U, 1025U, 99'991U}) {
    CAPTURE(count);
    const Permutation order(count, 7);
    std::vector<int> seen(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      REQUIRE(order.at(i) < count);
      ++seen[order.at(i)];
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(count));
  }
}

TEST_CASE("a permutation stays inside the largest region there is") {
  const std::uint64_t count = (std::uint64_t{1} << 54) + 12'345;  // 2^63 bytes of 512 and more
  const Permutation order(count, 1);
  for (std::uint64_t i = 0; i < 1000; ++i) CHECK(order.at(count - 1 - i) < count);
}

TEST_CASE("neighbours in a permutation are a third of the region apart, as those of chance are") {
  for (const std::uint64_t count : {std::uint64_t{100'003}, std::uint64_t{1} << 24}) {
    const Permutation order(count, 3);
    double distance = 0;
    int close = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto step =
          std::abs(static_cast<double>(order.at(i + 1)) - static_cast<double>(order.at(i)));
      distance += step / static_cast<double>(count) / 20'000;
      close += step < static_cast<double>(count) / 100 ? 1 : 0;
    }
    CHECK(distance > 0.32);  // 0.333 expected
    CHECK(distance < 0.35);
    CHECK(close > 300);  // 2 % of 20 000 are expected within 1 %
    CHECK(close < 500);
  }
}

TEST_CASE("another seed shuffles otherwise") {
  const Permutation one(1000, 1), other(1000, 2);
  int equal = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) equal += one.at(i) == other.at(i) ? 1 : 0;
  CHECK(equal < 10);  // one is expected
}

TEST_CASE("the first lap of all workers together is every block exactly once") {
  for (const std::uint32_t workers : {1U, 3U, 4U, 32U}) {
    std::vector<int> seen(1001);
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      const Region region = blocks_of(1001, worker, workers);
      PermutedOffsets offsets(region);
      const std::uint64_t slice = slice_begin(region, worker + 1) - slice_begin(region, worker);
      for (std::uint64_t i = 0; i < slice; ++i) ++seen[block_of(offsets.next())];
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == 1001);
  }
}

TEST_CASE("five jobs on two files: three share the first one's blocks, two the other's") {
  for (const std::uint32_t threads : {1U, 4U}) {
    Load load;
    load.ioengine = threads == 1 ? IoEngine::psync : IoEngine::threads;
    load.numjobs = 5;
    load.iodepth = threads;
    load.files = 2;
    load.size_bytes = 100 * 4096;
    load.seed = 42;
    const Board& board = *make_board(load, 4);
    std::vector<int> seen(200);
    for (std::uint32_t i = 0; i < board.worker_count; ++i) {
      const Worker& worker = board.workers[i];
      const Region region = region_of(worker, board);
      CHECK(region.shares == (worker.job % 2 == 0 ? 3 : 2) * threads);
      REQUIRE(region.share < region.shares);
      PermutedOffsets offsets(region);
      const std::uint64_t slice =
          slice_begin(region, region.share + 1) - slice_begin(region, region.share);
      for (std::uint64_t k = 0; k < slice; ++k)
        ++seen[worker.job % 2 * 100 + offsets.next() / 4096];
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == 200);
  }
}

TEST_CASE("the second lap of a worker goes over its blocks again") {
  PermutedOffsets offsets(blocks_of(10, 1, 2));
  std::vector<std::uint64_t> lap;
  for (int i = 0; i < 5; ++i) lap.push_back(offsets.next());
  for (int i = 0; i < 5; ++i) CHECK(offsets.next() == lap[static_cast<std::size_t>(i)]);
}

TEST_CASE("a hundred workers on three blocks all have one to work on") {
  for (std::uint32_t worker = 0; worker < 100; ++worker) {
    PermutedOffsets offsets(blocks_of(3, worker, 100));
    for (int i = 0; i < 3; ++i) CHECK(block_of(offsets.next()) < 3);
  }
}

TEST_CASE("zeta of four powers of two is 205/144, and long sums agree with adding up by hand") {
  CHECK(zeta(4, 2) == doctest::Approx(205.0 / 144).epsilon(1e-14));  // 1 + 1/4 + 1/9 + 1/16
  for (const double theta : {0.5, 0.99, 1.2, 3.0}) {
    double sum = 0;
    for (int i = 1'000'000; i >= 1; --i) sum += std::pow(i, -theta);
    CHECK(zeta(1'000'000, theta) == doctest::Approx(sum).epsilon(1e-10));
  }
}

TEST_CASE("zipf:2 over four blocks: the hottest gets 144/205 of the I/Os, the next 36/205") {
  const Zipf zipf(4, 2);
  CHECK(zipf.rank(0) == 0);
  CHECK(zipf.rank(0.7024) == 0);  // 144/205 = 0.702439
  CHECK(zipf.rank(0.7025) == 1);
  CHECK(zipf.rank(0.8780) == 1);  // 180/205 = 0.878049
  CHECK(zipf.rank(0.8781) == 2);
  CHECK(zipf.rank(0.999999) == 3);
}

TEST_CASE("zipf stays inside regions of one and two blocks, and next to theta = 1") {
  for (const double uniform : {0.0, 0.3, 0.6, 0.9, 0x1.fffffffffffffp-1}) {
    CHECK(Zipf(1, 1.2).rank(uniform) == 0);
    CHECK(Zipf(2, 0.8).rank(uniform) <= 1);
    for (const double theta : {0.001, 0.999999, 1.000001, 10.0})
      CHECK(Zipf(1'000'000, theta).rank(uniform) < 1'000'000);
  }
  // A third of the way up, ranks follow the power law: half of zipf:0.5's I/Os go to a quarter of
  // the blocks, for the sum of i^-0.5 is about 2 sqrt(n).
  CHECK(Zipf(1'000'000, 0.5).rank(0.5) == doctest::Approx(250'000).epsilon(0.01));
}

TEST_CASE("pareto:0.2 sends 80 percent of the I/Os to 20 percent of the blocks") {
  const Pareto pareto(1001, 0.2);
  CHECK(pareto.rank(0) == 0);
  CHECK(pareto.rank(0.7999) == 199);
  CHECK(pareto.rank(0.8001) == 200);
  CHECK(pareto.rank(0.6399) == 39);  // and 64 percent to 4 percent: 0.8 of 0.8 to 0.2 of 0.2
  CHECK(pareto.rank(0.6401) == 40);
  CHECK(pareto.rank(0x1.fffffffffffffp-1) <= 1000);
}

TEST_CASE("hot blocks lie apart, and all workers of a run find the same ones hot") {
  std::vector<std::uint64_t> hottest;
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    Region region = blocks_of(1000, worker, 2);
    region.distribution = {Distribution::zipf, 1.2};
    SkewedOffsets offsets(region);
    std::vector<int> seen(1000);
    for (int i = 0; i < 100'000; ++i) ++seen[block_of(offsets.next())];
    const auto first = std::max_element(seen.begin(), seen.end());
    // 1 / zeta(1000, 1.2) = 0.2307 of 100 000; one deviation is 133.
    CHECK(*first > 22'400);
    CHECK(*first < 23'700);
    hottest.push_back(static_cast<std::uint64_t>(first - seen.begin()));
    *first = 0;
    const auto second = std::max_element(seen.begin(), seen.end());
    CHECK(*second > 9'600);  // 2^-1.2 of it: 10 041
    CHECK(*second < 10'500);
    CHECK(std::abs(second - first) > 1);
  }
  CHECK(hottest[0] == hottest[1]);
}
