#include "daemon/engine/verifier.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <limits>

#include "daemon/engine/crc32c.h"
#include "daemon/engine/failure.h"
#include "daemon/engine/os.h"

namespace iobenchd::engine {
namespace {

constexpr std::uint32_t seal_magic = 0x494F4256;  // "IOBV"
constexpr std::size_t unsummed_bytes = offsetof(Seal, offset_bytes);
constexpr std::uint32_t chunk_bytes = 128U << 10;

std::uint32_t sum_of(const std::byte* block, std::size_t block_bytes) noexcept {
  return crc32c(block + unsummed_bytes, block_bytes - unsummed_bytes);
}

// The control thread looks at it meanwhile.
void count(std::uint64_t& counter, std::uint64_t more) noexcept {
  __atomic_store_n(&counter, counter + more, __ATOMIC_RELAXED);
}

}  // namespace

void put_seal(std::byte* block, std::size_t block_bytes, Seal seal) noexcept {
  seal.magic = seal_magic;
  std::memcpy(block, &seal, sizeof(seal));
  seal.crc = sum_of(block, block_bytes);
  std::memcpy(block, &seal, sizeof(seal));
}

std::string_view fault_of(const std::byte* block, std::size_t block_bytes, const Seal& wanted,
                          FaultText& room) noexcept {
  Seal found;
  std::memcpy(&found, block, sizeof(found));
  if (found.magic != seal_magic || found.run != wanted.run)
    return "nothing of this run stands there: the write was lost, or the block has been "
           "overwritten";
  const std::uint32_t sum = sum_of(block, block_bytes);
  if (sum != found.crc) {
    std::snprintf(room.data(), room.size(),
                  "its CRC-32C is %08" PRIx32 " where %08" PRIx32
                  " was written: the data has changed",
                  sum, found.crc);
    return room.data();
  }
  if (found.offset_bytes != wanted.offset_bytes) {
    std::snprintf(room.data(), room.size(),
                  "it holds the block of offset %" PRIu64 ": a write went astray",
                  found.offset_bytes);
    return room.data();
  }
  if (found.generation != wanted.generation) {
    std::snprintf(room.data(), room.size(),
                  "it holds generation %" PRIu64 " where %" PRIu64
                  " was written: the last write was lost",
                  found.generation, wanted.generation);
    return room.data();
  }
  return {};
}

Verifier::Verifier(Worker& worker, const Board& board) noexcept
    : worker_(worker),
      board_(board),
      region_(region_of(worker, board)),
      files_(worker, board),
      chunk_blocks_(std::max(1U, chunk_bytes / region_.block_bytes)) {}

Verifier::~Verifier() {
  if (generations_ != nullptr)
    munmap(generations_, static_cast<std::size_t>(region_.blocks) * sizeof(*generations_));
}

bool Verifier::prepare() noexcept {
  // With fewer, a search for one that is not in flight might never end.
  const std::uint64_t in_flight =
      board_.load.ioengine == IoEngine::io_uring ? board_.load.iodepth : 1;
  const std::uint64_t least = 2 * in_flight;
  if (region_.blocks < least) {
    worker_.fail("verify", 0, region_.begin_bytes,
                 "a job's part of the region has too few blocks for what it keeps in flight: ask "
                 "for a larger size, or for less numjobs or iodepth");
    return false;
  }
  const std::uint64_t bytes = region_.blocks * sizeof(*generations_);
  void* memory = MAP_FAILED;
  errno = ENOMEM;
  // Zero, and had only as far as it is touched.
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2)
    memory = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto whole_chunk = static_cast<std::uint32_t>(chunk_blocks_ * region_.block_bytes);
  if (memory == MAP_FAILED || !chunk_.allocate(1, whole_chunk)) {
    worker_.fail("mmap", errno, region_.begin_bytes,
                 "no memory for four bytes a block, which verify keeps: ask for a smaller size");
    return false;
  }
  generations_ = static_cast<std::uint32_t*>(memory);
  return true;
}

void Verifier::seal(std::byte* block, std::uint64_t offset) noexcept {
  Seal seal;
  seal.offset_bytes = offset;
  seal.generation = ++entry(offset) & ~busy;
  seal.run = board_.nonce;
  put_seal(block, region_.block_bytes, seal);
}

