#include "daemon/engine/crc32c.h"

#include <array>

namespace iobenchd::engine {
namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // bits in the order they are sent
constexpr std::size_t lanes = 8;

// tables[k][b]: what byte b does to the remainder when k bytes follow it.
constexpr std::array<std::array<std::uint32_t, 256>, lanes> make_tables() {
  std::array<std::array<std::uint32_t, 256>, lanes> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? polynomial : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < lanes; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  return tables;
}
constexpr auto tables = make_tables();

}  // namespace

std::uint32_t crc32c(const std::byte* data, std::size_t bytes) noexcept {
  const auto at = [data](std::size_t i) { return static_cast<std::uint32_t>(data[i]); };
  std::uint32_t rest = ~std::uint32_t{0};
  std::size_t i = 0;
  for (; i + lanes <= bytes; i += lanes) {
    const std::uint32_t low = rest ^ (at(i) | at(i + 1) << 8 | at(i + 2) << 16 | at(i + 3) << 24);
    rest = tables[7][low & 0xFF] ^ tables[6][(low >> 8) & 0xFF] ^ tables[5][(low >> 16) & 0xFF] ^
           tables[4][low >> 24] ^ tables[3][at(i + 4)] ^ tables[2][at(i + 5)] ^
           tables[1][at(i + 6)] ^ tables[0][at(i + 7)];
  }
  for (; i < bytes; ++i) rest = (rest >> 8) ^ tables[0][(rest ^ at(i)) & 0xFF];
  return ~rest;
}

}  // namespace iobenchd::engine
