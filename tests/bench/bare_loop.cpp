// The least a loop can do, for exact.sh to hold the engine's loops against: random 4 KiB reads of
// the first GiB of a file, with O_DIRECT. No clock, no histogram, no stop flag, no ramp.
//   bare-loop FILE [name=value ...]
// ioengine (psync, io_uring), ios, iodepth, cell (1: behind the engine's system call filter),
// statistics (1: psync with the engine's clock and histogram). io_uring has the engine's flags and
// its way of batching. Prints nanoseconds an I/O.
#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "daemon/engine/clock.h"
#include "daemon/engine/loop.h"
#include "daemon/engine/offsets.h"
#include "daemon/engine/sandbox.h"
#include "daemon/model/histogram.h"

namespace {

using namespace iobenchd;
using namespace iobenchd::engine;

constexpr std::uint32_t block_bytes = 4096;

Region whole_gibibyte() {
  Region region;
  region.blocks = (std::uint64_t{1} << 30) / block_bytes;
  region.block_bytes = block_bytes;
  region.seed = 1;
  return region;
}

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

void bare_psync(int file, std::uint64_t ios) {
  Buffers buffers;
  if (!buffers.allocate(1, block_bytes)) die("mmap");
  std::byte* const block = buffers.block(0);
  RandomOffsets offsets(whole_gibibyte());
  for (std::uint64_t i = 0; i < ios; ++i) {
    if (pread(file, block, block_bytes, static_cast<off_t>(offsets.next())) != block_bytes)
      die("pread");
  }
}

void counting_psync(int file, std::uint64_t ios, std::uint64_t multiplier) {
  static Histogram histogram;
  Buffers buffers;
  if (!buffers.allocate(1, block_bytes)) die("mmap");
  std::byte* const block = buffers.block(0);
  RandomOffsets offsets(whole_gibibyte());
  std::uint64_t began = CycleClock::now();
  for (std::uint64_t i = 0; i < ios; ++i) {
    if (pread(file, block, block_bytes, static_cast<off_t>(offsets.next())) != block_bytes)
      die("pread");
    const std::uint64_t ended = CycleClock::now();
    histogram.add(CycleClock::span_ns(ended - began, multiplier));
    began = ended;
  }
  if (histogram.count != ios) die("histogram");
}

void make_ring(io_uring& ring, int file, const Buffers& buffers, std::uint32_t depth,
               std::uint32_t batch) {
  io_uring_params params{};
  params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER |
                 IORING_SETUP_DEFER_TASKRUN;
  params.cq_entries = depth;
  if (io_uring_queue_init_params(batch, &ring, &params) != 0) die("io_uring_setup");
  std::vector<iovec> blocks(depth);
  for (std::uint32_t i = 0; i < depth; ++i) blocks[i] = {buffers.block(i), block_bytes};
  if (io_uring_register_buffers(&ring, blocks.data(), depth) != 0 ||
      io_uring_register_files(&ring, &file, 1) != 0 || io_uring_register_ring_fd(&ring) != 1)
    die("io_uring_register");
}

void bare_uring(io_uring& ring, const Buffers& buffers, std::uint64_t ios, std::uint32_t depth,
                std::uint32_t batch) {
  std::vector<std::uint32_t> idle_slots(depth);
  for (std::uint32_t i = 0; i < depth; ++i) idle_slots[i] = i;
  RandomOffsets offsets(whole_gibibyte());
  std::uint32_t idle = depth;
  for (std::uint64_t done = 0; done < ios;) {
    for (std::uint32_t left = std::min(idle, batch); left > 0; --left) {
      io_uring_sqe* const sqe = io_uring_get_sqe(&ring);
      const std::uint32_t slot = idle_slots[--idle];
      io_uring_prep_read_fixed(sqe, 0, buffers.block(slot), block_bytes, offsets.next(),
                               static_cast<int>(slot));
      sqe->flags = IOSQE_FIXED_FILE;
      sqe->user_data = slot;
    }
    if (io_uring_submit_and_wait(&ring, idle == 0 ? 1 : 0) < 0) die("io_uring_enter");
    io_uring_cqe* cqe = nullptr;
    std::uint32_t head = 0;
    std::uint32_t reaped = 0;
    io_uring_for_each_cqe(&ring, head, cqe) {
      if (reaped == batch) break;
      if (cqe->res != static_cast<std::int32_t>(block_bytes)) die("io_uring read");
      idle_slots[idle++] = static_cast<std::uint32_t>(cqe->user_data);
      ++reaped;
    }
    io_uring_cq_advance(&ring, reaped);
    done += reaped;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bare-loop FILE [name=value ...]\n", stderr);
    return 2;
  }
  std::map<std::string, std::string> options;
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals != std::string::npos)
      options[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  const auto number = [&options](const char* name, std::uint64_t otherwise) {
    return options.count(name) == 0 ? otherwise : std::strtoull(options[name].c_str(), nullptr, 0);
  };
  const int file = open(argv[1], O_RDONLY | O_DIRECT | O_NOATIME);
  if (file < 0) die(argv[1]);
  const std::uint64_t ios = number("ios", 100'000);
  const bool cell = number("cell", 0) != 0;
  std::uint64_t began_ns = 0;
  if (options["ioengine"] == "io_uring") {
    const auto depth = static_cast<std::uint32_t>(number("iodepth", 1));
    const std::uint32_t batch = std::max(1U, depth / 8);
    Buffers buffers;
    if (!buffers.allocate(depth, block_bytes)) die("mmap");
    io_uring ring{};
    make_ring(ring, file, buffers, depth, batch);
    if (cell) enter_sandbox(Cell::job);
    began_ns = PosixClock::now();
    bare_uring(ring, buffers, ios, depth, batch);
  } else if (number("statistics", 0) != 0) {
    const ClockScale scale = Calibration(true).settle();
    if (cell) enter_sandbox(Cell::job);
    began_ns = PosixClock::now();
    counting_psync(file, ios, scale.multiplier);
  } else {
    if (cell) enter_sandbox(Cell::job);
    began_ns = PosixClock::now();
    bare_psync(file, ios);
  }
  const auto spent_ns = static_cast<double>(PosixClock::now() - began_ns);
  std::printf("%.1f\n", spent_ns / static_cast<double>(ios));
  return 0;
}
