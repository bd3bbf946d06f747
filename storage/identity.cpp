#include "storage/identity.h"

#include <unistd.h>

#include <array>
#include <cstring>

#include "daemon/model/error.h"

namespace iobenchd::storage {
namespace {

template <std::size_t N>
std::array<std::uint8_t, N> random_bytes() {
  std::array<std::uint8_t, N> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    throw Error(ErrorCode::internal, "the system gives no random bytes (getentropy)");
  }
  return bytes;
}

}  // namespace

std::string uuid_v7(std::int64_t wall_ns) {
  auto bytes = random_bytes<16>();
  const auto milliseconds = static_cast<std::uint64_t>(wall_ns / 1'000'000);
  for (std::size_t i = 0; i < 6; ++i) {
    bytes[i] = static_cast<std::uint8_t>(milliseconds >> (40 - 8 * i));
  }
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x70);  // version 7
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);  // RFC 9562's variant
  constexpr const char* hex = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex[bytes[i] >> 4];
    text += hex[bytes[i] & 15];
  }
  return text;
}

std::uint64_t random_seed() {
  const auto bytes = random_bytes<8>();
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value >> 11;
}

}  // namespace iobenchd::storage
