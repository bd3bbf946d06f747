#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "daemon/engine/payload.h"

namespace {

using namespace iobenchd::engine;

std::string sector(const std::vector<std::byte>& block, std::size_t index) {
  return {reinterpret_cast<const char*>(block.data()) + index * sector_bytes, sector_bytes};
}

}  // namespace

TEST_CASE("no sector is ever written twice, by one worker or by two") {
  const std::vector<std::byte> pool = make_pool(1);
  Payload first(pool.data(), 0);
  Payload second(pool.data(), 1);
  std::vector<std::byte> block(8192);
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    (i % 2 == 0 ? first : second).fill(block.data(), block.size());
    for (std::size_t s = 0; s < 16; ++s) CHECK(seen.insert(sector(block, s)).second);
  }
  CHECK(seen.size() == 3200);
}

TEST_CASE("written bytes use every value about equally, so that nothing compresses") {
  const std::vector<std::byte> pool = make_pool(1);
  Payload payload(pool.data(), 0);
  std::vector<std::byte> block(1 << 20);  // 4096 of each value expected, 64 is one deviation
  payload.fill(block.data(), block.size());
  std::array<int, 256> seen{};
  for (const std::byte byte : block) ++seen[static_cast<std::size_t>(byte)];
  // The stamps, 8 bytes of 512, are mostly zeroes: up to 7 * 2048 more of them.
  for (std::size_t value = 1; value < 256; ++value) {
    CHECK(seen[value] > 3500);
    CHECK(seen[value] < 6200);
  }
  CHECK(seen[0] < 4500 + 7 * 2048);
}

TEST_CASE("the largest block is filled to its last byte") {
  const std::vector<std::byte> pool = make_pool(7);
  Payload payload(pool.data(), 0);
  std::vector<std::byte> block(16 << 20);
  payload.fill(block.data(), block.size());
  std::size_t zero_words = 0;
  for (std::size_t i = 0; i < block.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + i, 8);
    zero_words += word == 0 ? 1 : 0;
  }
  CHECK(zero_words == 0);
}

TEST_CASE("buffer_compress_percentage=50 leaves 256 bytes of each sector, 100 its stamp alone") {
  CHECK(zeroes_of_sector(0) == 0);
  CHECK(zeroes_of_sector(50) == 256);
  CHECK(zeroes_of_sector(1) == 5);     // 5.12
  CHECK(zeroes_of_sector(99) == 504);  // 506.88 would touch the stamp
  CHECK(zeroes_of_sector(100) == 504);
  const std::vector<std::byte> pool = make_pool(1);
  for (const std::uint32_t percentage : {50U, 100U}) {
    Payload payload(pool.data(), 0, percentage);
    std::vector<std::byte> block(8192);
    std::set<std::string> seen;
    payload.fill(block.data(), block.size());
    for (std::size_t s = 0; s < 16; ++s) {
      const std::string one = sector(block, s);
      const std::size_t zeroes = zeroes_of_sector(percentage);
      CHECK(one.substr(sector_bytes - zeroes) == std::string(zeroes, '\0'));
      if (percentage == 50) CHECK(one.find_first_not_of('\0', 200) < 256);
      CHECK(seen.insert(one).second);  // still unlike every other
    }
  }
}
