// The region as memory: reading copies out of pages, writing makes them dirty, fsync is msync.
// Portable. What a page can't be had for, an error of the disk or the end of the file, comes as a
// signal; it becomes a failure that names the offset.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>

#include "daemon/engine/failure.h"
#include "daemon/engine/files.h"
#include "daemon/engine/serial_loop.h"

namespace iobenchd::engine {
namespace {

// A mapping of this process, as the signal handler finds it: by the address of the fault, for a
// thread's own variables are out of reach there. Made once, never given back.
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t fault = 0;
  sigjmp_buf before{};
  Mapping* next = nullptr;
};
std::atomic<Mapping*> mappings{nullptr};

void on_fault(int signal_number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Mapping* mapping = mappings.load(std::memory_order_acquire); mapping != nullptr;
       mapping = mapping->next) {
    if (address < mapping->begin || address >= mapping->end) continue;
    mapping->fault = address;
    siglongjmp(mapping->before, 1);
  }
  _exit(128 + signal_number);  // none of ours: what a shell would say of it
}

// The mapping as a device; a page that can't be had ends the run by way of on_fault.
class MmapDevice {
 public:
  struct Memory {
    std::byte* begin = nullptr;  // one file behind the other
    std::size_t bytes = 0;
    std::size_t stride_bytes = 0;  // from file to file
    std::uint64_t first_byte = 0;  // of each file that is mapped
  };

  MmapDevice(Worker& worker, const Board& board, const Memory& memory, std::byte* block) noexcept
      : worker_(worker),
        board_(board),
        files_(worker, board),
        memory_(memory),
        block_(block),
        block_bytes_(board.load.block_bytes) {}

  [[nodiscard]] bool transfer(bool write, std::uint64_t offset) noexcept {
    const Place place = files_.at(offset);
    std::byte* const page = memory_.begin + place.file * memory_.stride_bytes +
                            (place.offset_bytes - memory_.first_byte);
    std::memcpy(write ? page : block_, write ? block_ : page, block_bytes_);
    // Nobody looks at the copy: the compiler must not conclude that it needn't be made.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }

  [[nodiscard]] bool sync(std::uint64_t) noexcept {
    if (msync(memory_.begin, memory_.bytes, MS_SYNC) == 0) return true;
    worker_.fail("msync", errno, board_.load.offset_bytes, cure(errno));
    return false;
  }

 private:
  Worker& worker_;
  const Board& board_;
  const Files files_;
  const Memory memory_;
  std::byte* const block_;
  const std::uint32_t block_bytes_;
};

class MmapLoop final : public Loop {
 public:
  MmapLoop(Worker& worker, const Board& board)
      : worker_(worker), board_(board), files_(worker, board) {}
  ~MmapLoop() override {
    if (memory_.begin != nullptr) munmap(memory_.begin, memory_.bytes);
  }

  [[nodiscard]] bool prepare();

  void run() override {
    // Nothing between here and the fault has anything to clean up.
    if (sigsetjmp(mapping_->before, 1) != 0) return tell_fault();
    with_choices(
        board_, [this]<class Clock, class Offsets, class Direction, class Pace, class Check>() {
          std::byte* const block = buffers_.block(0);
          const MmapDevice device(worker_, board_, memory_, block);
          serial_spin<Clock, Offsets, Direction, Pace, Check>(worker_, board_, block, device);
        });
  }

 private:
  [[nodiscard]] bool can_map(std::int32_t descriptor);
  [[nodiscard]] bool map();
  [[nodiscard]] void* map_files(int access, std::size_t bytes_of_file);
  void watch_faults();
  void tell_fault() noexcept;