void Verifier::give_up(bool write, std::uint64_t offset) noexcept {
  entry(offset) &= ~busy;
  if (write) --entry(offset);
}

bool Verifier::settle(bool write, const std::byte* block, std::uint64_t offset) noexcept {
  entry(offset) &= ~busy;
  // What this run hasn't written can say nothing.
  return write || entry(offset) == 0 || check(block, offset);
}

bool Verifier::check(const std::byte* block, std::uint64_t offset) noexcept {
  Seal wanted;
  wanted.offset_bytes = offset;
  wanted.generation = entry(offset) & ~busy;
  wanted.run = board_.nonce;
  FaultText room{};
  const std::string_view fault = fault_of(block, region_.block_bytes, wanted, room);
  if (fault.empty()) {
    count(worker_.verified_bytes, region_.block_bytes);
    return true;
  }
  std::array<char, 300> text{};
  std::snprintf(text.data(), text.size(), "the block of %" PRIu32 " bytes isn't as written: %s",
                region_.block_bytes, fault.data());
  worker_.fail("verify", 0, files_.at(offset).offset_bytes, text.data());
  return false;
}

// Read back from the medium, not from memory, wherever the system can be told so.
bool Verifier::flush() noexcept {
  for (std::uint32_t file = 0; file < files_.count(); ++file) {
    if (fsync(files_.descriptor(file)) != 0 && errno != EINVAL) {
      worker_.fail("fsync", errno, region_.begin_bytes, cure_of_sync(errno));
      return false;
    }
    forget_cached(files_.descriptor(file));
  }
  return true;
}

// False: there is no time for it.
bool Verifier::wait_for_leave() const noexcept {
  constexpr timespec step{0, 10'000'000};
  while (board_.may_read_back.load(std::memory_order_acquire) == 0) {
    if (board_.stop.load(std::memory_order_relaxed) == stop_at_once) return false;
    nanosleep(&step, nullptr);
  }
  return true;
}

void Verifier::read_back() noexcept {
  std::uint64_t written = 0;
  for (std::uint64_t i = 0; i < region_.blocks; ++i) {
    // What was in flight at the end has come back by now. Only that is written: the table of a
    // large disk is memory as far as it is touched.
    if (in_flight(offset_of(i))) generations_[i] &= ~busy;
    written += generations_[i] != 0 ? 1 : 0;
  }
  count(worker_.to_read_back_bytes, written * region_.block_bytes);
  if (written == 0 || !wait_for_leave() || !flush()) return;
  for (std::uint64_t first = 0; first < region_.blocks;) {
    if (board_.stop.load(std::memory_order_relaxed) == stop_at_once) return;
    if (generations_[first] == 0) {
      ++first;
      continue;
    }
    // To the last block of the chunk that was written.
    std::uint64_t end = std::min(first + chunk_blocks_, region_.blocks);
    while (generations_[end - 1] == 0) --end;
    const std::uint32_t file = files_.at(offset_of(first)).file;
    while (files_.at(offset_of(end - 1)).file != file) --end;
    if (!read_back(first, end)) return;
    first = end;
  }
}

bool Verifier::read_back(std::uint64_t first, std::uint64_t end) noexcept {
  const std::size_t wanted = static_cast<std::size_t>(end - first) * region_.block_bytes;
  std::byte* const chunk = chunk_.block(0);
  ssize_t length = 0;
  const Place place = files_.at(offset_of(first));
  do length = pread(place.descriptor, chunk, wanted, static_cast<off_t>(place.offset_bytes));
  while (length < 0 && errno == EINTR);
  if (length != static_cast<ssize_t>(wanted)) {
    worker_.fail_transfer(false, length < 0 ? -errno : length, place.offset_bytes,
                          static_cast<std::uint32_t>(wanted));
    return false;
  }
  for (std::uint64_t i = first; i < end; ++i) {
    if (generations_[i] == 0) continue;
    if (!check(chunk + (i - first) * region_.block_bytes, offset_of(i))) return false;
    count(worker_.read_back_bytes, region_.block_bytes);
  }
  return true;
}

}  // namespace iobenchd::engine
