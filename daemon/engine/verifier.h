// `verify`: every block that is written carries a seal, which says where it belongs, how often it
// has been written, and a CRC-32C of all the rest. A read looks at the seals of this run, and when
// the run is over a last pass reads back all that it wrote. One owner: the blocks of a worker are
// its own, or nobody could say which write came last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "daemon/engine/files.h"
#include "daemon/engine/loop.h"
#include "daemon/engine/worker.h"

namespace iobenchd::engine {

// The first bytes of a block, in the machine's own order: nobody else ever reads them.
struct Seal {
  std::uint32_t magic = 0;
  std::uint32_t crc = 0;  // of all that follows
  std::uint64_t offset_bytes = 0;
  std::uint64_t generation = 0;  // 1: written once in this run
  std::uint64_t run = 0;         // no two runs have the same
};
static_assert(sizeof(Seal) == 32);

void put_seal(std::byte* block, std::size_t block_bytes, Seal seal) noexcept;

// What is wrong with a block that should carry `wanted`; empty: nothing. The text is in `room`.
using FaultText = std::array<char, 200>;
[[nodiscard]] std::string_view fault_of(const std::byte* block, std::size_t block_bytes,
                                        const Seal& wanted, FaultText& room) noexcept;

class Verifier {
 public:
  Verifier(Worker& worker, const Board& board) noexcept;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  ~Verifier();

  // Gets all the memory there will be. False with the failure in the worker.
  [[nodiscard]] bool prepare() noexcept;

  // A block that nothing is in flight to, which from now on something is.
  template <class Offsets>
  [[nodiscard]] std::uint64_t take(Offsets& offsets) noexcept {
    std::uint64_t offset = offsets.next();
    while (in_flight(offset)) offset = offsets.next();
    entry(offset) |= busy;
    return offset;
  }

  // The block is about to be written.
  void seal(std::byte* block, std::uint64_t offset) noexcept;

  // It is not going to be transferred after all.
  void give_up(bool write, std::uint64_t offset) noexcept;

  // The transfer has ended well; what was read is looked at. False with the failure in the worker.
  [[nodiscard]] bool settle(bool write, const std::byte* block, std::uint64_t offset) noexcept;

  // Reads all that was written, after the last transfer. What is wrong is in the worker.
  void read_back() noexcept;

 private:
  static constexpr std::uint32_t busy = 1U << 31;

  [[nodiscard]] std::uint32_t& entry(std::uint64_t offset) const noexcept {
    return generations_[(offset - region_.begin_bytes) / region_.block_bytes];
  }
  [[nodiscard]] bool in_flight(std::uint64_t offset) const noexcept {
    return (entry(offset) & busy) != 0;
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t block) const noexcept {
    return region_.begin_bytes + block * region_.block_bytes;
  }
  [[nodiscard]] bool check(const std::byte* block, std::uint64_t offset) noexcept;
  [[nodiscard]] bool wait_for_leave() const noexcept;
  [[nodiscard]] bool flush() noexcept;
  [[nodiscard]] bool read_back(std::uint64_t first, std::uint64_t end) noexcept;

  Worker& worker_;
  const Board& board_;
  Region region_;
  Files files_;
  std::uint32_t* generations_ = nullptr;  // of each block: how often written, and whether busy
  std::uint64_t chunk_blocks_ = 1;        // read back at once
  Buffers chunk_;
};

// What the loops see of it, chosen once as all else is: a run without verify pays nothing.
struct Unverified {
  static constexpr bool verifies = false;
  explicit Unverified(const Worker&) noexcept {}
  template <class Offsets>
  static std::uint64_t take(Offsets& offsets) noexcept {
    return offsets.next();
  }
  static void seal(std::byte*, std::uint64_t) noexcept {}
  static void give_up(bool, std::uint64_t) noexcept {}
  static constexpr bool settle(bool, const std::byte*, std::uint64_t) noexcept { return true; }
};

class Verified {
 public:
  static constexpr bool verifies = true;
  explicit Verified(const Worker& worker) noexcept : verifier_(*worker.verifier) {}
  template <class Offsets>
  std::uint64_t take(Offsets& offsets) noexcept {
    return verifier_.take(offsets);
  }
  void seal(std::byte* block, std::uint64_t offset) noexcept { verifier_.seal(block, offset); }
  void give_up(bool write, std::uint64_t offset) noexcept { verifier_.give_up(write, offset); }
  bool settle(bool write, const std::byte* block, std::uint64_t offset) noexcept {
    return verifier_.settle(write, block, offset);
  }

 private:
  Verifier& verifier_;
};

}  // namespace iobenchd::engine