  Worker& worker_;
  const Board& board_;
  const Files files_;
  Buffers buffers_;
  MmapDevice::Memory memory_;
  Mapping* mapping_ = nullptr;
};

bool MmapLoop::prepare() {
  for (std::uint32_t file = 0; file < files_.count(); ++file)
    if (!can_map(files_.descriptor(file))) return false;
  if (!map()) return false;
  if (buffers_.allocate(1, board_.load.block_bytes)) return true;
  worker_.fail("mmap", ENOMEM, 0, cure(ENOMEM));
  return false;
}

bool MmapLoop::can_map(std::int32_t descriptor) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) {
    worker_.fail("fstat", errno, 0, cure(errno));
    return false;
  }
  if (S_ISCHR(facts.st_mode)) {
    worker_.fail("mmap", 0, 0,
                 "a raw device has no pages to map: choose ioengine=psync or threads, or a file");
    return false;
  }
  const std::uint64_t end = board_.load.offset_bytes + board_.load.size_bytes;
  const auto file_bytes = static_cast<std::uint64_t>(facts.st_size);
  if (S_ISREG(facts.st_mode) && file_bytes < end) {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "the target ends after %llu of %llu bytes: lay the file out again, or ask for a "
                  "smaller size",
                  static_cast<unsigned long long>(file_bytes),
                  static_cast<unsigned long long>(end));
    worker_.fail("mmap", 0, file_bytes, text.data());
    return false;
  }
  return true;
}

bool MmapLoop::map() {
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const Load& load = board_.load;
  memory_.first_byte = load.offset_bytes / page_bytes * page_bytes;
  const std::uint64_t of_file = load.offset_bytes - memory_.first_byte + load.size_bytes;
  const std::uint64_t stride = (of_file + page_bytes - 1) / page_bytes * page_bytes;
  const std::uint64_t bytes = stride * (files_.count() - 1) + of_file;
  const int access = PROT_READ | (writes(load.rw) ? PROT_WRITE : 0);
  void* memory = MAP_FAILED;
  errno = ENOMEM;
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2) {
    memory_.bytes = static_cast<std::size_t>(bytes);
    memory_.stride_bytes = static_cast<std::size_t>(stride);
    memory = map_files(access, static_cast<std::size_t>(of_file));
  }
  if (memory == MAP_FAILED) {
    worker_.fail("mmap", errno, load.offset_bytes,
                 errno == ENOMEM ? "the region doesn't fit into the address space: ask for a "
                                   "smaller size"
                                 : "the target can't be mapped: choose ioengine=psync or threads");
    return false;
  }
  memory_.begin = static_cast<std::byte*>(memory);
  // A random block is one block: no neighbours are read along with it.
  posix_madvise(memory, memory_.bytes, random(load.rw) ? POSIX_MADV_RANDOM : POSIX_MADV_SEQUENTIAL);
  watch_faults();
  return true;
}

// The first mapping takes the room for all; the others are put over what of it is beyond its file.
void* MmapLoop::map_files(int access, std::size_t bytes_of_file) {
  const auto from = static_cast<off_t>(memory_.first_byte);
  void* const memory = mmap(nullptr, memory_.bytes, access, MAP_SHARED, files_.descriptor(0), from);
  if (memory == MAP_FAILED) return MAP_FAILED;
  for (std::uint32_t file = 1; file < files_.count(); ++file) {
    std::byte* const here = static_cast<std::byte*>(memory) + file * memory_.stride_bytes;
    if (mmap(here, bytes_of_file, access, MAP_SHARED | MAP_FIXED, files_.descriptor(file), from) !=
        MAP_FAILED)
      continue;
    const int error_number = errno;
    munmap(memory, memory_.bytes);
    errno = error_number;
    return MAP_FAILED;
  }
  return memory;
}

void MmapLoop::watch_faults() {
  mapping_ = new Mapping;
  mapping_->begin = reinterpret_cast<std::uintptr_t>(memory_.begin);
  mapping_->end = mapping_->begin + memory_.bytes;
  mapping_->next = mappings.load(std::memory_order_relaxed);
  while (!mappings.compare_exchange_weak(mapping_->next, mapping_, std::memory_order_release)) {
  }
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  sigaction(SIGSEGV, &action, nullptr);  // what OpenBSD says of pages beyond the end
}

void MmapLoop::tell_fault() noexcept {
  const std::uint64_t offset =
      memory_.first_byte + (mapping_->fault - mapping_->begin) % memory_.stride_bytes;
  const Rw rw = board_.load.rw;
  worker_.fail(mixed(rw)    ? "mmap"
               : writes(rw) ? "write"
                            : "read",
               EIO, offset,
               "this page of the target can't be had: the disk reports an error (the kernel's log "
               "says which), has no room left, or the file has become shorter");
}

}  // namespace

std::unique_ptr<Loop> make_mmap_loop(Worker& worker, const Board& board) {
  auto loop = std::make_unique<MmapLoop>(worker, board);
  if (!loop->prepare()) return nullptr;
  return loop;
}

}  // namespace iobenchd::engine
