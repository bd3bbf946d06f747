#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "daemon/engine/offsets.h"

namespace {

using namespace iobenchd::engine;

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

Region eight_blocks(std::uint32_t share, std::uint32_t shares) {
  Region region;
  region.begin_bytes = 1 << 20;
  region.blocks = 8;
  region.block_bytes = 4096;
  region.share = share;
  region.shares = shares;
  region.seed = 42;
  return region;
}

}  // namespace

TEST_CASE("scaling a random number never reaches the count, whatever the count") {
  CHECK(scale_down(0, 8) == 0);
  CHECK(scale_down(all_ones, 8) == 7);
  CHECK(scale_down(all_ones, 1) == 0);
  CHECK(scale_down(std::uint64_t{1} << 63, 8) == 4);  // one half of eight
  // Beyond 2^32 blocks, where the count needs its upper half.
  const std::uint64_t large = (std::uint64_t{1} << 40) + 5;
  CHECK(scale_down(all_ones, large) < large);
  CHECK(scale_down(all_ones, large) >= large - 2);
  CHECK(scale_down(std::uint64_t{1} << 63, large) == large / 2);
  CHECK(scale_down(all_ones, all_ones) < all_ones);
}

TEST_CASE("random offsets are whole blocks inside the region, each block about equally often") {
  RandomOffsets offsets(eight_blocks(0, 1));
  std::array<int, 8> seen{};
  for (int i = 0; i < 80'000; ++i) {
    const std::uint64_t offset = offsets.next();
    REQUIRE(offset >= 1 << 20);
    REQUIRE((offset - (1 << 20)) % 4096 == 0);
    REQUIRE((offset - (1 << 20)) / 4096 < 8);
    ++seen[(offset - (1 << 20)) / 4096];
  }
  // 10 000 each is expected, one standard deviation is 94: seeded, so this never flickers.
  for (const int count : seen) {
    CHECK(count > 9'500);
    CHECK(count < 10'500);
  }
}

TEST_CASE("the same seed asks for the same blocks, another seed for others") {
  Region region = eight_blocks(0, 1);
  region.blocks = 1'000'000;
  RandomOffsets first(region);
  RandomOffsets again(region);
  region.seed = 43;
  RandomOffsets other(region);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t offset = first.next();
    CHECK(again.next() == offset);
    equal += other.next() == offset ? 1 : 0;
  }
  CHECK(equal < 3);
}

TEST_CASE("four sequential workers start a quarter of the region apart") {
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    SequentialOffsets offsets(eight_blocks(worker, 4));
    CHECK(offsets.next() == (1 << 20) + worker * 2 * 4096);
  }
  // Three workers on eight blocks: 8 * i / 3 = 0, 2, 5.
  CHECK(SequentialOffsets(eight_blocks(1, 3)).next() == (1 << 20) + 2 * 4096);
  CHECK(SequentialOffsets(eight_blocks(2, 3)).next() == (1 << 20) + 5 * 4096);
}

TEST_CASE("more sequential workers than blocks still start inside the region") {
  for (std::uint32_t worker = 0; worker < 100; ++worker) {
    const std::uint64_t offset = SequentialOffsets(eight_blocks(worker, 100)).next();
    CHECK(offset < (1 << 20) + 8 * 4096);
  }
}

TEST_CASE("a sequential worker wraps at the end of the region and visits every block once a lap") {
  SequentialOffsets offsets(eight_blocks(3, 4));
  const std::vector<std::uint64_t> blocks{6, 7, 0, 1, 2, 3, 4, 5, 6};
  for (const std::uint64_t block : blocks) CHECK(offsets.next() == (1 << 20) + block * 4096);
}
